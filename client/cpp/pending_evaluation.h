// Calls that do not hold up the thread that makes them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "client/cpp/evaluation.h"

namespace torqued::client {

class AsyncBatch;

/// An evaluation that is under way. May be moved, not copied; may outlive the
/// client. Wait, WaitFor, Done and Cancel: from any thread, at any time. A
/// handle that goes away while its call is under way cancels the call, since
/// nobody could take the result, and does not wait for that.
class PendingEvaluation {
 public:
  /// Of no call.
  PendingEvaluation() = default;
  explicit PendingEvaluation(std::shared_ptr<AsyncBatch> batch);
  PendingEvaluation(PendingEvaluation&&) noexcept = default;
  PendingEvaluation& operator=(PendingEvaluation&& other) noexcept;
  ~PendingEvaluation();

  /// There is a call, and its result has not been taken.
  bool valid() const { return batch_ != nullptr; }

  // All of these throw Error (FAILED_PRECONDITION) where !valid().
  /// Get will not wait.
  bool Done() const;
  void Wait() const;
  /// Done(), after at most `timeout`.
  bool WaitFor(std::chrono::nanoseconds timeout) const;
  /// Waits, and takes the result, once. Throws what Client::Compute would;
  /// CANCELLED after Cancel or where the client went away.
  Evaluation Get();
  /// Get will throw CANCELLED soon, unless the call was done before. The server
  /// stops computing.
  void Cancel() const;

 private:
  AsyncBatch& Batch() const;

  std::shared_ptr<AsyncBatch> batch_;
};

/// Cancels a call whose result goes to a function. Copies are the same; from
/// any thread, also when the call is done or the client is gone. Going away
/// does nothing to the call.
class Cancellation {
 public:
  /// Of no call.
  Cancellation() = default;
  explicit Cancellation(std::weak_ptr<AsyncBatch> batch);

  void Cancel() const;

 private:
  std::weak_ptr<AsyncBatch> batch_;
};

/// Called with a call that is done: its Get does not wait. It runs on one of
/// gRPC's few threads, which other calls need as well, so it should not block;
/// it may begin other calls. It must not throw and must not destroy the client.
/// What is refused without asking the server, inputs that do not go together,
/// comes to it before ComputeAsync has returned.
using EvaluationDone = std::function<void(PendingEvaluation done)>;

}  // namespace torqued::client
