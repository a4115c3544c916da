#pragma once

#include <grpcpp/server_builder.h>

#include <cstdint>

#include "server/config/settings.h"

namespace torqued::server {

/// Memory for what arrives, of all connections together, before it is a message
/// that can be admitted: as much as may be under way, and four of the largest
/// messages even where that is little. The rest is for the connections
/// themselves.
std::int64_t ArrivalLimit(const Settings& settings);

/// Beyond so many bytes gRPC closes idle connections, then ends calls, of its
/// own choice and without details, until the rest is within them.
void LimitArrival(std::int64_t bytes, grpc::ServerBuilder* builder);

}  // namespace torqued::server
