#include "server/lifecycle/arrival_limit.h"

#include <grpcpp/resource_quota.h>

#include <cstddef>

namespace torqued::server {

void LimitArrival(std::int64_t bytes, grpc::ServerBuilder* builder) {
  grpc::ResourceQuota quota;
  quota.Resize(static_cast<std::size_t>(bytes));
  builder->SetResourceQuota(quota);
}

}  // namespace torqued::server
