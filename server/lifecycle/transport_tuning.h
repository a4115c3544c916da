#pragma once

#include <grpcpp/server_builder.h>

namespace torqued::server {

/// Whether what a client may send ahead grows with the distance.
enum class Windows : bool { kFixed, kGrowing };

/// Calls of one connection at a time. The transport enforces that only where
/// the client has acknowledged it.
inline constexpr int kMostStreams = 256;
/// The headers of a call, as HTTP/2 counts them: 32 bytes more for each field.
inline constexpr int kMostHeaderBytes = 8192;

/// Bounds what the transport takes in ahead of the calls. Fixed windows: per
/// stream 64 KiB and the message being read, of that at most 1 MiB. So much,
/// and no more, can a client send in one round-trip time of the network.
/// Growing ones: 4 MiB at first, then what arrived during a round trip, up to
/// 32 MiB a stream; less where the limit of arrival is near.
/// Ends the search for deadlocks that some builds of abseil make at the locks
/// of all gRPC in the process.
void TuneTransport(Windows windows, grpc::ServerBuilder* builder);

}  // namespace torqued::server
