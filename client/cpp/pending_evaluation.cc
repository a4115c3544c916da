#include "client/cpp/pending_evaluation.h"

#include <utility>

#include "client/cpp/async_batch.h"
#include "client/cpp/error.h"

namespace torqued::client {

PendingEvaluation::PendingEvaluation(std::shared_ptr<AsyncBatch> batch)
    : batch_(std::move(batch)) {}

PendingEvaluation& PendingEvaluation::operator=(
    PendingEvaluation&& other) noexcept {
  PendingEvaluation before(std::move(*this));
  batch_ = std::move(other.batch_);
  return *this;
}

PendingEvaluation::~PendingEvaluation() {
  if (batch_) batch_->Cancel();
}

bool PendingEvaluation::Done() const {
  return WaitFor(std::chrono::nanoseconds::zero());
}

void PendingEvaluation::Wait() const { Batch().Wait(); }

bool PendingEvaluation::WaitFor(std::chrono::nanoseconds timeout) const {
  return Batch().WaitFor(timeout);
}

Evaluation PendingEvaluation::Get() {
  Batch().Wait();
  return std::exchange(batch_, nullptr)->TakeResult();
}

void PendingEvaluation::Cancel() const { Batch().Cancel(); }

AsyncBatch& PendingEvaluation::Batch() const {
  if (batch_) return *batch_;
  throw Error(grpc::StatusCode::FAILED_PRECONDITION,
              "this handle is that of no call, or its result has been taken");
}

Cancellation::Cancellation(std::weak_ptr<AsyncBatch> batch)
    : batch_(std::move(batch)) {}

void Cancellation::Cancel() const {
  if (const auto batch = batch_.lock()) batch->Cancel();
}

}  // namespace torqued::client
