#include "client/cpp/async_batch.h"

#include <utility>

#include "client/cpp/error.h"
#include "client/cpp/request.h"
#include "client/cpp/rows.h"

namespace torqued::client {
namespace {

Error Cancelled() {
  return {grpc::StatusCode::CANCELLED, "the call was cancelled"};
}

}  // namespace

AsyncBatch::AsyncBatch(const AsyncConnection& connection, std::string model,
                       std::vector<v1::Quantity> quantities, States states,
                       ComputeOptions options, Clock::time_point deadline,
                       std::optional<RetrySchedule> schedule,
                       EvaluationDone done)
    : connection_(connection),
      model_(std::move(model)),
      quantities_(std::move(quantities)),
      states_(std::move(states)),
      options_(std::move(options)),
      deadline_(deadline),
      schedule_(std::move(schedule)),
      call_schedule_(schedule_),
      tell_(std::move(done)) {}

void AsyncBatch::Start() {
  connection_.in_flight.Add(shared_from_this());
  Run([this] { Plan(); });
}

void AsyncBatch::Plan() {
  plan_ = PlanBatch(connection_.limits, quantities_, states_, options_);
  if (!plan_.fits_one_call) {
    GoInChunks(plan_.chunk_rows);
    return;
  }
  request_ = OneCallRequest(model_, quantities_, states_, options_, plan_.rows);
  CallOnce();
}

void AsyncBatch::CallOnce() {
  const std::shared_ptr<grpc::ClientContext> context = NewContext();
  reply_.Clear();
  connection_.dynamics.async()->Compute(
      context.get(), &request_, &reply_,
      [self = shared_from_this()](const grpc::Status& status) {
        self->Run([&] { self->AfterCall(status); });
      });
}

void AsyncBatch::AfterCall(const grpc::Status& status) {
  if (status.ok()) {
    if (call_schedule_) call_schedule_->Answered();
    Finish(OneCallResult(reply_, quantities_, options_, plan_.rows), nullptr);
    return;
  }
  ThrowWhereCancelled();
  const Error error = DecodeError(status);
  if (const auto fewer = FewerRows(error, plan_.rows)) {
    GoInChunks(*fewer);
    return;
  }
  const auto delay =
      call_schedule_ ? call_schedule_->Announce(error) : std::nullopt;
  if (!delay) throw error;
  RunAfter(*delay, &AsyncBatch::CallOnce);
}

void AsyncBatch::GoInChunks(std::int64_t chunk_rows) {
  chunks_.emplace(MakeStart(model_, quantities_, options_), quantities_,
                  states_, options_, chunk_rows, schedule_);
  OpenStream();
}

void AsyncBatch::OpenStream() {
  const std::shared_ptr<grpc::ClientContext> context = NewContext();
  stream_ = std::make_unique<BatchReactor>(
      *chunks_, [self = shared_from_this()](const grpc::Status& status,
                                            const std::exception_ptr& failure) {
        self->Run([&] { self->AfterStream(status, failure); });
      });
  stream_->Begin(connection_.dynamics, context);
}

void AsyncBatch::AfterStream(const grpc::Status& status,
                             const std::exception_ptr& failure) {
  stream_.reset();
  if (failure) std::rethrow_exception(failure);
  if (!status.ok()) ThrowWhereCancelled();
  const auto delay = chunks_->AfterEnd(status);
  if (!delay) {
    Finish(chunks_->TakeResult(), nullptr);
  } else if (*delay == std::chrono::nanoseconds::zero()) {
    OpenStream();
  } else {
    RunAfter(*delay, &AsyncBatch::OpenStream);
  }
}

template <class Function>
void AsyncBatch::Run(const Function& step) {
  try {
    step();
  } catch (...) {
    Finish({}, std::current_exception());
  }
}

void AsyncBatch::RunAfter(std::chrono::nanoseconds delay, Step step) {
  const auto alarm = std::make_shared<grpc::Alarm>();
  const std::lock_guard lock(mutex_);
  if (cancelled_) throw Cancelled();
  alarm_ = alarm;
  context_.reset();
  // Calls back from another thread, so that this one may hold the lock: Cancel
  // finds the alarm set.
  alarm->Set(Clock::now() + std::chrono::duration_cast<Clock::duration>(delay),
             [self = shared_from_this(), step](bool) {
               self->Run([&] { self->RunOrWait(step); });
             });
}

void AsyncBatch::RunOrWait(Step step) {
  ThrowWhereCancelled();
  const auto delay = chunks_ ? chunks_->StillToWait()
                             : call_schedule_->StillToWait(Clock::now());
  if (delay) {
    RunAfter(*delay, step);
  } else {
    (this->*step)();
  }
}

void AsyncBatch::ThrowWhereCancelled() {
  const std::lock_guard lock(mutex_);
  if (cancelled_) throw Cancelled();
}

std::shared_ptr<grpc::ClientContext> AsyncBatch::NewContext() {
  auto context = std::make_shared<grpc::ClientContext>();
  context->set_deadline(deadline_);
  const std::lock_guard lock(mutex_);
  if (cancelled_) throw Cancelled();
  context_ = context;
  alarm_.reset();
  return context;
}

void AsyncBatch::Cancel() {
  std::shared_ptr<grpc::ClientContext> context;
  std::shared_ptr<grpc::Alarm> alarm;
  {
    const std::lock_guard lock(mutex_);
    if (done_) return;
    cancelled_ = true;
    context = context_;
    alarm = alarm_;
  }
  // Either may lead to the next step in this thread.
  if (context) context->TryCancel();
  if (alarm) alarm->Cancel();
}

void AsyncBatch::Wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return done_; });
}

bool AsyncBatch::WaitFor(std::chrono::nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, timeout, [this] { return done_; });
}

Evaluation AsyncBatch::TakeResult() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return std::move(result_);
}

void AsyncBatch::Finish(Evaluation result,
                        const std::exception_ptr& failure) noexcept {
  const std::shared_ptr<AsyncBatch> self = shared_from_this();
  chunks_.reset();
  states_ = {};
  request_.Clear();
  EvaluationDone tell;
  {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    failure_ = failure;
    done_ = true;
    context_.reset();
    alarm_.reset();
    tell = std::exchange(tell_, nullptr);
  }
  ended_.notify_all();
  if (tell) tell(PendingEvaluation(self));
  connection_.in_flight.Remove(self);
}

}  // namespace torqued::client
