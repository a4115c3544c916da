#include "server/connections/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace torqued::server {

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // Where it may not, the limit stays what it was, which PlanConnections sees.
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::int64_t DescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(
      std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(kMost)));
}

std::variant<Connections::Limits, std::string> PlanConnections(
    std::int64_t connections, std::int64_t per_peer, std::int64_t descriptors) {
  const std::int64_t possible = (descriptors - kOtherDescriptors) / 2;
  const std::int64_t needed = std::max<std::int64_t>(connections, 1);
  if (needed > possible) {
    return "--max-connections: " + std::to_string(needed) + " need " +
           std::to_string(2 * needed + kOtherDescriptors) +
           " descriptors, and this process may have " +
           std::to_string(descriptors) +
           " (ulimit -Hn; of a service, LimitNOFILE)";
  }
  const std::int64_t all =
      connections > 0 ? connections : std::min(kUsualConnections, possible);
  if (per_peer > all) {
    return "--max-connections-per-peer: " + std::to_string(per_peer) + " of " +
           std::to_string(all) + " connections";
  }
  const std::int64_t of_peer =
      per_peer > 0 ? per_peer : std::max<std::int64_t>(all / 2, 1);
  return Connections::Limits{static_cast<std::size_t>(all),
                             static_cast<std::size_t>(of_peer)};
}

}  // namespace torqued::server
