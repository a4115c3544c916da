#include "client/cpp/stream_call.h"

#include <algorithm>
#include <utility>

#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"
#include "client/cpp/rows.h"

namespace torqued::client {
namespace {

// gRPC takes and gives nothing else.
template <class Event>
void* Tag(Event event) {
  return reinterpret_cast<void*>(event);  // NOLINT(performance-no-int-to-ptr)
}

Error Cancelled() {
  return {grpc::StatusCode::CANCELLED, "the stream was cancelled"};
}

}  // namespace

StreamCall::StreamCall(const std::shared_ptr<grpc::Channel>& channel,
                       const std::string& model,
                       std::vector<v1::Quantity> quantities,
                       const ComputeOptions& options,
                       Clock::time_point deadline, int window,
                       std::optional<RetrySchedule> schedule)
    : stub_(v1::Dynamics::NewStub(channel)),
      quantities_(std::move(quantities)),
      with_sigma_min_(options.task.sigma_min),
      deadline_(deadline),
      window_(std::max(window, 1)),
      start_(MakeStart(model, quantities_, options)),
      schedule_(std::move(schedule)) {
  wrench_.tip_wrench_on_environment = options.tip_wrench_on_environment;
  Open();
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

void StreamCall::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  context_->TryCancel();
  if (reopening_) reopening_->Cancel();
}

void StreamCall::Open() {
  stream_.reset();
  context_ = std::make_unique<grpc::ClientContext>();
  if (deadline_ != kForever) context_->set_deadline(deadline_);
  // The metadata travel with the start.
  context_->set_initial_metadata_corked(true);
  stream_ = stub_->PrepareAsyncEvaluate(context_.get(), &events_);
  stream_->StartCall(nullptr);
  open_ = true;
  ended_ = false;
  said_end_ = false;
  sent_ = replies_.size();
  rows_before_ = rows_answered_;
  chunks_before_ = chunks_answered_;
  v1::EvaluateRequest request;
  *request.mutable_start() = start_;
  writing_ = true;
  stream_->Write(request, Tag(Event::kWritten));
  // One is always under way, so that a failure is seen whoever waits.
  stream_->Read(&incoming_, Tag(Event::kRead));
}

void StreamCall::SendNext() {
  if (!open_ || ended_ || writing_) return;
  if (sent_ < chunks_.size()) {
    writing_ = true;
    stream_->Write(chunks_[sent_++].request, Tag(Event::kWritten));
  } else if (writes_ended_ && !said_end_) {
    writing_ = true;
    said_end_ = true;
    stream_->WritesDone(Tag(Event::kWritten));
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
  Chunk chunk{.rows = rows, .request = {}};
  if (!spare_requests_.empty()) {
    chunk.request = std::move(spare_requests_.back());
    spare_requests_.pop_back();
  }
  chunk.request.mutable_chunk()->Clear();
  AddRows(states, wrench, {0, rows}, chunk.request.mutable_chunk());
  chunks_.push_back(std::move(chunk));
  SendNext();
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
  const std::int64_t asked = chunks_.front().rows;
  chunks_.pop_front();
  --sent_;
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
  return static_cast<int>(chunks_.size());
}

void StreamCall::EndWriting() {
  Lock lock(mutex_);
  if (std::exchange(writes_ended_, true)) return;
  HandleUntil(lock, kForever, [this] { return finished_ || MaySend(); });
  if (!finished_) SendNext();
}

void StreamCall::Finish() {
  EndWriting();
  Lock lock(mutex_);
  HandleUntil(lock, kForever, [this] { return finished_; });
  replies_.clear();
  chunks_.clear();
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
    const bool got = next == grpc::CompletionQueue::GOT_EVENT;
    if (got) {
      Handle(static_cast<Event>(reinterpret_cast<std::uintptr_t>(tag)), ok,
             lock);
    }
    handling_ = false;
    // Another one may have waited for this, or has to take over.
    handled_.notify_all();
    if (!got) return condition();
  }
  return true;
}

void StreamCall::Handle(Event event, bool ok, Lock& lock) {
  switch (event) {
    case Event::kWritten:
      // What was not written will be explained by the end.
      writing_ = false;
      if (ok) SendNext();
      if (ended_) OnFinished(lock);
      break;
    case Event::kRead:
      if (ok) {
        OnRead();
      } else {
        stream_->Finish(&status_, Tag(Event::kFinished));
      }
      break;
    case Event::kFinished:
      ended_ = true;
      if (!writing_) OnFinished(lock);
      break;
    case Event::kReopen:
      if (cancelled_) {
        FailWith(Cancelled());
      } else if (const auto delay = schedule_->StillToWait(Clock::now())) {
        OpenAfter(*delay);
      } else {
        Open();
      }
      break;
    case Event::kWake:
      break;
  }
}

void StreamCall::OnRead() {
  if (replies_.size() < sent_) {
    if (incoming_.has_echo() && rows_answered_ == 0) {
      // All rows are of one revision, even while the name moves.
      start_.set_model("@" + incoming_.echo().revision());
    }
    incoming_.set_first_row(incoming_.first_row() +
                            static_cast<std::uint64_t>(rows_before_));
    Chunk& chunk = chunks_[replies_.size()];
    rows_answered_ += chunk.rows;
    ++chunks_answered_;
    spare_requests_.push_back(std::move(chunk.request));
    if (schedule_) schedule_->Answered();
    replies_.push_back(std::move(incoming_));
    incoming_ = std::move(spare_);
  } else {
    unasked_ = true;
    context_->TryCancel();
  }
  stream_->Read(&incoming_, Tag(Event::kRead));
}

void StreamCall::OnFinished(Lock& lock) {
  open_ = false;
  ended_ = false;
  if (unasked_) {
    FailWith({grpc::StatusCode::INTERNAL,
              "there are more replies than were asked for"});
  } else if (!status_.ok()) {
    const Error error =
        CountedFromStart(DecodeError(status_), rows_before_, chunks_before_);
    if (!OpensAgain(error, lock)) FailWith(cancelled_ ? Cancelled() : error);
  } else if (!writes_ended_ || replies_.size() < chunks_.size()) {
    FailWith({grpc::StatusCode::INTERNAL,
              "the server ended the stream, which was not asked for; " +
                  std::to_string(chunks_.size() - replies_.size()) +
                  " chunks are not answered"});
  } else {
    finished_ = true;
  }
}

bool StreamCall::OpensAgain(const Error& error, Lock& lock) {
  if (!schedule_ || cancelled_) return false;
  // Whoever is told may call back.
  lock.unlock();
  const auto delay = schedule_->Announce(error);
  lock.lock();
  if (!delay || cancelled_) return false;
  OpenAfter(*delay);
  return true;
}

void StreamCall::OpenAfter(std::chrono::nanoseconds delay) {
  reopening_ = std::make_unique<grpc::Alarm>();
  reopening_->Set(
      &events_,
      Clock::now() + std::chrono::duration_cast<Clock::duration>(delay),
      Tag(Event::kReopen));
}

void StreamCall::FailWith(const Error& error) {
  failure_ = error;
  finished_ = true;
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
  // With the first one of a call, which may be one with another server.
  if (reply.has_echo()) {
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
