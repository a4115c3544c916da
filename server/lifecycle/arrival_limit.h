#pragma once

#include <grpcpp/server_builder.h>

#include <cstdint>

namespace torqued::server {

/// Beyond so many bytes gRPC closes idle connections, then ends calls, of its
/// own choice and without details, until the rest is within them.
void LimitArrival(std::int64_t bytes, grpc::ServerBuilder* builder);

}  // namespace torqued::server
