#pragma once

#include <grpcpp/server_builder.h>

#include "server/config/settings.h"

namespace torqued::server {

/// Sets the bounds of what gRPC reads ahead of the calls. Beyond ArrivalBytes
/// gRPC closes idle connections, then ends calls, of its own choice and without
/// details. A client that is pinged after `keepalive` has as long to answer,
/// 20 s at most. At `max_connection_age` calls under way are finished.
void ConfigureTransport(const Settings& settings, grpc::ServerBuilder* builder);

}  // namespace torqued::server
