// Who calls, for what is shared among those who do.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>

namespace torqued::server {

/// Opaque: a TCP connection, or all clients of Unix sockets together.
using PeerId = std::uint64_t;
/// Of what no peer asked for.
inline constexpr PeerId kNoPeer = 0;

PeerId PeerIdOf(const grpc::CallbackServerContext& call);
/// Of all connections of its host together.
PeerId HostIdOf(const grpc::CallbackServerContext& call);

}  // namespace torqued::server
