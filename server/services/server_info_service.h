// torqued.v1.ServerInfo over gRPC.
#pragma once

#include "server/services/service_context.h"
#include "torqued/v1/server_info.grpc.pb.h"

namespace torqued::server {

class ServerInfoService final : public v1::ServerInfo::CallbackService {
 public:
  ServerInfoService(ServiceContext& context, bool growing_windows)
      : context_(context), growing_windows_(growing_windows) {}

  grpc::ServerUnaryReactor* GetServerInfo(
      grpc::CallbackServerContext* call,
      const v1::GetServerInfoRequest* request,
      v1::GetServerInfoReply* reply) override;

 private:
  ServiceContext& context_;
  const bool growing_windows_;  // of the transport
};

}  // namespace torqued::server
