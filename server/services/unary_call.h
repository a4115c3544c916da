// What every call of ours has: an id, a place in the gate, one end, a log line.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "core/batch/chunk_scheduler.h"
#include "server/errors/error.h"
#include "server/observability/logging.h"
#include "server/services/call_gate.h"

namespace torqued::server {

/// Owns itself: goes once gRPC is through with the call. A derived call ends
/// itself by exactly one of Succeed, Fail and Abandon, on any thread, and
/// touches nothing of its own afterwards.
class UnaryCall : public grpc::ServerUnaryReactor {
 public:
  /// `method` must live for ever.
  UnaryCall(grpc::CallbackServerContext* context, CallGate& gate,
            std::string_view method);

  /// Runs the call, or refuses it when the server is draining.
  static UnaryCall* Start(UnaryCall* call);

 protected:
  ~UnaryCall() override = default;

  /// May throw before the call has ended: Start guards it.
  virtual void Run() = 0;
  /// Fails the call when `work` throws, which it may before the call has ended:
  /// for threads that have nobody who could catch.
  template <class Work>
  void Guarded(const Work& work) {
    try {
      work();
    } catch (...) {
      FailAsFault();
    }
  }
  /// A fault of the server.
  void FailAsFault();

  /// `change`: what an operator wants to know of it, if anything.
  void Succeed(std::string_view change = {});
  void Fail(Error error);
  /// Nobody waits for the answer: cancelled, or past its deadline.
  void Abandon();

  /// For the log and for the metadata of errors.
  void set_model(std::string_view model);

  /// The client went away, its deadline passed or the server cancels all calls.
  bool cancelled() const { return cancelled_.load(); }
  /// Cancelled with the call; an evaluation may cancel it too.
  const std::shared_ptr<CancellationToken>& cancellation() const {
    return cancellation_;
  }
  std::chrono::nanoseconds age() const;

 private:
  void OnCancel() final;
  void OnDone() final;
  /// Not a documented part of gRPC: both reactions above are short and never
  /// block, so they may run on the thread that notices, instead of waking
  /// another one at the end of every call.
  bool InternalInlineable() final { return true; }
  void LogEnd(LogLevel level, std::string_view message,
              std::string_view outcome, std::string_view detail);

  grpc::CallbackServerContext* context_;
  CallGate& gate_;
  std::string_view method_;
  std::string request_id_;
  std::string model_;
  std::chrono::steady_clock::time_point arrival_;
  std::shared_ptr<CancellationToken> cancellation_;
  std::atomic<bool> cancelled_{false};
  bool entered_;
};

}  // namespace torqued::server
