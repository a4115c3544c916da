// What every call of ours has, whatever its shape: an id, a place in the gate,
// one end, a log line.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/batch/chunk_scheduler.h"
#include "server/config/rights.h"
#include "server/errors/error.h"
#include "server/observability/logging.h"
#include "server/services/call_gate.h"
#include "server/services/peer.h"

namespace torqued::server {

/// A fault of the server. Does not throw: memory may have run out.
Error FaultOfTheServer() noexcept;

/// The server is draining.
Error Draining();

/// Enters the gate and leaves it when it goes.
class CallRecord {
 public:
  /// What a stream has done.
  struct Volume {
    std::int64_t chunks = 0;
    std::int64_t rows = 0;
  };

  /// `method` must live for ever. `rights`: null if everybody may do
  /// everything.
  CallRecord(grpc::CallbackServerContext* call, CallGate& gate,
             std::string_view method, const RightsFile* rights = nullptr,
             bool read_only = false);
  ~CallRecord();
  CallRecord(const CallRecord&) = delete;
  CallRecord& operator=(const CallRecord&) = delete;

  /// Why the call is to be refused, if it is: the server is draining, or the
  /// client lacks a right.
  std::optional<Error> Refusal() const;
  /// The same of the model that it is about, once that is known.
  std::optional<Error> RefusalOf(std::string_view model) const;
  /// Whether the client may know a model of this name.
  bool MayList(std::string_view name) const {
    return grant_ == nullptr || grant_->Covers(name);
  }

  // The status that ends the call, once it is logged.

  /// `change`: what an operator wants to know of it, if anything.
  grpc::Status Succeed(std::string_view change = {});
  grpc::Status Fail(Error error);
  /// Nobody waits for the answer: cancelled, or past its deadline.
  grpc::Status Abandon();

  /// For the log and for the metadata of errors.
  void set_model(std::string_view model);
  /// For the log.
  void set_volume(const Volume& volume) { volume_ = volume; }

  /// The call is about to be cancelled, since its client takes no message.
  void LogNotTaken(std::chrono::duration<double> waited) const;

  void Cancel();
  /// The client went away, its deadline passed or the server cancels all calls.
  bool cancelled() const { return cancelled_.load(); }
  /// Cancelled with the call; an evaluation may cancel it too.
  const std::shared_ptr<CancellationToken>& cancellation() const {
    return cancellation_;
  }
  std::chrono::nanoseconds age() const;
  PeerId peer() const { return peer_; }
  /// Of its connections one turn is taken on ServiceContext::background.
  PeerId host() const { return HostIdOf(peer_text_); }

 private:
  void LogEnd(LogLevel level, std::string_view message,
              std::string_view outcome, std::string_view detail);

  grpc::CallbackServerContext* context_;
  CallGate& gate_;
  const bool read_only_;
  std::shared_ptr<const Rights> rights_;  // null: everybody may do everything
  bool has_token_ = false;                // set with grant_
  const Grant* grant_ = nullptr;          // of the client; null: none
  const std::string peer_text_;  // which gRPC forgets when a call is cancelled
  const PeerId peer_;
  std::string_view method_;
  std::string request_id_;
  const TraceContext trace_;  // for the log
  std::string model_;
  std::optional<Volume> volume_;
  std::chrono::steady_clock::time_point arrival_;
  std::shared_ptr<CancellationToken> cancellation_;
  std::atomic<bool> cancelled_{false};
  bool entered_ = false;
};

}  // namespace torqued::server
