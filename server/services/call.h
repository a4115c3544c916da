// Every call of this service has, whatever its shape, an id, a client, a place
// in the gate, memory, one end, a log line. And its two shapes: one request, or
// messages in both directions, of which one is read and one written at a time.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/engine/pool.h"
#include "server/config/rights.h"
#include "server/errors/error.h"
#include "server/observability/logging.h"
#include "server/observability/metrics.h"
#include "server/services/admission.h"
#include "server/services/service_context.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {

/// A fault of the server, without words: memory may have run out.
inline Error FaultOfTheServer() noexcept { return {}; }

/// The result of `work`, or the fault that ended it.
template <class Work>
auto OrFault(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return FaultOfTheServer();
  }
}

inline Error Draining() {
  return MakeError(v1::DRAINING,
                   "The server is shutting down; try another server.");
}

/// Memory of a call of one request in addition to its messages and gRPC's own
/// part: its record, its first block of memory, its places in lists.
inline constexpr std::int64_t kBytesOfCall = 4096;

/// Uses the bytes up.
template <class Message>
std::optional<Error> Parse(grpc::ByteBuffer* bytes, Message* message) {
  if (!ParseMessage(bytes, message)) {
    return MakeError(v1::INVALID_FIELD,
                     "The bytes are no " + Message::descriptor()->name() + ".");
  }
  bytes->Clear();
  return std::nullopt;
}

/// Parses a message once it is admitted, with `beside` more bytes. Parsed, the
/// tables of numbers of a usual one take once or twice what they take as bytes.
template <class Message>
std::optional<Error> Receive(grpc::ByteBuffer* bytes, Message* message,
                             Reservation* room, std::int64_t beside = 0) {
  const auto length = static_cast<std::int64_t>(bytes->Length());
  if (auto error = room->Grow(3 * length + beside)) return error;
  return Parse(bytes, message);
}

/// Counts of a stream, for the log.
struct Volume {
  std::int64_t chunks = 0, rows = 0;
};

/// In the gate from its beginning to its end, if that was open.
class CallRecord {
 public:
  /// `method` must outlive the process.
  CallRecord(grpc::CallbackServerContext* call, ServiceContext& context,
             std::string_view method);
  ~CallRecord();
  CallRecord(const CallRecord&) = delete;
  CallRecord& operator=(const CallRecord&) = delete;

 protected:
  /// Why the call is refused, if it is: by a drain, or for want of a right.
  std::optional<Error> Refusal() const;
  /// For the log and for errors. Why the call is refused, if it is.
  std::optional<Error> SetModel(std::string_view model);
  /// Null: everybody may do everything, or there is no such client.
  const Grant* grant() const { return grant_; }

  /// SetModel, and `then` with the model or an error: here if it is in memory,
  /// else on ServiceContext::background. Until then `reference` lives. `then`
  /// must not throw.
  template <class Then>
  void FindModel(const std::string& reference, const Then& then) {
    try {
      if (auto refusal = SetModel(reference)) return then(*std::move(refusal));
      auto known = context_.registry.ResolveLoaded(reference);
      CountModel(known.has_value());
      if (known) return then(*std::move(known));
      context_.loads.Run(reference, host(), [this, &reference, then] {
        then(OrFault([&]() -> OrError<ModelEntry> {
          if (cancelled()) return Error();  // which nobody hears of
          return ResolveModel(context_.registry, reference, &room_);
        }));
      });
    } catch (...) {
      then(FaultOfTheServer());
    }
  }

  /// The status that ends the call, once that is logged and counted.
  /// `change`: what an operator wants to know of it, if anything.
  grpc::Status End(std::optional<Error> error, std::string_view change = {});

  void Cancel() {
    cancelled_.store(true);
    cancellation_->Cancel();
  }
  /// The client went away, its deadline passed or the server cancels all calls.
  bool cancelled() const { return cancelled_.load(); }
  std::chrono::nanoseconds age() const {
    return std::chrono::steady_clock::now() - arrival_;
  }
  /// Its connections take one turn on ServiceContext::background.
  PeerId host() const {
    return std::hash<std::string>()(
        peer_text_.substr(0, peer_text_.rfind(':')));
  }

  ServiceContext& context_;
  grpc::CallbackServerContext* const call_;
  const std::string peer_text_;  // which gRPC forgets when a call is cancelled
  const std::string_view method_;

 private:
  void LogEnd(LogLevel level, std::string_view message,
              std::string_view outcome, std::string_view detail);

  const std::shared_ptr<const Rights> rights_;  // null: all may do everything
  const Grant* const grant_;                    // of the client; null: none
  const std::string request_id_;
  const TraceContext trace_;
  std::string model_;
  const std::chrono::steady_clock::time_point arrival_;
  std::atomic<bool> cancelled_{false};
  bool entered_ = false;

 protected:
  const PeerId peer_;
  /// Cancelled with the call; an evaluation may cancel it too.
  const std::shared_ptr<CancellationToken> cancellation_;
  Reservation room_;  // what the call holds
  std::optional<Volume> volume_;
};

/// A call of one request and one reply, which goes once gRPC is through with
/// it. It ends itself by Succeed or an error, once and on any thread, and
/// touches nothing of its own afterwards.
class UnaryCall : public grpc::ServerUnaryReactor, protected CallRecord {
 public:
  static UnaryCall* Start(UnaryCall* call) {
    // Without an end the call would never release its place in the gate.
    call->Guarded([call] {
      auto refusal = call->Refusal();
      return refusal ? refusal : call->Run();
    });
    return call;
  }

  UnaryCall(grpc::CallbackServerContext* call, ServiceContext& context,
            std::string_view method, const grpc::ByteBuffer* request,
            grpc::ByteBuffer* reply)
      : CallRecord(call, context, method),
        request_bytes_(const_cast<grpc::ByteBuffer*>(request)),
        reply_bytes_(reply) {}

 protected:
  /// Start guards it.
  virtual std::optional<Error> Run() = 0;
  /// Ends the call if `work`, which has not succeeded, fails or throws.
  template <class Work>
  void Guarded(const Work& work) {
    if (auto error = OrFault(work)) Finish(End(std::move(error)));
  }

  void Succeed(std::string_view change = {}) { Finish(End({}, change)); }

  /// gRPC's, not const, until the call ends: a request is freed once parsed.
  grpc::ByteBuffer* const request_bytes_;
  grpc::ByteBuffer* const reply_bytes_;

 private:
  void OnCancel() final { Cancel(); }
  void OnDone() final { delete this; }
  /// Not a documented part of gRPC: both reactions never block, so they may run
  /// on the thread that notices, instead of waking another one.
  bool InternalInlineable() final { return true; }
};

/// Every stream of this service has its entry, the message that names the
/// model, the order in which gRPC may be called, one end. Lives until gRPC is
/// done.
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

  /// The operation to start now. Messages stay until they are read or written.
  struct Steps {
    grpc::ByteBuffer* read = nullptr;
    const grpc::ByteBuffer* write = nullptr;
    bool work = false;  // Work is to be called
  };

  using CallRecord::CallRecord;

  // Functions of the kind of stream. Those that are called under the lock must
  // not wait.

  /// A message has been read; Handled is to be called when it is.
  virtual void OnMessage() = 0;
  /// The message named this model. Errors end the call.
  virtual std::optional<Error> OnModel(const ModelEntry& entry) = 0;
  /// A reply has been written. Under the lock.
  virtual void OnWritten() {}
  /// Under the lock. May call Succeed or EndWith instead.
  virtual Steps NextSteps() = 0;
  /// Without the lock.
  virtual void Work() {}
  /// The end is decided: running work may be cancelled. Under the lock.
  virtual void OnEnding() {}
  /// Adds metadata to the error, if there is one, and frees what is admitted.
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
  bool started_ = false;  // the start is handled, without an error
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

std::shared_ptr<StreamCall> NewEvaluateStream(grpc::CallbackServerContext* call,
                                              ServiceContext& context);
std::shared_ptr<StreamCall> NewCheckStream(grpc::CallbackServerContext* call,
                                           ServiceContext& context);

}  // namespace torqued::server
