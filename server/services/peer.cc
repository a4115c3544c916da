#include "server/services/peer.h"

#include <functional>

namespace torqued::server {

PeerId PeerIdOf(const std::string& peer, const Grant* grant) {
  if (peer.starts_with("unix:")) return kNoPeer;
  return std::hash<std::string>()(grant == nullptr ? peer
                                                   : "client:" + grant->name);
}

PeerId HostIdOf(const std::string& peer) {
  return std::hash<std::string>()(peer.substr(0, peer.rfind(':')));
}

}  // namespace torqued::server
