#include "server/services/dynamics_service.h"

#include "server/services/dynamics_call.h"
#include "server/services/evaluate_stream.h"

namespace torqued::server {
namespace {

template <class Request, class Reply>
grpc::ServerUnaryReactor* Start(grpc::CallbackServerContext* call,
                                ServiceContext& context,
                                std::string_view method, const Request* request,
                                Reply* reply) {
  return UnaryCall::Start(new DynamicsCallOf<Request, Reply>(
      call, context, method, *request, reply));
}

}  // namespace

DynamicsService::DynamicsService(ServiceContext& context) : context_(context) {
  SetMessageAllocatorFor_InverseDynamics(&inverse_dynamics_);
  SetMessageAllocatorFor_MassMatrix(&mass_matrix_);
  SetMessageAllocatorFor_ForwardDynamics(&forward_dynamics_);
  SetMessageAllocatorFor_OperationalSpace(&operational_space_);
  SetMessageAllocatorFor_Compute(&compute_);
}

grpc::ServerUnaryReactor* DynamicsService::InverseDynamics(
    grpc::CallbackServerContext* call,
    const v1::InverseDynamicsRequest* request,
    v1::InverseDynamicsReply* reply) {
  return Start(call, context_, "InverseDynamics", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::MassMatrix(
    grpc::CallbackServerContext* call, const v1::MassMatrixRequest* request,
    v1::MassMatrixReply* reply) {
  return Start(call, context_, "MassMatrix", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::ForwardDynamics(
    grpc::CallbackServerContext* call,
    const v1::ForwardDynamicsRequest* request,
    v1::ForwardDynamicsReply* reply) {
  return Start(call, context_, "ForwardDynamics", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::OperationalSpace(
    grpc::CallbackServerContext* call,
    const v1::OperationalSpaceRequest* request,
    v1::OperationalSpaceReply* reply) {
  return Start(call, context_, "OperationalSpace", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::Compute(
    grpc::CallbackServerContext* call, const v1::ComputeRequest* request,
    v1::ComputeReply* reply) {
  return Start(call, context_, "Compute", request, reply);
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
DynamicsService::Evaluate(grpc::CallbackServerContext* call) {
  return EvaluateStream::Start(call, context_);
}

}  // namespace torqued::server
