// A call of Evaluate, driven by the threads that use it.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/cpp/error.h"
#include "client/cpp/evaluation.h"
#include "client/cpp/retry.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::client {

/// What EvaluationStream promises. A thread that waits handles the events of
/// the call itself, one thread at a time: no other one stands between it and
/// the connection. A call that is lost is followed by another one for the same
/// revision, to which the chunks that were not answered are sent again.
class StreamCall {
 public:
  static constexpr Clock::time_point kForever = RetrySchedule::kForever;

  /// Sends the start. `deadline`: of the whole stream. No schedule: the first
  /// failure is final.
  StreamCall(const std::shared_ptr<grpc::Channel>& channel,
             const std::string& model, std::vector<v1::Quantity> quantities,
             const ComputeOptions& options, Clock::time_point deadline,
             int window, std::optional<RetrySchedule> schedule);
  ~StreamCall();
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  /// `tip_wrench`: null for that of the options. False where that would take
  /// longer than `until`.
  bool Write(const States& states, const Batch* tip_wrench,
             Clock::time_point until);
  std::optional<Evaluation> Read();
  bool Readable(std::chrono::nanoseconds timeout);
  int unread() const;
  void EndWriting();
  void Finish();
  void Cancel();

 private:
  using Lock = std::unique_lock<std::mutex>;
  enum class Event : std::uintptr_t {
    kWritten = 1,
    kRead,
    kFinished,
    kReopen,
    kWake
  };
  /// Written, and not read.
  struct Chunk {
    std::int64_t rows = 0;
    v1::EvaluateRequest request;  // until it is answered
  };

  /// Handles events, or lets another thread do so, until the condition holds;
  /// false where it does not by `until`.
  bool HandleUntil(Lock& lock, Clock::time_point until,
                   const std::function<bool()>& condition);
  void Handle(Event event, bool ok, Lock& lock);
  /// The thread that handles events has a condition that changed without one.
  void Wake();

  /// Begins a call with the chunks that are not answered.
  void Open();
  /// Sends what is next, if anything is.
  void SendNext();
  void OnRead();
  /// The call has ended, and nothing of it is under way.
  void OnFinished(Lock& lock);
  /// Whether there will be another call.
  bool OpensAgain(const Error& error, Lock& lock);
  void FailWith(const Error& error);
  /// Reopens after that time, unless there is more to wait for then.
  void OpenAfter(std::chrono::nanoseconds delay);

  bool MaySend() const { return open_ && !writing_ && sent_ == chunks_.size(); }
  bool HasRoom() const {
    return MaySend() && static_cast<int>(chunks_.size()) < window_;
  }
  bool HasAnswer() const { return !replies_.empty() || finished_; }
  Evaluation Joined(const v1::EvaluateReply& reply, std::int64_t asked);

  const std::unique_ptr<v1::Dynamics::Stub> stub_;
  const std::vector<v1::Quantity> quantities_;
  const bool with_sigma_min_;
  const Clock::time_point deadline_;
  const int window_;
  grpc::CompletionQueue events_;

  // Of whoever writes.
  ComputeOptions wrench_;  // only the tip wrench counts

  // Of whoever reads.
  std::uint64_t next_row_ = 0;
  v1::Echo echo_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable handled_;
  bool handling_ = false;  // a thread waits for an event
  bool writes_ended_ = false;
  bool writer_waits_ = false;
  bool cancelled_ = false;
  bool unasked_ = false;  // a reply that is too many
  bool finished_ = false;
  std::deque<Chunk> chunks_;
  std::deque<v1::EvaluateReply> replies_;  // to the first of these
  v1::EvaluateReply incoming_;
  // Their memory is used again.
  v1::EvaluateReply spare_;
  std::vector<v1::EvaluateRequest> spare_requests_;
  std::optional<Error> failure_;  // of a stream that is finished
  std::unique_ptr<grpc::Alarm> wake_;

  // The call under way, and from which row and chunk on it computes.
  v1::EvaluateStart start_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<
      grpc::ClientAsyncReaderWriter<v1::EvaluateRequest, v1::EvaluateReply>>
      stream_;
  grpc::Status status_;
  bool open_ = false;
  bool ended_ = false;  // its status is known
  bool writing_ = false;
  bool said_end_ = false;  // of writing
  std::size_t sent_ = 0;   // of chunks_, what was answered before it included
  std::int64_t rows_before_ = 0;
  std::int64_t chunks_before_ = 0;

  // Of all calls.
  std::int64_t rows_answered_ = 0;
  std::int64_t chunks_answered_ = 0;

  // Between two calls.
  std::optional<RetrySchedule> schedule_;
  std::unique_ptr<grpc::Alarm> reopening_;
};

}  // namespace torqued::client
