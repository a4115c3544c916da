#include "server/connections/keeping.h"

#include <grpc/grpc.h>

#include <algorithm>
#include <limits>

namespace torqued::server {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kMostPatience{20'000};
// For the preface and the settings of a client, 120 s unless set.
constexpr Milliseconds kHandshake{20'000};

int OrNever(Milliseconds time) {
  // To gRPC the largest number is no time at all.
  constexpr auto kNever = std::numeric_limits<int>::max();
  return time.count() == 0 ? kNever
                           : static_cast<int>(std::min<Milliseconds::rep>(
                                 time.count(), kNever - 1));
}

}  // namespace

void KeepConnections(const Keeping& keeping, grpc::ServerBuilder* builder) {
  const auto set = [builder](const char* name, int value) {
    builder->AddChannelArgument(name, value);
  };
  set(GRPC_ARG_KEEPALIVE_TIME_MS, OrNever(keeping.keepalive));
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
      OrNever(std::min(std::max(keeping.keepalive, Milliseconds(1)),
                       kMostPatience)));
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      static_cast<int>(keeping.min_ping_interval.count()));
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, OrNever(keeping.max_idle));
  set(GRPC_ARG_MAX_CONNECTION_AGE_MS, OrNever(keeping.max_age));
  // Its grace is without an end unless set.
  set(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
      static_cast<int>(kHandshake.count()));
}

}  // namespace torqued::server
