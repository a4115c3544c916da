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
/// the connection.
class StreamCall {
 public:
  static constexpr Clock::time_point kForever = Clock::time_point::max();

  /// Sends the start. `deadline`: of the whole stream.
  StreamCall(const std::shared_ptr<grpc::Channel>& channel,
             const std::string& model, std::vector<v1::Quantity> quantities,
             const ComputeOptions& options, Clock::time_point deadline,
             int window);
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
  void Cancel() { context_.TryCancel(); }

 private:
  using Lock = std::unique_lock<std::mutex>;
  enum class Event : std::uintptr_t { kWritten = 1, kRead, kFinished, kWake };

  /// Handles events, or lets another thread do so, until the condition holds;
  /// false where it does not by `until`.
  bool HandleUntil(Lock& lock, Clock::time_point until,
                   const std::function<bool()>& condition);
  void Handle(Event event, bool ok);
  /// The thread that handles events has a condition that changed without one.
  void Wake();
  void OnRead();
  void OnFinished();
  bool HasRoom() const {
    return !writing_ && static_cast<int>(asked_.size()) < window_;
  }
  bool HasAnswer() const { return !replies_.empty() || finished_; }
  Evaluation Joined(const v1::EvaluateReply& reply, std::int64_t asked);

  const std::unique_ptr<v1::Dynamics::Stub> stub_;
  const std::vector<v1::Quantity> quantities_;
  const bool with_sigma_min_;
  const int window_;
  grpc::CompletionQueue events_;
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientAsyncReaderWriter<v1::EvaluateRequest, v1::EvaluateReply>>
      stream_;

  // Of whoever writes.
  v1::EvaluateRequest request_;
  ComputeOptions wrench_;  // only the tip wrench counts

  // Of whoever reads.
  std::uint64_t next_row_ = 0;
  v1::Echo echo_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable handled_;
  bool handling_ = false;  // a thread waits for an event
  bool writing_ = false;
  bool writes_ended_ = false;
  bool writer_waits_ = false;
  bool unasked_ = false;  // a reply that is too many
  bool finished_ = false;
  std::deque<std::int64_t> asked_;  // rows of chunks written and not read
  std::deque<v1::EvaluateReply> replies_;  // to the first of these
  v1::EvaluateReply incoming_;
  v1::EvaluateReply spare_;  // its memory is used again
  grpc::Status status_;
  std::optional<Error> failure_;  // of a stream that is finished
  std::unique_ptr<grpc::Alarm> wake_;
};

}  // namespace torqued::client
