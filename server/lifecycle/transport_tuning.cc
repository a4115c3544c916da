#include "server/lifecycle/transport_tuning.h"

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>

namespace torqued::server {

void TuneTransport(Windows windows, grpc::ServerBuilder* builder) {
  // Probing sets windows by the bytes that arrive during a ping, and on a busy
  // machine pings are slow: up to 32 MiB of every stream pile up before the
  // server, although from nearby no more of it gets through than with 64 KiB.
  // There is no size to choose between: GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES
  // leaves the window of the connection at 64 KiB.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE,
                              windows == Windows::kGrowing ? 1 : 0);
  // Probing raises this as well. A frame of 16 KiB, the protocol's default,
  // costs a tenth of the server's time in streams of large chunks.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 1 << 20);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostStreams);
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMostHeaderBytes);
  // What one thread takes from a connection before it turns to others: of the
  // usual 4 MB, frames of 15 bytes keep it for seconds.
  builder->AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 256 << 10);
  // A search for deadlocks at every lock that gRPC takes, which abseil makes
  // unless it was compiled without assertions: Debian's has them.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace torqued::server
