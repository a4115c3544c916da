// A call of one request and one reply.
#pragma once

#include <grpcpp/grpcpp.h>

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
  /// What gRPC hands over.
  struct Incoming {
    grpc::CallbackServerContext* call;
    ServiceContext& context;
    std::string_view method;  // lives for ever
    const grpc::ByteBuffer* request;
    grpc::ByteBuffer* reply;
  };

  /// Runs a `Call`, or refuses it: the server is draining, the client lacks a
  /// right, or its message never came.
  template <class Call, class... More>
  static grpc::ServerUnaryReactor* Start(const Incoming& incoming,
                                         More... more) {
    if (!incoming.request->Valid()) return RefuseEmpty(incoming.call);
    return Start(new Call(incoming, more...));
  }

 protected:
  explicit UnaryCall(const Incoming& incoming)
      : context_(incoming.context),
        record_(incoming.call, context_.gate, incoming.method, context_.rights,
                context_.read_only),
        request_bytes_(const_cast<grpc::ByteBuffer*>(incoming.request)),
        reply_bytes_(incoming.reply) {}
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

  ServiceContext& context_;
  CallRecord record_;
  /// gRPC made them for the call, not const, and keeps them to the call's end:
  /// their memory is given back when they are parsed.
  grpc::ByteBuffer* const request_bytes_;
  grpc::ByteBuffer* const reply_bytes_;

 private:
  static UnaryCall* Start(UnaryCall* call);
  /// Mostly it is one of many that a client has opened and left, so it is not
  /// logged and costs next to nothing.
  static grpc::ServerUnaryReactor* RefuseEmpty(
      grpc::CallbackServerContext* call);

  void OnCancel() final { record_.Cancel(); }
  void OnDone() final { delete this; }
  /// Not a documented part of gRPC: both reactions above are short and never
  /// block, so they may run on the thread that notices, instead of waking
  /// another one at the end of every call.
  bool InternalInlineable() final { return true; }
};

}  // namespace torqued::server
