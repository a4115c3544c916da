// A call of messages in both directions, one read and one write at a time.
#pragma once

#include <grpcpp/alarm.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "server/services/call.h"

namespace torqued::server {

/// What every stream of ours has: its entry, the message that names the model,
/// the order in which gRPC may be called, one end. Lives until gRPC is through
/// with the call.
class StreamCall
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public CallGate::Listener,
      protected CallRecord,
      public std::enable_shared_from_this<StreamCall> {
 public:
  /// Admits the call and begins to read, or ends it. Once.
  static StreamCall* Start(const std::shared_ptr<StreamCall>& call);

 protected:
  using Lock = std::unique_lock<std::mutex>;

  /// What is to be started now. Messages stay until they are read or written.
  struct Steps {
    grpc::ByteBuffer* read = nullptr;
    const grpc::ByteBuffer* write = nullptr;
    bool work = false;  // Work is to be called
  };

  using CallRecord::CallRecord;

  // Of the kind of stream. Those that are called under the lock must not wait.

  /// A message has been read; Handled is to be called when it is.
  virtual void OnMessage() = 0;
  /// The message named this model. Errors end the call.
  virtual std::optional<Error> OnModel(const ModelEntry& entry) = 0;
  /// A reply has been written, or could not be. Under the lock.
  virtual void OnWritten(bool /*ok*/) {}
  /// Under the lock. May call Succeed or EndWith instead.
  virtual Steps NextSteps() = 0;
  /// Without the lock.
  virtual void Work() {}
  /// The end is decided: what is under way may be cut short. Under the lock.
  virtual void OnEnding() {}
  /// Sets the volume for the log, adds metadata to the error, if there is one,
  /// and frees what is admitted.
  virtual void OnEnd(Error* error) = 0;

  /// The first message is to be a start, each other one a part of this name.
  static std::optional<Error> ProblemOfKind(bool first, bool has_start,
                                            bool has_part,
                                            const std::string& part);

  /// Hands the model to OnModel, here or on a thread for what is not cut, and
  /// then calls Handled. `reference` lives until OnModel.
  void FindModel(const std::string& reference);

  /// A message is handled; the next one may be read.
  void Handled(std::optional<Error> error);

  /// Starts whatever can be started now, or ends the call, after which nothing
  /// of this may be touched. Everything that changes the state calls it.
  void Advance(Lock lock);

  // Under the lock; of several ends the first counts.
  void Succeed() { ending_ = true; }
  void EndWith(Error error) {
    if (!std::exchange(ending_, true)) error_ = std::move(error);
  }
  bool ending() const { return ending_; }

  std::mutex mutex_;  // guards what follows
  bool reading_ = false;
  bool writing_ = false;
  bool handling_ = false;  // a message that has been read
  bool input_ended_ = false;
  bool draining_ = false;
  int working_ = 0;  // other threads, which will call Advance

 private:
  void OnReadDone(bool ok) final;
  void OnWriteDone(bool ok) final;
  void OnCancel() final {
    Cancel();
    Advance(Lock(mutex_));
  }
  void OnDone() final;
  void OnClose() final {
    Lock lock(mutex_);
    draining_ = true;
    Advance(std::move(lock));
  }

  /// Cancels the call if its client has not taken a message for too long, or
  /// comes again when that may be.
  void CheckWrite();

  std::shared_ptr<StreamCall> self_;  // until gRPC is through

  int starting_ = 0;  // threads that are about to call gRPC
  bool ending_ = false;
  std::optional<Error> error_;  // to end with
  bool finished_ = false;
  bool succeeded_ = false;                             // to be logged
  bool done_ = false;                                  // gRPC is through
  std::chrono::steady_clock::time_point write_begun_;  // or the end
  std::optional<grpc::Alarm> write_check_;
};

}  // namespace torqued::server
