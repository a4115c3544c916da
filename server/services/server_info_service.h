// torqued.v1.ServerInfo over gRPC.
#pragma once

#include "server/services/service_context.h"
#include "torqued/v1/server_info.grpc.pb.h"

namespace torqued::server {

/// The messages as bytes, which are looked at before they are parsed.
class ServerInfoService final
    : public v1::ServerInfo::WithRawCallbackMethod_GetServerInfo<
          v1::ServerInfo::Service> {
 public:
  explicit ServerInfoService(ServiceContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* call,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* reply) override;

 private:
  ServiceContext& context_;
};

}  // namespace torqued::server
