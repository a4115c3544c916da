#include "client/cpp/stream_call.h"

#include <algorithm>
#include <utility>

#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"

namespace torqued::client {
namespace {

// gRPC takes and gives nothing else.
template <class Event>
void* Tag(Event event) {
  return reinterpret_cast<void*>(event);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

StreamCall::StreamCall(const std::shared_ptr<grpc::Channel>& channel,
                       const std::string& model,
                       std::vector<v1::Quantity> quantities,
                       const ComputeOptions& options,
                       Clock::time_point deadline, int window)
    : stub_(v1::Dynamics::NewStub(channel)),
      quantities_(std::move(quantities)),
      with_sigma_min_(options.task.sigma_min),
      window_(std::max(window, 1)) {
  wrench_.tip_wrench_on_environment = options.tip_wrench_on_environment;
  if (deadline != kForever) context_.set_deadline(deadline);
  // The metadata travel with the start.
  context_.set_initial_metadata_corked(true);
  stream_ = stub_->PrepareAsyncEvaluate(&context_, &events_);
  stream_->StartCall(nullptr);
  *request_.mutable_start() = MakeStart(model, quantities_, options);
  writing_ = true;
  stream_->Write(request_, Tag(Event::kWritten));
  request_.clear_start();
  // One is always under way, so that a failure is seen whoever waits.
  stream_->Read(&incoming_, Tag(Event::kRead));
}

StreamCall::~StreamCall() {
  Cancel();
  {
    Lock lock(mutex_);
    HandleUntil(lock, kForever, [this] { return finished_; });
  }
  events_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (events_.Next(&tag, &ok)) {
  }
}

bool StreamCall::Write(const States& states, const Batch* tip_wrench,
                       Clock::time_point until) {
  ComputeOptions own;
  if (tip_wrench) own.tip_wrench_on_environment.emplace().wrench = *tip_wrench;
  const ComputeOptions& wrench = tip_wrench ? own : wrench_;
  const std::int64_t rows = CountStates(states, wrench);

  Lock lock(mutex_);
  if (writes_ended_) {
    throw Error(grpc::StatusCode::FAILED_PRECONDITION,
                "the stream takes no more states: writing has been ended");
  }
  writer_waits_ = true;
  const bool may_write =
      HandleUntil(lock, until, [this] { return finished_ || HasRoom(); });
  writer_waits_ = false;
  if (!may_write) return false;
  if (finished_) throw Error(*failure_);
  asked_.push_back(rows);
  request_.mutable_chunk()->Clear();
  AddRows(states, wrench, {0, rows}, request_.mutable_chunk());
  writing_ = true;
  stream_->Write(request_, Tag(Event::kWritten));
  return true;
}

std::optional<Evaluation> StreamCall::Read() {
  Lock lock(mutex_);
  HandleUntil(lock, kForever, [this] { return HasAnswer(); });
  if (replies_.empty()) {
    if (failure_) throw Error(*failure_);
    return std::nullopt;
  }
  v1::EvaluateReply reply = std::move(replies_.front());
  replies_.pop_front();
  const std::int64_t asked = asked_.front();
  asked_.pop_front();
  if (writer_waits_) Wake();
  lock.unlock();

  try {
    Evaluation evaluation = Joined(reply, asked);
    lock.lock();
    spare_ = std::move(reply);
    return evaluation;
  } catch (const Error&) {
    Cancel();
    throw;
  }
}

bool StreamCall::Readable(std::chrono::nanoseconds timeout) {
  Lock lock(mutex_);
  return HandleUntil(
      lock, Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout),
      [this] { return HasAnswer(); });
}

int StreamCall::unread() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(asked_.size());
}

void StreamCall::EndWriting() {
  Lock lock(mutex_);
  if (std::exchange(writes_ended_, true)) return;
  HandleUntil(lock, kForever, [this] { return finished_ || !writing_; });
  if (finished_) return;
  writing_ = true;
  stream_->WritesDone(Tag(Event::kWritten));
}

void StreamCall::Finish() {
  EndWriting();
  Lock lock(mutex_);
  HandleUntil(lock, kForever, [this] { return finished_; });
  replies_.clear();
  asked_.clear();
  if (failure_) throw Error(*failure_);
}

bool StreamCall::HandleUntil(Lock& lock, Clock::time_point until,
                             const std::function<bool()>& condition) {
  while (!condition()) {
    if (handling_) {
      if (until == kForever) {
        handled_.wait(lock);
      } else if (handled_.wait_until(lock, until) == std::cv_status::timeout) {
        return condition();
      }
      continue;
    }
    handling_ = true;
    lock.unlock();
    void* tag = nullptr;
    bool ok = false;
    const auto next =
        until == kForever
            ? (events_.Next(&tag, &ok) ? grpc::CompletionQueue::GOT_EVENT
                                       : grpc::CompletionQueue::SHUTDOWN)
            : events_.AsyncNext(&tag, &ok, until);
    lock.lock();
    handling_ = false;
    const bool got = next == grpc::CompletionQueue::GOT_EVENT;
    if (got)
      Handle(static_cast<Event>(reinterpret_cast<std::uintptr_t>(tag)), ok);
    // Another one may have waited for this, or has to take over.
    handled_.notify_all();
    if (!got) return condition();
  }
  return true;
}

void StreamCall::Handle(Event event, bool ok) {
  switch (event) {
    case Event::kWritten:
      // What was not written will be explained by the end.
      writing_ = false;
      break;
    case Event::kRead:
      if (ok) {
        OnRead();
      } else {
        stream_->Finish(&status_, Tag(Event::kFinished));
      }
      break;
    case Event::kFinished:
      OnFinished();
      break;
    case Event::kWake:
      break;
  }
}

void StreamCall::OnRead() {
  if (replies_.size() < asked_.size()) {
    replies_.push_back(std::move(incoming_));
    incoming_ = std::move(spare_);
  } else {
    unasked_ = true;
    Cancel();
  }
  stream_->Read(&incoming_, Tag(Event::kRead));
}

void StreamCall::OnFinished() {
  finished_ = true;
  if (unasked_) {
    failure_.emplace(grpc::StatusCode::INTERNAL,
                     "there are more replies than were asked for");
  } else if (!status_.ok()) {
    failure_ = DecodeError(status_);
  } else if (!writes_ended_ || replies_.size() < asked_.size()) {
    failure_.emplace(grpc::StatusCode::INTERNAL,
                     "the server ended the stream, which was not asked for; " +
                         std::to_string(asked_.size() - replies_.size()) +
                         " chunks are not answered");
  }
}

void StreamCall::Wake() {
  handled_.notify_all();
  if (!handling_) return;
  wake_ = std::make_unique<grpc::Alarm>();
  wake_->Set(&events_, gpr_time_0(GPR_CLOCK_REALTIME), Tag(Event::kWake));
}

Evaluation StreamCall::Joined(const v1::EvaluateReply& reply,
                              std::int64_t asked) {
  CheckFirstRow(reply, static_cast<std::int64_t>(next_row_));
  if (next_row_ == 0) {
    echo_ = reply.echo();
    echo_.clear_timing();
  }
  Evaluation evaluation;
  evaluation.rows = RowsAnswered(reply.rows(), asked);
  evaluation.echo = echo_;
  Join(PartOf(reply), quantities_, with_sigma_min_, {0, evaluation.rows},
       &evaluation);
  next_row_ += reply.rows();
  return evaluation;
}

}  // namespace torqued::client
