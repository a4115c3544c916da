#include "server/services/peer.h"

#include "server/connections/connection.h"

namespace torqued::server {

PeerId PeerIdOf(const grpc::CallbackServerContext& call) {
  return ConnectionOf(call);
}

}  // namespace torqued::server
