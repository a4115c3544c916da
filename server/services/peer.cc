#include "server/services/peer.h"

#include <functional>
#include <string>

namespace torqued::server {

// gRPC's text: "ipv4:10.0.0.7:5012", "ipv6:%5B::1%5D:5012" or "unix:".

PeerId PeerIdOf(const grpc::CallbackServerContext& call) {
  const std::string peer = call.peer();
  return peer.starts_with("unix:") ? kNoPeer : std::hash<std::string>()(peer);
}

PeerId HostIdOf(const grpc::CallbackServerContext& call) {
  const std::string peer = call.peer();
  return std::hash<std::string>()(peer.substr(0, peer.rfind(':')));
}

}  // namespace torqued::server
