#include "server/services/model_registry_service.h"

#include "server/services/registry_call.h"

namespace torqued::server {
namespace {

template <class Request, class Reply>
grpc::ServerUnaryReactor* Start(grpc::CallbackServerContext* call,
                                ServiceContext& context,
                                std::string_view method, const Request* request,
                                Reply* reply) {
  return UnaryCall::Start(
      new RegistryCall<Request, Reply>(call, context, method, *request, reply));
}

}  // namespace

grpc::ServerUnaryReactor* ModelRegistryService::RegisterModel(
    grpc::CallbackServerContext* call, const v1::RegisterModelRequest* request,
    v1::RegisterModelReply* reply) {
  return Start(call, context_, "RegisterModel", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::ValidateModel(
    grpc::CallbackServerContext* call, const v1::ValidateModelRequest* request,
    v1::ValidateModelReply* reply) {
  return Start(call, context_, "ValidateModel", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::GetModel(
    grpc::CallbackServerContext* call, const v1::GetModelRequest* request,
    v1::GetModelReply* reply) {
  return Start(call, context_, "GetModel", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::ListModels(
    grpc::CallbackServerContext* call, const v1::ListModelsRequest* request,
    v1::ListModelsReply* reply) {
  return Start(call, context_, "ListModels", request, reply);
}

grpc::ServerUnaryReactor* ModelRegistryService::DeleteModel(
    grpc::CallbackServerContext* call, const v1::DeleteModelRequest* request,
    v1::DeleteModelReply* reply) {
  return Start(call, context_, "DeleteModel", request, reply);
}

}  // namespace torqued::server
