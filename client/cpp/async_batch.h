// One computation of any number of states, as calls of some of them.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <unordered_set>
#include <vector>

#include "client/cpp/client.h"
#include "client/cpp/retry.h"
#include "client/cpp/wire.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::client {

class CallsInFlight;

/// A computation, and what it needs of its connection, which outlives its
/// calls.
struct BatchJob {
  v1::Dynamics::Stub& dynamics;
  /// The header of each call; empty: none.
  const std::string& authorization;
  BatchLimits limits;
  CallsInFlight& in_flight;
  std::string model;
  std::vector<v1::Quantity> quantities;
  std::shared_ptr<const States> states;
  std::shared_ptr<const ComputeOptions> options;
  Clock::time_point deadline;
  const ConnectOptions& connection;
  /// May be empty.
  EvaluationDone done;
};

/// At most kWindow calls are in flight. Each is repeated by itself, and replies
/// are joined in the order of their rows. All rows are of the revision that
/// answered the first ones: later calls name it, and what was answered for
/// another one is asked again. So is what does not list all rows that are not
/// OK, in calls of so few rows that each has its status.
class AsyncBatch final : public std::enable_shared_from_this<AsyncBatch> {
 public:
  /// Enough to keep both ends of a connection busy.
  static constexpr std::size_t kWindow = 8;

  explicit AsyncBatch(BatchJob job);

  /// Once.
  void Start();
  /// From any thread, at any time.
  void Cancel();

  /// Once.
  std::future<Evaluation> Result() { return result_.get_future(); }

 private:
  /// Some rows: a call, or the wait before the next try.
  struct Part {
    RowRange range;        // of the call
    std::int64_t end = 0;  // of the part
    std::optional<RetrySchedule> schedule;
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<grpc::Alarm> alarm;
    v1::ComputeReply reply;
    bool answered = false;
    std::optional<Error> error;
  };

  /// Handles what happened, or leaves it to the thread that handles events:
  /// it is one at a time.
  void Post(std::function<void()> happening);
  void OnReply(Part& part, const grpc::Status& status);

  void SendMore();
  void Send(Part& part);
  void Repeat(Part& part, std::chrono::nanoseconds delay);
  void JoinInTurn();
  void Fail(std::exception_ptr failure);
  void Finish() noexcept;

  BatchJob job_;  // states, options and function until it is done

  // For the thread that handles events.
  v1::ComputeRequest request_;  // of the call that begins
  std::deque<Part> parts_;      // in flight or not joined yet
  std::int64_t rows_ = 0;
  std::int64_t rows_per_call_ = 1;
  std::int64_t next_row_ = 0;  // the first that is in no part yet
  int under_way_ = 0;
  bool refused_ = false;  // a failure that is final waits for its turn

  Evaluation whole_;
  std::exception_ptr failure_;
  std::promise<Evaluation> result_;

  std::mutex mutex_;  // guards what follows
  std::queue<std::function<void()>> happenings_;
  bool handling_ = false;
  bool done_ = false;
};

/// Keeps the batches of a connection alive until they are done.
class CallsInFlight {
 public:
  CallsInFlight() = default;
  CallsInFlight(const CallsInFlight&) = delete;
  CallsInFlight& operator=(const CallsInFlight&) = delete;
  /// Cancels all, and returns when all are done.
  ~CallsInFlight();

  void Add(std::shared_ptr<AsyncBatch> call);
  /// The last that a call does with its connection.
  void Remove(const std::shared_ptr<AsyncBatch>& call);

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::unordered_set<std::shared_ptr<AsyncBatch>> calls_;
};

}  // namespace torqued::client
