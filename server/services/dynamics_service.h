// torqued.v1.Dynamics over gRPC.
#pragma once

#include "server/services/service_context.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::server {

/// All methods take callbacks, and their messages as bytes. A call parses its
/// request itself: what it comes to is admitted first, and bytes that are no
/// message are refused with a reason. A reply is put together from parts that
/// are serialized once for many.
using DynamicsMethods = v1::Dynamics::WithRawCallbackMethod_InverseDynamics<
    v1::Dynamics::WithRawCallbackMethod_MassMatrix<
        v1::Dynamics::WithRawCallbackMethod_ForwardDynamics<
            v1::Dynamics::WithRawCallbackMethod_OperationalSpace<
                v1::Dynamics::WithRawCallbackMethod_Compute<
                    v1::Dynamics::WithRawCallbackMethod_Evaluate<
                        v1::Dynamics::Service>>>>>>;

class DynamicsService final : public DynamicsMethods {
 public:
  explicit DynamicsService(ServiceContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* InverseDynamics(grpc::CallbackServerContext* call,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* MassMatrix(grpc::CallbackServerContext* call,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* ForwardDynamics(grpc::CallbackServerContext* call,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* OperationalSpace(grpc::CallbackServerContext* call,
                                             const grpc::ByteBuffer* request,
                                             grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* Compute(grpc::CallbackServerContext* call,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* reply) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Evaluate(
      grpc::CallbackServerContext* call) override;

 private:
  ServiceContext& context_;
};

}  // namespace torqued::server
