// torqued.v1.ServerInfo over gRPC.
#pragma once

#include "server/services/service_context.h"
#include "torqued/v1/server_info.grpc.pb.h"

namespace torqued::server {

class ServerInfoService final : public v1::ServerInfo::CallbackService {
 public:
  explicit ServerInfoService(ServiceContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* GetServerInfo(
      grpc::CallbackServerContext* call,
      const v1::GetServerInfoRequest* request,
      v1::GetServerInfoReply* reply) override;

 private:
  ServiceContext& context_;
};

}  // namespace torqued::server
