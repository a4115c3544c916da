// What a server offers: the one list of its services.
#pragma once

#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <vector>

#include "server/services/service_context.h"

namespace torqued::server {

/// A service that is called is one whose health is told. Outlives the server.
class OfferedServices {
 public:
  /// The context outlives this.
  explicit OfferedServices(ServiceContext& context);

  void RegisterWith(grpc::ServerBuilder* builder) const;
  /// Full names, as "torqued.v1.Dynamics".
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::unique_ptr<grpc::Service>> services_;
  std::vector<std::string> names_;
};

}  // namespace torqued::server
