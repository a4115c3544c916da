// The one list of the services of a server.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <vector>

#include "server/services/service_context.h"

namespace torqued::server {

/// The health of a service is reported if the service is served.
struct OfferedService {
  const char* name;  // in full, as "torqued.v1.Dynamics"
  std::unique_ptr<grpc::Service> service;
};

/// They outlive the server, and the context outlives them.
std::vector<OfferedService> OfferServices(ServiceContext& context);

}  // namespace torqued::server
