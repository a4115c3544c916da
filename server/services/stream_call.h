// A call of messages in both directions, one read and one write at a time.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "server/services/call_record.h"
#include "server/services/service_context.h"

namespace torqued::server {

/// What every stream of ours has: its entry, the message that names the model,
/// the order in which gRPC may be called, and one end.
///
/// The messages travel as bytes, parsed and serialized by us: generated code
/// would not tell bytes that are no request from the end of the stream.
///
/// Lives until gRPC is through with the call.
class StreamCall
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public CallGate::Listener,
      public std::enable_shared_from_this<StreamCall> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// Admits the call and begins to read, or ends it. Once.
  static Reactor* Start(const std::shared_ptr<StreamCall>& call);

  ~StreamCall() override = default;

 protected:
  using Lock = std::unique_lock<std::mutex>;

  /// What is to be started now. Messages stay until they are read or written.
  struct Steps {
    grpc::ByteBuffer* read = nullptr;
    const grpc::ByteBuffer* write = nullptr;
    bool work = false;  // Work is to be called

    bool any() const { return read != nullptr || write != nullptr || work; }
  };

  /// `method` must live for ever.
  StreamCall(grpc::CallbackServerContext* call, ServiceContext& context,
             std::string_view method)
      : context_(context),
        record_(call, context.gate, method, context.rights, context.read_only),
        call_(call) {}

  // Of the kind of stream. Those that are called under the lock must not wait.

  /// A message has been read; Handled is to be called when it is.
  virtual void OnMessage() = 0;
  /// What the message that names a model was admitted with; null: none does.
  virtual const Admission::Reservation& start_reservation() const = 0;
  /// The message named this model. Errors end the call.
  virtual std::optional<Error> OnModel(const ModelEntry& entry) = 0;
  /// A reply has been written, or could not be. Under the lock. Whether the
  /// message that is being handled waited for that: Resume is called then.
  virtual bool OnWritten(bool /*ok*/) { return false; }
  /// Without the lock.
  virtual void Resume() {}
  /// Decides whether the call comes to its end. Under the lock.
  virtual void Conclude() = 0;
  /// The end is decided: what is under way may be cut short. Under the lock.
  virtual void OnEnding() {}
  /// Whether something of the call runs elsewhere, which will call Advance when
  /// it is through. Under the lock.
  virtual bool IsAtWork() const = 0;
  /// Under the lock. May call EndWith instead.
  virtual Steps NextSteps() = 0;
  /// Without the lock. An error ends the call.
  virtual std::optional<Error> Work() { return std::nullopt; }
  /// Before the end is logged: the volume and metadata of the error.
  virtual void DescribeEnd(Error* /*error*/) {}
  /// Who hears of the end finds room and place free again.
  virtual void GiveBack() {}

  /// Hands the model to OnModel, here or on a thread for what is not cut, and
  /// then calls Handled.
  void FindModel(std::string reference);

  /// A message is handled; the next one may be read.
  void Handled(std::optional<Error> error);

  /// Starts whatever can be started now, or ends the call, after which nothing
  /// of this may be touched. Everything that changes the state calls it.
  void Advance(Lock lock);

  // Under the lock; of several ends the first counts.
  void Succeed();
  void Abandon();
  void EndWith(Error error);
  bool ending() const { return ending_.has_value(); }

  ServiceContext& context_;
  CallRecord record_;

  std::mutex mutex_;  // guards what follows
  bool reading_ = false;
  bool writing_ = false;
  bool handling_ = false;  // a message that has been read
  bool input_ended_ = false;
  bool draining_ = false;

 private:
  enum class Ending : std::uint8_t { kSucceed, kFail, kAbandon };

  void OnReadDone(bool ok) final;
  void OnWriteDone(bool ok) final;
  void OnCancel() final;
  void OnDone() final;
  void OnClose() final;

  std::optional<Error> Enter();
  void LookUp();
  grpc::Status EndStatus();
  /// CheckWrite is called once after this time, unless the call is over.
  void CheckWriteAfter(std::chrono::nanoseconds time);
  /// Cancels the call if its client has not taken a message for too long.
  void CheckWrite();

  grpc::CallbackServerContext* call_;
  std::shared_ptr<StreamCall> self_;  // until gRPC is through
  Admission::Reservation open_;       // until its end is told
  std::string reference_;

  int starting_ = 0;  // threads that are about to call gRPC
  std::optional<Ending> ending_;
  Error error_;  // of Ending::kFail
  bool finished_ = false;
  bool done_ = false;                                  // gRPC is through
  std::chrono::steady_clock::time_point write_begun_;  // or the end
  std::optional<grpc::Alarm> write_check_;
};

/// An error of a message that should be another one.
Error WrongMessage(std::string field, std::string message);

}  // namespace torqued::server
