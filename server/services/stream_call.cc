#include "server/services/stream_call.h"

#include <new>
#include <utility>

#include "server/errors/error.h"
#include "server/observability/metrics.h"
#include "server/services/resolve_model.h"

namespace torqued::server {

StreamCall::Reactor* StreamCall::Start(
    const std::shared_ptr<StreamCall>& call) {
  call->self_ = call;
  std::optional<Error> refusal = call->Enter();
  // Only now may the gate call back.
  if (!refusal && !call->context_.gate.Listen(call)) refusal = Draining();
  if (refusal) {
    call->finished_ = true;
    call->Finish(call->record_.Fail(*std::move(refusal)));
    return call.get();
  }
  call->CheckWriteAfter(call->context_.write_timeout);
  call->Advance(Lock(call->mutex_));
  return call.get();
}

std::optional<Error> StreamCall::Enter() {
  if (auto refusal = record_.Refusal()) return refusal;
  auto admitted = context_.admission.Admit({.streams = 1}, record_.peer());
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  open_ = std::get<Admission::Reservation>(std::move(admitted));
  return std::nullopt;
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

void StreamCall::FindModel(std::string reference) {
  reference_ = std::move(reference);
  std::optional<Error> error;
  try {
    record_.set_model(reference_);
    if (auto refusal = record_.RefusalOf(reference_)) {
      return Handled(std::move(refusal));
    }
    const auto entry = context_.registry.ResolveLoaded(reference_);
    CountModel(entry.has_value());
    if (entry) {
      error = OnModel(*entry);
    } else {
      return context_.loads.Run(reference_, record_.host(),
                                [this] { LookUp(); });
    }
  } catch (...) {
    error = FaultOfTheServer();
  }
  Handled(std::move(error));
}

void StreamCall::LookUp() {
  std::optional<Error> error;
  try {
    auto resolved = ResolveModel(
        context_.registry, reference_,
        {context_.admission, record_.peer(), start_reservation().load()});
    if (auto* refusal = std::get_if<Error>(&resolved)) {
      error = InMessage(std::move(*refusal), "start.");
    } else {
      error = OnModel(std::get<ModelEntry>(resolved));
    }
  } catch (...) {
    error = FaultOfTheServer();
  }
  Handled(std::move(error));
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
  if (!ok) record_.Cancel();
  const bool resumes = OnWritten(ok);
  Advance(std::move(lock));
  // A call whose message is being handled has not come to its end.
  if (resumes) Resume();
}

void StreamCall::OnCancel() {
  record_.Cancel();
  Advance(Lock(mutex_));
}

void StreamCall::OnClose() {
  Lock lock(mutex_);
  draining_ = true;
  Advance(std::move(lock));
}

void StreamCall::OnDone() {
  {
    const Lock lock(mutex_);
    done_ = true;
    write_check_.reset();
  }
  context_.gate.Forget(this);
  // A message over the limit ends the input like a client that is through; only
  // now gRPC tells that it has failed the call.
  if (ending_ == Ending::kSucceed) {
    if (call_->IsCancelled()) {
      record_.Abandon();
    } else {
      record_.Succeed();
    }
  }
  const std::shared_ptr<StreamCall> last = std::move(self_);
}

void StreamCall::Succeed() {
  if (!ending_) ending_ = Ending::kSucceed;
}

void StreamCall::Abandon() {
  if (!ending_) ending_ = Ending::kAbandon;
}

void StreamCall::EndWith(Error error) {
  if (ending_) return;
  ending_ = Ending::kFail;
  error_ = std::move(error);
}

grpc::Status StreamCall::EndStatus() {
  DescribeEnd(&error_);
  switch (*ending_) {
    case Ending::kSucceed:
      return grpc::Status::OK;  // logged by OnDone
    case Ending::kFail:
      break;
    case Ending::kAbandon:
      return record_.Abandon();
  }
  return record_.Fail(std::move(error_));
}

void StreamCall::Advance(Lock lock) {
  while (!finished_) {
    Steps steps;
    try {
      if (!ending_ && record_.cancelled()) Abandon();
      if (!ending_) Conclude();
      if (!ending_) steps = NextSteps();
    } catch (...) {
      EndWith(FaultOfTheServer());
    }
    if (ending_) {
      OnEnding();
      // Each of these comes here again.
      if (writing_ || handling_ || starting_ > 0 || IsAtWork()) return;
      finished_ = true;
      write_begun_ = std::chrono::steady_clock::now();
      lock.unlock();
      const grpc::Status status = EndStatus();
      GiveBack();
      open_ = {};
      return Finish(status);
    }
    if (!steps.any()) return;
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
    std::optional<Error> error;
    if (steps.work) error = Work();
    lock.lock();
    --starting_;
    if (error) EndWith(*std::move(error));
  }
}

void StreamCall::CheckWriteAfter(std::chrono::nanoseconds time) {
  write_check_.emplace();  // gRPC may have the former one in use
  write_check_->Set(std::chrono::system_clock::now() + time,
                    [weak = weak_from_this()](bool due) {
                      const auto call = due ? weak.lock() : nullptr;
                      if (call != nullptr) call->CheckWrite();
                    });
}

void StreamCall::CheckWrite() {
  const Lock lock(mutex_);
  if (done_) return;
  const bool waits = writing_ || finished_;
  const auto left = context_.write_timeout -
                    (std::chrono::steady_clock::now() - write_begun_);
  try {
    if (!waits) return CheckWriteAfter(context_.write_timeout);
    if (left.count() > 0) return CheckWriteAfter(left);
    record_.LogNotTaken(context_.write_timeout);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // There may be no line then.
  }
  if (waits && left.count() <= 0) call_->TryCancel();
}

Error WrongMessage(std::string field, std::string message) {
  return FieldError(v1::INVALID_FIELD, std::move(field), std::move(message));
}

}  // namespace torqued::server
