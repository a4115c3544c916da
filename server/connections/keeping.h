// How long connections are kept.
#pragma once

#include <grpcpp/server_builder.h>

#include <chrono>

namespace torqued::server {

struct Keeping {
  /// After so long without a byte of the client it is asked whether it is
  /// there, and the connection ends where no answer comes in as long, 20 s at
  /// most. 0: never.
  std::chrono::milliseconds keepalive{60'000};
  /// A client that asks so more often, three times while nothing is sent to it,
  /// is told to go away.
  std::chrono::milliseconds min_ping_interval{10'000};
  /// A connection without a call for so long is told to go away, which clients
  /// do unseen. 0: never.
  std::chrono::milliseconds max_idle{600'000};
  /// One that is so old takes no new calls; those under way are finished. 0:
  /// never.
  std::chrono::milliseconds max_age{0};
};

void KeepConnections(const Keeping& keeping, grpc::ServerBuilder* builder);

}  // namespace torqued::server
