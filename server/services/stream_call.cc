#include "server/services/stream_call.h"

#include <new>
#include <utility>

namespace torqued::server {

StreamCall* StreamCall::Start(const std::shared_ptr<StreamCall>& call) {
  call->self_ = call;
  auto refusal = call->Refusal();
  if (!refusal) refusal = call->room_.Grow(0, 1);
  // Last: from then on the gate may call back.
  if (!refusal && !call->context_.gate.Listen(call)) refusal = Draining();
  if (refusal) {
    call->finished_ = true;
    call->Finish(call->Failure(*std::move(refusal)));
    return call.get();
  }
  call->CheckWrite();
  call->Advance(Lock(call->mutex_));
  return call.get();
}

void StreamCall::OnReadDone(bool ok) {
  {
    Lock lock(mutex_);
    reading_ = false;
    if (!ok) input_ended_ = true;
    // From here on a message is accepted and will be answered.
    handling_ = ok && !draining_ && !ending_;
    if (!handling_) return Advance(std::move(lock));
  }
  OnMessage();
}

std::optional<Error> StreamCall::ProblemOfKind(bool first, bool has_start,
                                               bool has_part,
                                               const std::string& part) {
  if (first == has_start && first != has_part) return std::nullopt;
  return FieldError(
      v1::INVALID_FIELD, first != has_start ? "start" : part,
      "The first message is the start, each later one has " + part + ".");
}

void StreamCall::FindModel(const std::string& reference) {
  const auto then = [this](OrError<ModelEntry> found) {
    Handled(OrFault([&]() -> std::optional<Error> {
      if (auto* error = std::get_if<Error>(&found)) {
        return InMessage(std::move(*error), "start.");
      }
      return OnModel(std::get<ModelEntry>(found));
    }));
  };
  try {
    CallRecord::FindModel(reference, then);
  } catch (...) {
    Handled(FaultOfTheServer());
  }
}

void StreamCall::Handled(std::optional<Error> error) {
  Lock lock(mutex_);
  handling_ = false;
  if (error) EndWith(*std::move(error));
  Advance(std::move(lock));
}

void StreamCall::OnWriteDone(bool ok) {
  Lock lock(mutex_);
  writing_ = false;
  if (!ok) Cancel();
  OnWritten(ok);
  Advance(std::move(lock));
}

void StreamCall::OnDone() {
  {
    const Lock lock(mutex_);
    done_ = true;
    write_check_.reset();
  }
  context_.gate.Forget(this);
  // Only now gRPC tells that a message over the limit has ended the input.
  if (succeeded_) {
    call_->IsCancelled() ? Abandonment() : Success();
  }
  const std::shared_ptr<StreamCall> last = std::move(self_);
}

void StreamCall::Advance(Lock lock) {
  while (!finished_) {
    Steps steps;
    try {
      if (cancelled()) ending_ = true;
      if (!ending_) steps = NextSteps();
    } catch (...) {
      EndWith(FaultOfTheServer());
    }
    if (ending_) {
      OnEnding();
      // Each of these comes here again.
      if (writing_ || handling_ || starting_ > 0 || working_ > 0) return;
      finished_ = true;
      write_begun_ = std::chrono::steady_clock::now();
      lock.unlock();
      OnEnd(error_ ? &*error_ : nullptr);
      succeeded_ = !error_ && !cancelled();
      const grpc::Status status =
          succeeded_ ? grpc::Status::OK
                     : Failure(error_ ? *std::move(error_) : Error());
      // Who hears of the end finds room again.
      room_.GiveBack();
      return Finish(status);
    }
    if (steps.read == nullptr && steps.write == nullptr && !steps.work) return;
    reading_ = reading_ || steps.read != nullptr;
    if (steps.write != nullptr) {
      writing_ = true;
      write_begun_ = std::chrono::steady_clock::now();
    }
    // gRPC may send here and now: not under the lock, but before the end.
    ++starting_;
    lock.unlock();
    if (steps.write != nullptr) StartWrite(steps.write);
    if (steps.read != nullptr) StartRead(steps.read);
    if (steps.work) Work();
    lock.lock();
    --starting_;
  }
}

void StreamCall::CheckWrite() {
  const Lock lock(mutex_);
  if (done_) return;
  std::chrono::nanoseconds left = context_.write_timeout;
  if (writing_ || finished_) {
    left -= std::chrono::steady_clock::now() - write_begun_;
  }
  try {
    if (left.count() > 0) {
      write_check_.emplace();  // gRPC may have the former one in use
      return write_check_->Set(
          std::chrono::system_clock::now() + left,
          [weak = weak_from_this()](bool due) {
            if (const auto call = due ? weak.lock() : nullptr) {
              call->CheckWrite();
            }
          });
    }
    LogNotTaken();
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // There may be no line then.
  }
  if (left.count() <= 0) call_->TryCancel();
}

}  // namespace torqued::server
