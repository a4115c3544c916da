#include "server/services/dynamics_service.h"

#include "server/services/dynamics_call.h"
#include "server/services/evaluate_stream.h"

namespace torqued::server {
namespace {

template <class Request, class Reply>
grpc::ServerUnaryReactor* Start(grpc::CallbackServerContext* call,
                                ServiceContext& context,
                                std::string_view method,
                                const grpc::ByteBuffer* request,
                                grpc::ByteBuffer* reply) {
  if (auto* refused = UnaryCall::RefuseEmpty(call, *request)) return refused;
  return UnaryCall::Start(new DynamicsCallOf<Request, Reply>(
      call, context, method, UnaryCall::OwnBytes(request), reply));
}

}  // namespace

grpc::ServerUnaryReactor* DynamicsService::InverseDynamics(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::InverseDynamicsRequest, v1::InverseDynamicsReply>(
      call, context_, "InverseDynamics", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::MassMatrix(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::MassMatrixRequest, v1::MassMatrixReply>(
      call, context_, "MassMatrix", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::ForwardDynamics(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::ForwardDynamicsRequest, v1::ForwardDynamicsReply>(
      call, context_, "ForwardDynamics", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::OperationalSpace(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::OperationalSpaceRequest, v1::OperationalSpaceReply>(
      call, context_, "OperationalSpace", request, reply);
}

grpc::ServerUnaryReactor* DynamicsService::Compute(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::ComputeRequest, v1::ComputeReply>(call, context_, "Compute",
                                                     request, reply);
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
DynamicsService::Evaluate(grpc::CallbackServerContext* call) {
  return StreamCall::Start(std::make_shared<EvaluateStream>(call, context_));
}

}  // namespace torqued::server
