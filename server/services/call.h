// What every call of ours has, whatever its shape: an id, a client, a place in
// the gate, memory, one end, a log line. And calls of one request.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/batch/chunk_scheduler.h"
#include "server/config/rights.h"
#include "server/errors/error.h"
#include "server/observability/logging.h"
#include "server/observability/metrics.h"
#include "server/services/admission.h"
#include "server/services/service_context.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {

/// A fault of the server. Does not throw: memory may have run out.
Error FaultOfTheServer() noexcept;

/// What `work` returns, or the fault that ended it.
template <class Work>
auto OrFault(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return FaultOfTheServer();
  }
}

/// The server is draining.
Error Draining();

/// What a call of one request takes beside its messages and gRPC's own part:
/// its record, its first block of memory, its places in lists.
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

/// In the gate from its beginning to its end, if that was open.
class CallRecord {
 public:
  /// `method` must live for ever.
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
  bool MayList(std::string_view name) const {
    return grant_ == nullptr || grant_->Covers(name);
  }

  /// SetModel, and `then` with the model or an error: here if it is in memory,
  /// else on ServiceContext::background. Until then `reference` lives. `then`
  /// must not throw.
  template <class Then>
  void FindModel(const std::string& reference, const Then& then) {
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
  }

  // The status that ends the call, once that is logged and counted.

  /// `change`: what an operator wants to know of it, if anything.
  grpc::Status Success(std::string_view change = {});
  /// The same as Abandonment if the call is cancelled.
  grpc::Status Failure(Error error);
  /// Nobody hears of it: the call is cancelled, or its deadline passed.
  grpc::Status Abandonment();

  /// What a stream has done, for the log.
  void set_volume(std::int64_t chunks, std::int64_t rows) {
    volume_ = {chunks, rows};
  }
  /// The call is about to be cancelled, since its client takes no message.
  void LogNotTaken() const;

  void Cancel() {
    cancelled_.store(true);
    cancellation_->Cancel();
  }
  /// The client went away, its deadline passed or the server cancels all calls.
  bool cancelled() const { return cancelled_.load(); }
  std::chrono::nanoseconds age() const {
    return std::chrono::steady_clock::now() - arrival_;
  }
  /// Of its connections one turn is taken on ServiceContext::background.
  PeerId host() const {
    return std::hash<std::string>()(
        peer_text_.substr(0, peer_text_.rfind(':')));
  }

  ServiceContext& context_;
  grpc::CallbackServerContext* const call_;

 private:
  void LogEnd(LogLevel level, std::string_view message,
              std::string_view outcome, std::string_view detail);

  const std::shared_ptr<const Rights> rights_;  // null: all may do everything
  const Grant* const grant_;                    // of the client; null: none
  const std::string peer_text_;  // which gRPC forgets when a call is cancelled
  const std::string_view method_;
  const std::string request_id_;
  const TraceContext trace_;
  std::string model_;
  std::optional<std::pair<std::int64_t, std::int64_t>> volume_;
  const std::chrono::steady_clock::time_point arrival_;
  std::atomic<bool> cancelled_{false};
  bool entered_ = false;

 protected:
  const PeerId peer_;
  /// Cancelled with the call; an evaluation may cancel it too.
  const std::shared_ptr<CancellationToken> cancellation_;
  Reservation room_;  // what the call holds
};

/// A call of one request and one reply, which goes once gRPC is through with
/// it. It ends itself by one Succeed or Fail, on any thread, and touches
/// nothing of its own afterwards.
class UnaryCall : public grpc::ServerUnaryReactor, protected CallRecord {
 public:
  static UnaryCall* Start(UnaryCall* call) {
    // Without an end the call would hold its place in the gate for ever.
    call->Guarded([call] {
      auto refusal = call->Refusal();
      return refusal ? call->Fail(*std::move(refusal)) : call->Run();
    });
    return call;
  }

  /// `method` must live for ever.
  UnaryCall(grpc::CallbackServerContext* call, ServiceContext& context,
            std::string_view method, const grpc::ByteBuffer* request,
            grpc::ByteBuffer* reply)
      : CallRecord(call, context, method),
        request_bytes_(const_cast<grpc::ByteBuffer*>(request)),
        reply_bytes_(reply) {}

 protected:
  /// May throw before the call has ended: Start guards it.
  virtual void Run() = 0;
  /// Fails the call when `work` throws, which it may before the call has ended.
  template <class Work>
  void Guarded(const Work& work) {
    try {
      work();
    } catch (...) {
      Fail(FaultOfTheServer());
    }
  }

  void Succeed(std::string_view change = {}) { Finish(Success(change)); }
  void Fail(Error error) { Finish(Failure(std::move(error))); }

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

}  // namespace torqued::server
