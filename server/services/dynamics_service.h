// torqued.v1.Dynamics over gRPC.
#pragma once

#include "server/services/arena_messages.h"
#include "server/services/service_context.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::server {

/// All methods by callbacks; the messages of Evaluate as bytes.
using DynamicsMethods = v1::Dynamics::WithCallbackMethod_InverseDynamics<
    v1::Dynamics::WithCallbackMethod_MassMatrix<
        v1::Dynamics::WithCallbackMethod_ForwardDynamics<
            v1::Dynamics::WithCallbackMethod_OperationalSpace<
                v1::Dynamics::WithCallbackMethod_Compute<
                    v1::Dynamics::WithRawCallbackMethod_Evaluate<
                        v1::Dynamics::Service>>>>>>;

class DynamicsService final : public DynamicsMethods {
 public:
  explicit DynamicsService(ServiceContext& context);

  grpc::ServerUnaryReactor* InverseDynamics(
      grpc::CallbackServerContext* call,
      const v1::InverseDynamicsRequest* request,
      v1::InverseDynamicsReply* reply) override;
  grpc::ServerUnaryReactor* MassMatrix(grpc::CallbackServerContext* call,
                                       const v1::MassMatrixRequest* request,
                                       v1::MassMatrixReply* reply) override;
  grpc::ServerUnaryReactor* ForwardDynamics(
      grpc::CallbackServerContext* call,
      const v1::ForwardDynamicsRequest* request,
      v1::ForwardDynamicsReply* reply) override;
  grpc::ServerUnaryReactor* OperationalSpace(
      grpc::CallbackServerContext* call,
      const v1::OperationalSpaceRequest* request,
      v1::OperationalSpaceReply* reply) override;
  grpc::ServerUnaryReactor* Compute(grpc::CallbackServerContext* call,
                                    const v1::ComputeRequest* request,
                                    v1::ComputeReply* reply) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Evaluate(
      grpc::CallbackServerContext* call) override;

 private:
  ServiceContext& context_;
  ArenaAllocator<v1::InverseDynamicsRequest, v1::InverseDynamicsReply>
      inverse_dynamics_;
  ArenaAllocator<v1::MassMatrixRequest, v1::MassMatrixReply> mass_matrix_;
  ArenaAllocator<v1::ForwardDynamicsRequest, v1::ForwardDynamicsReply>
      forward_dynamics_;
  ArenaAllocator<v1::OperationalSpaceRequest, v1::OperationalSpaceReply>
      operational_space_;
  ArenaAllocator<v1::ComputeRequest, v1::ComputeReply> compute_;
};

}  // namespace torqued::server
