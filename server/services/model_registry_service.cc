#include "server/services/model_registry_service.h"

#include "server/services/registry_call.h"

namespace torqued::server {
namespace {

template <class Request, class Reply>
grpc::ServerUnaryReactor* Start(grpc::CallbackServerContext* call,
                                ServiceContext& context,
                                std::string_view method,
                                const grpc::ByteBuffer* request,
                                grpc::ByteBuffer* reply) {
  if (auto* refused = UnaryCall::RefuseEmpty(call, *request)) return refused;
  return UnaryCall::Start(new RegistryCall<Request, Reply>(
      call, context, method, UnaryCall::OwnBytes(request), reply));
}

}  // namespace

grpc::ServerUnaryReactor* ModelRegistryService::RegisterModel(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::RegisterModelRequest, v1::RegisterModelReply>(
      call, context_, "RegisterModel", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::ValidateModel(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::ValidateModelRequest, v1::ValidateModelReply>(
      call, context_, "ValidateModel", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::GetModel(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::GetModelRequest, v1::GetModelReply>(
      call, context_, "GetModel", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::ListModels(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::ListModelsRequest, v1::ListModelsReply>(
      call, context_, "ListModels", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::DeleteModel(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  return Start<v1::DeleteModelRequest, v1::DeleteModelReply>(
      call, context_, "DeleteModel", request, reply);
}

}  // namespace torqued::server
