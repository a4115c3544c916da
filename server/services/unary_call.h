// A call of one request and one reply.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "server/services/call_record.h"
#include "server/services/service_context.h"

namespace torqued::server {

/// Owns itself: goes once gRPC is through with the call. A derived call ends
/// itself by exactly one of Succeed, Fail and Abandon, on any thread, and
/// touches nothing of its own afterwards.
class UnaryCall : public grpc::ServerUnaryReactor {
 public:
  /// `method` must live for ever.
  UnaryCall(grpc::CallbackServerContext* call, ServiceContext& context,
            std::string_view method)
      : record_(call, context.gate, method, context.rights, context.read_only) {
  }

  /// Runs the call, or refuses it when the server is draining.
  static UnaryCall* Start(UnaryCall* call);

  /// Ends a call whose message never came, or null where it has one: mostly it
  /// is one of many that a client has opened and left, so it is not logged and
  /// costs next to nothing.
  static grpc::ServerUnaryReactor* RefuseEmpty(
      grpc::CallbackServerContext* call, const grpc::ByteBuffer& request);

  /// gRPC made a request's bytes for the call, not const, and keeps them to the
  /// call's end: their memory is given back when they are parsed.
  static grpc::ByteBuffer* OwnBytes(const grpc::ByteBuffer* request) {
    return const_cast<grpc::ByteBuffer*>(request);
  }

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
  void FailAsFault() { Fail(FaultOfTheServer()); }

  // As in CallRecord.
  void Succeed(std::string_view change = {}) {
    Finish(record_.Succeed(change));
  }
  void Fail(Error error) { Finish(record_.Fail(std::move(error))); }
  void Abandon() { Finish(record_.Abandon()); }
  void set_model(std::string_view model) { record_.set_model(model); }
  std::optional<Error> RefusalOf(std::string_view model) const {
    return record_.RefusalOf(model);
  }
  bool MayList(std::string_view name) const { return record_.MayList(name); }
  bool cancelled() const { return record_.cancelled(); }
  const std::shared_ptr<CancellationToken>& cancellation() const {
    return record_.cancellation();
  }
  std::chrono::nanoseconds age() const { return record_.age(); }
  PeerId peer() const { return record_.peer(); }
  PeerId host() const { return record_.host(); }

 private:
  void OnCancel() final { record_.Cancel(); }
  void OnDone() final { delete this; }
  /// Not a documented part of gRPC: both reactions above are short and never
  /// block, so they may run on the thread that notices, instead of waking
  /// another one at the end of every call.
  bool InternalInlineable() final { return true; }

  CallRecord record_;
};

}  // namespace torqued::server
