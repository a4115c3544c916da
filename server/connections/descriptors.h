// How many connections the descriptors of the process are enough for.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "server/connections/connections.h"

namespace torqued::server {

/// Raises the soft limit of descriptors to the hard one, as far as the system
/// lets it.
void RaiseDescriptorLimit();

/// The soft limit.
std::int64_t DescriptorLimit();

/// Limits for `connections` and `per_peer`, or which setting cannot be, and
/// why. A connection takes two descriptors, the rest of the server
/// kOtherDescriptors. 0 connections: as many as there are descriptors for, at
/// most kUsualConnections. 0 for a peer: half of the connections.
std::variant<Connections::Limits, std::string> PlanConnections(
    std::int64_t connections, std::int64_t per_peer, std::int64_t descriptors);

inline constexpr std::int64_t kUsualConnections = 1000;
inline constexpr std::int64_t kMostConnections = 10'000;
/// Of the store, the log, the listening sockets and gRPC: some 40 are in use.
inline constexpr std::int64_t kOtherDescriptors = 128;

}  // namespace torqued::server
