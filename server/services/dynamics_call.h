// A call of torqued.v1.Dynamics: Compute or one of its shorthands.
#pragma once

#include <memory>

#include "server/services/computation.h"
#include "server/services/service_context.h"
#include "server/services/unary_call.h"
#include "server/wire/compute_view.h"

namespace torqued::server {

/// Resolves, prepares, evaluates and completes: small plans of models at hand
/// where it stands, all others on the engine's pool.
class DynamicsCall : public UnaryCall {
 protected:
  /// Puts results into `reply`.
  DynamicsCall(grpc::CallbackServerContext* call, ServiceContext& context,
               std::string_view method, const ComputeView& view,
               v1::ComputeReply* reply)
      : UnaryCall(call, context.gate, method),
        context_(context),
        view_(view),
        reply_(reply) {}
  ~DynamicsCall() override = default;

 private:
  void Run() final;
  /// For a model that is not at hand, on the pool.
  void ResolveAndCompute();
  void Compute(const ModelEntry& entry);
  void OnEvaluated(const EvaluationReport& report);
  /// Size of the request as it arrived.
  virtual std::int64_t RequestBytes() const = 0;
  /// Puts what the method returns into its own reply.
  virtual void MoveReplyOut(v1::ComputeReply* reply) = 0;

  ServiceContext& context_;
  ComputeView view_;
  v1::ComputeReply* const reply_;
  /// While the call waits for its model.
  Admission::Ticket waiting_;
  std::unique_ptr<Computation> computation_;
  std::chrono::nanoseconds prepared_{0};
};

/// The reply is in an arena (see ArenaMessages), so that its parts change hands
/// without a copy.
template <class Request, class Reply>
class DynamicsCallOf final : public DynamicsCall {
 public:
  DynamicsCallOf(grpc::CallbackServerContext* call, ServiceContext& context,
                 std::string_view method, const Request& request, Reply* reply)
      : DynamicsCall(call, context, method, ViewOf(request),
                     google::protobuf::Arena::CreateMessage<v1::ComputeReply>(
                         reply->GetArena())),
        request_(request),
        own_reply_(reply) {}

 private:
  ~DynamicsCallOf() override = default;
  std::int64_t RequestBytes() const override {
    return static_cast<std::int64_t>(request_.ByteSizeLong());
  }
  void MoveReplyOut(v1::ComputeReply* reply) override {
    MoveReply(reply, own_reply_);
  }

  const Request& request_;
  Reply* own_reply_;
};

}  // namespace torqued::server
