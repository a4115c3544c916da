// The services that every gRPC server has.
#pragma once

#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <vector>

#include "server/standard/health_service.h"
#include "server/standard/reflection_service.h"

namespace torqued::server {

/// Health, and reflection where it is wanted. Outlives the server.
class StandardServices {
 public:
  /// `offered`: full names of the other services.
  StandardServices(ServiceContext& context, std::vector<std::string> offered,
                   bool reflection)
      : health_(context) {
    if (!reflection) return;
    offered.emplace_back(grpc::health::v1::Health::service_full_name());
    offered.emplace_back(
        grpc::reflection::v1alpha::ServerReflection::service_full_name());
    reflection_ =
        std::make_unique<ReflectionService>(context, std::move(offered));
  }

  void RegisterWith(grpc::ServerBuilder* builder) {
    builder->RegisterService(&health_);
    if (reflection_) builder->RegisterService(reflection_.get());
  }

  HealthService& health() { return health_; }

 private:
  HealthService health_;
  std::unique_ptr<ReflectionService> reflection_;
};

}  // namespace torqued::server
