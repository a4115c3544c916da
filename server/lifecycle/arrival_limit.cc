#include "server/lifecycle/arrival_limit.h"

#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace torqued::server {
namespace {

constexpr std::int64_t kLargestMessages = 4;
constexpr std::int64_t kConnections = 64 << 20;

}  // namespace

std::int64_t ArrivalLimit(const Settings& settings) {
  const std::int64_t others =
      kLargestMessages * settings.max_message_bytes + kConnections;
  // Who wants no limit of work under way writes the largest number.
  return others + std::min(settings.max_inflight_bytes,
                           std::numeric_limits<std::int64_t>::max() - others);
}

void LimitArrival(std::int64_t bytes, grpc::ServerBuilder* builder) {
  grpc::ResourceQuota quota;
  quota.Resize(static_cast<std::size_t>(bytes));
  builder->SetResourceQuota(quota);
}

}  // namespace torqued::server
