#include "server/lifecycle/transport.h"

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <limits>

namespace torqued::server {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// Calls of one connection at a time.
constexpr int kMostStreams = 256;
/// The headers of a call, as HTTP/2 counts them: 32 bytes more for each field.
constexpr int kMostHeaderBytes = 8192;
constexpr Milliseconds kMostPatience{20'000};
// A client that pings more often, three times while nothing is sent to it, is
// sent away.
constexpr Milliseconds kMinPingInterval{10'000};
// Clients connect again unseen.
constexpr Milliseconds kMaxIdle{600'000};
// For the preface and the settings of a client, 120 s unless set.
constexpr Milliseconds kHandshake{20'000};

int Count(Milliseconds time) { return static_cast<int>(time.count()); }

int OrNever(Milliseconds time) {
  // To gRPC the largest number is no time at all.
  constexpr Milliseconds kNever{std::numeric_limits<int>::max()};
  return Count(time.count() == 0 ? kNever
                                 : std::min(time, kNever - Milliseconds(1)));
}

}  // namespace

void ConfigureTransport(const Settings& settings,
                        grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(
      static_cast<int>(settings.max_message_bytes));
  builder->SetMaxSendMessageSize(static_cast<int>(settings.max_message_bytes));
  grpc::ResourceQuota quota;
  quota.Resize(static_cast<std::size_t>(ArrivalBytes(settings)));
  builder->SetResourceQuota(quota);
  const auto set = [builder](const char* name, int value) {
    builder->AddChannelArgument(name, value);
  };
  // A frame of 16 KiB, the protocol's default, costs a tenth of the server's
  // time in streams of large chunks.
  set(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 1 << 20);
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostStreams);
  set(GRPC_ARG_MAX_METADATA_SIZE, kMostHeaderBytes);
  // What one thread takes from a connection before it turns to others: of the
  // usual 4 MB, frames of 15 bytes keep it for seconds.
  set(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 256 << 10);
  set(GRPC_ARG_KEEPALIVE_TIME_MS, OrNever(settings.keepalive));
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
      OrNever(std::clamp(settings.keepalive, Milliseconds(1), kMostPatience)));
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      Count(kMinPingInterval));
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, Count(kMaxIdle));
  set(GRPC_ARG_MAX_CONNECTION_AGE_MS, OrNever(settings.max_connection_age));
  // Its grace is without an end unless set.
  set(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, Count(kHandshake));
  // A search for deadlocks at every lock that gRPC takes, which abseil makes
  // unless it was compiled without assertions: Debian's has them.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace torqued::server
