// The header that a proxy sends ahead of what a client sends: version 2 of the
// PROXY protocol, as haproxy's doc/proxy-protocol.txt defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "server/connections/peer_address.h"

namespace torqued::server {

/// Bytes that every header has: signature, command, family, length of the rest.
inline constexpr std::size_t kProxyPrefix = 16;
/// The longest header that is read, with its extensions.
inline constexpr std::size_t kMaxProxyHeader = 2048;

/// What the bytes so far say.
struct ProxyHeader {
  /// The client; none where the proxy speaks for itself (LOCAL) or does not
  /// tell.
  std::optional<PeerAddress> peer;
};
/// How many bytes the header has as far as they tell, more than there are.
struct ProxyHeaderNeeds {
  std::size_t bytes = kProxyPrefix;
};
/// Why it is none, in a word or several.
struct NoProxyHeader {
  std::string_view why;
};

/// Reads a header that begins with `bytes` and is no longer than what an
/// earlier reading said that it needs. Extensions are skipped.
std::variant<ProxyHeader, ProxyHeaderNeeds, NoProxyHeader> ReadProxyHeader(
    std::string_view bytes);

}  // namespace torqued::server
