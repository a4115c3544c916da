// grpc.reflection.v1alpha.ServerReflection: the schema, for tools.
#pragma once

#include <string>
#include <vector>

#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/services/service_context.h"

namespace torqued::server {

/// In the place of gRPC's own service, which parses and repeats whatever a
/// request brings: 64 MB of fields that nobody knows took 2 s and 1.5 GB.
class ReflectionService final
    : public grpc::reflection::v1alpha::ServerReflection::
          WithRawCallbackMethod_ServerReflectionInfo<
              grpc::reflection::v1alpha::ServerReflection::Service> {
 public:
  /// `services`: full names of what the server offers.
  ReflectionService(ServiceContext& context, std::vector<std::string> services)
      : context_(context), services_(std::move(services)) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
  ServerReflectionInfo(grpc::CallbackServerContext* call) override;

 private:
  ServiceContext& context_;
  const std::vector<std::string> services_;
};

}  // namespace torqued::server
