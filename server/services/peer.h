// Who calls, for what is shared among those who do.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>

namespace torqued::server {

/// Opaque: a TCP connection.
using PeerId = std::uint64_t;
/// Of all clients of Unix sockets, and of what no client asked for.
inline constexpr PeerId kNoPeer = 0;

PeerId PeerIdOf(const grpc::CallbackServerContext& call);
/// Of all connections of its host together.
PeerId HostIdOf(const grpc::CallbackServerContext& call);

}  // namespace torqued::server
