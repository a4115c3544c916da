#include "server/connections/peer_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace torqued::server {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0,    0,
                                               0, 0, 0, 0, 0xFF, 0xFF};

}  // namespace

PeerAddress PeerAddress::Ipv4(const std::uint8_t* bytes, std::uint16_t port) {
  PeerAddress peer;
  peer.kind = Kind::kIpv4;
  std::copy_n(bytes, 4, peer.bytes.begin());
  peer.port = port;
  return peer;
}

PeerAddress PeerAddress::Ipv6(const std::uint8_t* bytes, std::uint16_t port) {
  if (std::equal(kMapped.begin(), kMapped.end(), bytes)) {
    return Ipv4(bytes + kMapped.size(), port);
  }
  PeerAddress peer;
  peer.kind = Kind::kIpv6;
  std::copy_n(bytes, peer.bytes.size(), peer.bytes.begin());
  peer.port = port;
  return peer;
}

PeerAddress PeerAddress::Unix(uid_t uid) {
  PeerAddress peer;
  peer.uid = uid;
  return peer;
}

std::optional<PeerAddress> PeerAddress::Of(int descriptor,
                                           const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof(in));
    return Ipv4(reinterpret_cast<const std::uint8_t*>(&in.sin_addr),
                ntohs(in.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 in6{};
    std::memcpy(&in6, &address, sizeof(in6));
    return Ipv6(in6.sin6_addr.s6_addr, ntohs(in6.sin6_port));
  }
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return std::nullopt;
  }
  return Unix(peer.uid);
}

std::string PeerAddress::Text() const {
  if (kind == Kind::kUnix) return "unix:uid=" + std::to_string(uid);
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool ipv4 = kind == Kind::kIpv4;
  inet_ntop(ipv4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  std::string whole;
  if (!ipv4) whole.push_back('[');
  whole.append(text.data());
  if (!ipv4) whole.push_back(']');
  return whole.append(":").append(std::to_string(port));
}

std::string PeerAddress::Key() const {
  if (kind == Kind::kUnix) return std::to_string(uid).append("u");
  const bool ipv4 = kind == Kind::kIpv4;
  std::string key(1, ipv4 ? '4' : '6');
  key.append(bytes.begin(), bytes.begin() + (ipv4 ? 4 : 8));
  return key;
}

}  // namespace torqued::server
