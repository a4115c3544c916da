#include "client/cpp/async_batch.h"

#include <algorithm>
#include <utility>

#include "client/cpp/error.h"

namespace torqued::client {

AsyncBatch::AsyncBatch(BatchJob job)
    : job_(std::move(job)),
      request_(MakeRequest(job_.model, job_.quantities, *job_.options)) {}

void AsyncBatch::Start() {
  job_.in_flight.Add(shared_from_this());
  Post([this] {
    rows_ = CountStates(*job_.states);
    rows_per_call_ =
        RowsPerCall(job_.quantities, *job_.states, *job_.options, job_.limits);
    SendMore();
  });
}

void AsyncBatch::Post(std::function<void()> happening) {
  std::unique_lock lock(mutex_);
  if (done_) return;
  happenings_.push(std::move(happening));
  if (std::exchange(handling_, true)) return;
  while (!happenings_.empty()) {
    const std::function<void()> next = std::move(happenings_.front());
    happenings_.pop();
    lock.unlock();
    try {
      next();
    } catch (...) {
      Fail(std::current_exception());
    }
    // The last event, except for a cancellation.
    if (under_way_ == 0) return Finish();
    lock.lock();
  }
  handling_ = false;
}

void AsyncBatch::SendMore() {
  // There is one call also without rows.
  const std::int64_t end = std::max<std::int64_t>(rows_, 1);
  while (!refused_ && next_row_ < end && parts_.size() < kWindow) {
    Part& part = parts_.emplace_back();
    part.range = {next_row_, std::min(rows_per_call_, rows_ - next_row_)};
    part.schedule.emplace(job_.deadline, job_.connection.waiting);
    part.end = next_row_ + part.range.count;
    next_row_ = std::max<std::int64_t>(part.end, 1);
    Send(part);
  }
}

void AsyncBatch::Send(Part& part) {
  AddRows(*job_.states, *job_.options, part.range, &request_);
  part.context = std::make_unique<grpc::ClientContext>();
  part.context->set_deadline(job_.deadline);
  if (!job_.authorization.empty()) {
    part.context->AddMetadata("authorization", job_.authorization);
  }
  part.reply.Clear();
  part.answered = false;
  ++under_way_;
  // The request is serialized before this returns, so the next one may have
  // its memory.
  job_.dynamics.async()->Compute(
      part.context.get(), &request_, &part.reply,
      [self = shared_from_this(), &part](const grpc::Status& status) {
        self->Post([=, &part] { self->OnReply(part, status); });
      });
}

void AsyncBatch::OnReply(Part& part, const grpc::Status& status) {
  --under_way_;
  part.context.reset();
  if (failure_) return;
  part.answered = status.ok();
  if (!part.answered) {
    const Error error = DecodeError(status);
    const auto delay = job_.connection.retry
                           ? part.schedule->NextDelay(error, Clock::now())
                           : std::nullopt;
    if (delay) return Repeat(part, *delay);
    part.error = CountedFromStart(error, part.range.first);
    refused_ = true;
  }
  JoinInTurn();
  SendMore();
}

void AsyncBatch::Repeat(Part& part, std::chrono::nanoseconds delay) {
  part.alarm = std::make_unique<grpc::Alarm>();
  ++under_way_;
  part.alarm->Set(
      Clock::now() + std::chrono::duration_cast<Clock::duration>(delay),
      [self = shared_from_this(), &part](bool) {
        self->Post([self, &part] {
          --self->under_way_;
          part.alarm.reset();
          if (!self->failure_) self->Send(part);
        });
      });
}

void AsyncBatch::JoinInTurn() {
  while (!parts_.empty()) {
    Part& part = parts_.front();
    // In the order of rows, so that the same failure is reported each time.
    if (part.error) throw Error(*part.error);
    if (!part.answered) return;
    const bool full = whole_.row_status.size() == Evaluation::kMaxListed;
    if (part.range.count > kMaxListedRows && !full &&
        part.reply.rows_not_ok() >
            static_cast<std::uint64_t>(part.reply.row_status_size())) {
      rows_per_call_ = std::min(rows_per_call_, kMaxListedRows);
      part.range.count = kMaxListedRows;
      return Send(part);
    }
    if (part.range.first == 0) {
      // Without joints there is nothing to count states by: the server does.
      if (rows_ == 0) {
        rows_ = part.range.count = part.reply.rows() > 0 ? 1 : 0;
      }
      whole_.rows = rows_;
      whole_.echo = part.reply.echo();
      whole_.echo.clear_timing();
      const std::string& model = request_.model();
      request_.set_model(model.substr(0, model.find('@')) + "@" +
                         whole_.echo.revision());
    } else if (part.reply.echo().revision() != whole_.echo.revision()) {
      return Send(part);  // The name has moved meanwhile.
    }
    Join(part.reply, part.range, &whole_);
    const std::int64_t done = part.range.first + part.range.count;
    if (job_.options->progress) job_.options->progress(done, rows_);
    if (done < part.end) {
      part.range = {done, std::min(kMaxListedRows, part.end - done)};
      return Send(part);
    }
    parts_.pop_front();
  }
}

void AsyncBatch::Fail(std::exception_ptr failure) {
  if (failure_) return;
  failure_ = std::move(failure);
  for (Part& part : parts_) {
    if (part.context) part.context->TryCancel();
    if (part.alarm) part.alarm->Cancel();
  }
}

void AsyncBatch::Cancel() {
  Post([] {
    throw Error(grpc::StatusCode::CANCELLED, "the call was cancelled");
  });
}

void AsyncBatch::Finish() noexcept {
  const std::shared_ptr<AsyncBatch> self = shared_from_this();
  parts_.clear();
  request_.Clear();
  job_.states.reset();
  job_.options.reset();
  EvaluationDone tell = std::exchange(job_.done, nullptr);
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  if (failure_) {
    result_.set_exception(failure_);
  } else {
    result_.set_value(std::move(whole_));
  }
  if (tell) tell(PendingEvaluation(self));
  job_.in_flight.Remove(self);
}

CallsInFlight::~CallsInFlight() {
  std::unique_lock lock(mutex_);
  const std::vector<std::shared_ptr<AsyncBatch>> calls(calls_.begin(),
                                                       calls_.end());
  lock.unlock();
  for (const auto& call : calls) call->Cancel();
  lock.lock();
  none_.wait(lock, [this] { return calls_.empty(); });
}

void CallsInFlight::Add(std::shared_ptr<AsyncBatch> call) {
  const std::lock_guard lock(mutex_);
  calls_.insert(std::move(call));
}

void CallsInFlight::Remove(const std::shared_ptr<AsyncBatch>& call) {
  const std::lock_guard lock(mutex_);
  calls_.erase(call);
  if (calls_.empty()) none_.notify_all();
}

PendingEvaluation::PendingEvaluation(const std::shared_ptr<AsyncBatch>& batch)
    : batch_(batch.get(), [batch](AsyncBatch* handled) { handled->Cancel(); }),
      result_(batch->Result()) {}

void PendingEvaluation::Cancel() const {
  if (batch_) batch_->Cancel();
}

Cancellation::Cancellation(std::weak_ptr<AsyncBatch> batch)
    : batch_(std::move(batch)) {}

void Cancellation::Cancel() const {
  if (const auto batch = batch_.lock()) batch->Cancel();
}

}  // namespace torqued::client
