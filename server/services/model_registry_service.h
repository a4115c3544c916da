// torqued.v1.ModelRegistry over gRPC.
#pragma once

#include "server/services/service_context.h"
#include "torqued/v1/model_registry.grpc.pb.h"

namespace torqued::server {

/// All methods take their messages as bytes. What a request comes to is
/// admitted before it is parsed, and a source is shared by all replies that
/// have it.
using ModelRegistryMethods =
    v1::ModelRegistry::WithRawCallbackMethod_RegisterModel<
        v1::ModelRegistry::WithRawCallbackMethod_ValidateModel<
            v1::ModelRegistry::WithRawCallbackMethod_GetModel<
                v1::ModelRegistry::WithRawCallbackMethod_ListModels<
                    v1::ModelRegistry::WithRawCallbackMethod_DeleteModel<
                        v1::ModelRegistry::Service>>>>>;

class ModelRegistryService final : public ModelRegistryMethods {
 public:
  explicit ModelRegistryService(ServiceContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* RegisterModel(grpc::CallbackServerContext* call,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* ValidateModel(grpc::CallbackServerContext* call,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* call,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* call,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* DeleteModel(grpc::CallbackServerContext* call,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* reply) override;

 private:
  ServiceContext& context_;
};

}  // namespace torqued::server
