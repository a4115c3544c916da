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

}  // namespace torqued::server
