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
  ServerInfoService(ServiceContext& context, bool growing_windows)
      : context_(context), growing_windows_(growing_windows) {}

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* call,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* reply) override;

 private:
  ServiceContext& context_;
  const bool growing_windows_;  // of the transport
};

}  // namespace torqued::server
