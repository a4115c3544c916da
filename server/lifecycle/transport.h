#pragma once

#include <grpcpp/server_builder.h>

#include <chrono>
#include <cstdint>

namespace torqued::server {

struct Transport {
  std::int64_t max_message_bytes = 0;
  /// Beyond so many bytes gRPC closes idle connections, then ends calls, of its
  /// own choice and without details.
  std::int64_t quota_bytes = 0;
  /// A client that has sent nothing for so long is pinged, and the connection
  /// ends if it does not answer as long, 20 s at most. 0: never.
  std::chrono::milliseconds keepalive;
  /// An older connection takes no new calls; those under way are finished. 0:
  /// never.
  std::chrono::milliseconds max_connection_age;
};

/// Sets the bounds of what gRPC reads ahead of the calls.
void ConfigureTransport(const Transport& transport,
                        grpc::ServerBuilder* builder);

}  // namespace torqued::server
