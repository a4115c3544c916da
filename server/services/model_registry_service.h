// torqued.v1.ModelRegistry over gRPC.
#pragma once

#include "server/services/service_context.h"
#include "torqued/v1/model_registry.grpc.pb.h"

namespace torqued::server {

class ModelRegistryService final : public v1::ModelRegistry::CallbackService {
 public:
  explicit ModelRegistryService(ServiceContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* RegisterModel(
      grpc::CallbackServerContext* call,
      const v1::RegisterModelRequest* request,
      v1::RegisterModelReply* reply) override;
  grpc::ServerUnaryReactor* ValidateModel(
      grpc::CallbackServerContext* call,
      const v1::ValidateModelRequest* request,
      v1::ValidateModelReply* reply) override;
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* call,
                                     const v1::GetModelRequest* request,
                                     v1::GetModelReply* reply) override;
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* call,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsReply* reply) override;
  grpc::ServerUnaryReactor* DeleteModel(grpc::CallbackServerContext* call,
                                        const v1::DeleteModelRequest* request,
                                        v1::DeleteModelReply* reply) override;

 private:
  ServiceContext& context_;
};

}  // namespace torqued::server
