// One computation over a batch of any size, by gRPC's threads.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/cpp/batch_plan.h"
#include "client/cpp/batch_reactor.h"
#include "client/cpp/calls_in_flight.h"
#include "client/cpp/chunked_batch.h"
#include "client/cpp/pending_evaluation.h"
#include "client/cpp/retry.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::client {

/// What the batch needs of its connection, which outlives its calls.
struct AsyncConnection {
  v1::Dynamics::Stub& dynamics;
  CallsInFlight& in_flight;
  BatchLimits limits;
};

/// The same steps as ComputeBatch, none of which waits: a call or streams, and
/// alarms between the tries.
class AsyncBatch final : public std::enable_shared_from_this<AsyncBatch> {
 public:
  /// No schedule: the first failure is final. `done` may be empty.
  AsyncBatch(const AsyncConnection& connection, std::string model,
             std::vector<v1::Quantity> quantities, States states,
             ComputeOptions options, Clock::time_point deadline,
             std::optional<RetrySchedule> schedule, EvaluationDone done);

  /// Once.
  void Start();
  /// From any thread, at any time.
  void Cancel();

  void Wait();
  bool WaitFor(std::chrono::nanoseconds timeout);
  /// Of a batch that is done; once. Throws what went wrong.
  Evaluation TakeResult();

 private:
  using Step = void (AsyncBatch::*)();

  // The steps. Each ends with the beginning of another one, or of what leads to
  // one.
  void Plan();
  void CallOnce();
  void AfterCall(const grpc::Status& status);
  void GoInChunks(std::int64_t chunk_rows);
  void OpenStream();
  void AfterStream(const grpc::Status& status,
                   const std::exception_ptr& failure);

  /// Runs a step, or the end where it throws.
  template <class Function>
  void Run(const Function& step);
  void RunAfter(std::chrono::nanoseconds delay, Step step);
  /// A step that waited, unless there is more to wait for.
  void RunOrWait(Step step);
  /// Throws Error (CANCELLED): a failure that the caller asked for is final.
  void ThrowWhereCancelled();
  /// Of the next try. Throws Error where the batch has been cancelled.
  std::shared_ptr<grpc::ClientContext> NewContext();
  void Finish(Evaluation result, const std::exception_ptr& failure) noexcept;

  const AsyncConnection connection_;
  const std::string model_;
  const std::vector<v1::Quantity> quantities_;
  States states_;
  const ComputeOptions options_;
  const Clock::time_point deadline_;
  const std::optional<RetrySchedule> schedule_;

  // Of the step that runs.
  BatchPlan plan_;
  std::optional<RetrySchedule> call_schedule_;
  v1::ComputeRequest request_;
  v1::ComputeReply reply_;
  std::optional<ChunkedBatch> chunks_;
  std::unique_ptr<BatchReactor> stream_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  bool cancelled_ = false;
  std::shared_ptr<grpc::ClientContext> context_;  // of the try under way
  std::shared_ptr<grpc::Alarm> alarm_;            // of the wait under way
  bool done_ = false;
  EvaluationDone tell_;
  Evaluation result_;
  std::exception_ptr failure_;
};

}  // namespace torqued::client
