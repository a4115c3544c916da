#include "server/services/peer.h"

#include <functional>
#include <string>

#include "server/connections/connection.h"

namespace torqued::server {

PeerId PeerIdOf(const grpc::CallbackServerContext& call) {
  const ConnectionId connection = ConnectionOf(call);
  if (connection != kNoConnection) return connection;
  return std::hash<std::string>()(call.peer());
}

PeerId HostIdOf(const grpc::CallbackServerContext& call) {
  const std::uint64_t host = HostNumberOf(call);
  return host != 0 ? host : PeerIdOf(call);
}

}  // namespace torqued::server
