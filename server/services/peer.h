// Who calls, for what is shared among those who do.
#pragma once

#include <cstdint>
#include <string>

#include "server/config/rights.h"

namespace torqued::server {

/// Opaque: a client by its name, otherwise a TCP connection.
using PeerId = std::uint64_t;
/// Of all clients of Unix sockets, and of what no client asked for.
inline constexpr PeerId kNoPeer = 0;

// Of gRPC's text for a peer: "ipv4:10.0.0.7:5012", "ipv6:%5B::1%5D:5012" or
// "unix:".

/// `grant`: null, or what the client has by its token or certificate, which
/// makes all of its connections one.
PeerId PeerIdOf(const std::string& peer, const Grant* grant);
/// Of all connections of its host together.
PeerId HostIdOf(const std::string& peer);

}  // namespace torqued::server
