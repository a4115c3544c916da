// A call of torqued.v1.Dynamics: Compute or one of its shorthands.
#pragma once

#include <google/protobuf/arena.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "server/services/computation.h"
#include "server/services/receive.h"
#include "server/services/service_context.h"
#include "server/services/unary_call.h"
#include "server/wire/compute_view.h"
#include "server/wire/reply_bytes.h"

namespace torqued::server {

/// Parses, resolves, prepares, evaluates and serializes: small plans of models
/// at hand where it stands, all others on the engine's pool.
class DynamicsCall : public UnaryCall {
 public:
  /// `request` is given up once it is parsed.
  DynamicsCall(grpc::CallbackServerContext* call, ServiceContext& context,
               std::string_view method, grpc::ByteBuffer* request,
               grpc::ByteBuffer* reply)
      : UnaryCall(call, context, method),
        context_(context),
        request_bytes_(request),
        reply_bytes_(reply),
        arena_(first_block_, sizeof(first_block_)),
        results_(NewMessage<v1::ComputeReply>()) {}

 protected:
  ~DynamicsCall() override = default;

  ServiceContext& context() { return context_; }
  /// In the memory of the reply, so that its parts change hands without a copy.
  template <class Message>
  Message* NewMessage() {
    return google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

 private:
  virtual std::optional<Error> Parse(grpc::ByteBuffer* bytes,
                                     Admission::Ticket* room) = 0;
  virtual ComputeView View() const = 0;
  /// Writes what the method returns of `results`.
  virtual void Serialize(v1::ComputeReply* results, std::string_view echo,
                         const v1::Timing& timing, grpc::ByteBuffer* bytes) = 0;

  void Run() final;
  /// For a model that is not at hand, beside the pool.
  void ResolveAndCompute();
  void Compute(const ModelEntry& entry);
  void OnEvaluated(const EvaluationReport& report);

  /// The reply and its parts, but for long texts and bytes, are in an arena
  /// whose first block comes with the call: one allocation for what would be
  /// dozens. That of a call of one state fits. Not the request: its tables of
  /// numbers grow as they arrive, and an arena keeps what they outgrow.
  static constexpr std::size_t kFirstBlock = 2048;

  ServiceContext& context_;
  grpc::ByteBuffer* const request_bytes_;
  grpc::ByteBuffer* const reply_bytes_;
  alignas(std::max_align_t) char first_block_[kFirstBlock];
  google::protobuf::Arena arena_;
  v1::ComputeReply* const results_;
  Admission::Ticket request_room_;
  Admission::Ticket reply_room_;              // once there is a reply
  std::unique_ptr<Computation> computation_;  // until then
  std::int64_t setup_bytes_ = 0;              // of the computation's
  std::chrono::nanoseconds prepared_{0};
};

template <class Request, class Reply>
class DynamicsCallOf final : public DynamicsCall {
 public:
  using DynamicsCall::DynamicsCall;

 private:
  ~DynamicsCallOf() override = default;

  std::optional<Error> Parse(grpc::ByteBuffer* bytes,
                             Admission::Ticket* room) override {
    return Receive(bytes, {context().admission, peer()}, &request_, room,
                   kBytesOfCall);
  }
  ComputeView View() const override { return ViewOf(request_); }
  void Serialize(v1::ComputeReply* results, std::string_view echo,
                 const v1::Timing& timing, grpc::ByteBuffer* bytes) override {
    const EchoBytes echoed{Reply::kEchoFieldNumber, echo, &timing};
    if constexpr (std::is_same_v<Reply, v1::ComputeReply>) {
      SerializeReply(*results, echoed, bytes);
    } else {
      auto* reply = NewMessage<Reply>();
      MoveReply(results, reply);
      SerializeReply(*reply, echoed, bytes);
    }
  }

  Request request_;
};

}  // namespace torqued::server
