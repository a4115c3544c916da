#include "server/connections/proxy_header.h"

#include <algorithm>

namespace torqued::server {
namespace {

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kIpv4Addresses = 12;  // two, and two ports
constexpr std::size_t kIpv6Addresses = 36;
constexpr std::size_t kUnixAddresses = 216;

std::uint16_t Word(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]);
}

}  // namespace

std::variant<ProxyHeader, ProxyHeaderNeeds, NoProxyHeader> ReadProxyHeader(
    std::string_view bytes) {
  const std::size_t known = std::min(bytes.size(), kSignature.size());
  if (bytes.substr(0, known) != kSignature.substr(0, known)) {
    return NoProxyHeader{"no signature"};
  }
  if (bytes.size() < kProxyPrefix) return ProxyHeaderNeeds{};
  const auto* byte = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const int version = byte[12] >> 4, command = byte[12] & 0xF;
  const int family = byte[13] >> 4, transport = byte[13] & 0xF;
  const std::size_t length = Word(byte + 14);
  if (version != 2) return NoProxyHeader{"not version 2"};
  if (command > 1) return NoProxyHeader{"unknown command"};
  if (family > 3 || transport > 2) return NoProxyHeader{"unknown family"};
  if (kProxyPrefix + length > kMaxProxyHeader) return NoProxyHeader{"too long"};

  const bool local = command == 0;
  // Whatever a proxy sends of itself, and whatever it does not know, is
  // skipped.
  const bool told = !local && family != 0 && transport != 0;
  if (told && transport != 1) return NoProxyHeader{"not of a stream"};
  const std::size_t addresses = family == 1   ? kIpv4Addresses
                                : family == 2 ? kIpv6Addresses
                                              : kUnixAddresses;
  if (told && length < addresses) return NoProxyHeader{"too short"};
  if (bytes.size() < kProxyPrefix + length) {
    return ProxyHeaderNeeds{kProxyPrefix + length};
  }
  // The users behind a proxy's Unix socket cannot be told apart.
  if (!told || family == 3) return ProxyHeader{};
  const std::uint8_t* source = byte + kProxyPrefix;
  return ProxyHeader{family == 1
                         ? PeerAddress::Ipv4(source, Word(source + 8))
                         : PeerAddress::Ipv6(source, Word(source + 32))};
}

}  // namespace torqued::server
