// Who is at the other end of a connection.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace torqued::server {

/// The address of a TCP peer, or the user behind a Unix socket. An IPv4 address
/// that is mapped into IPv6 is the IPv4 address.
struct PeerAddress {
  enum class Kind : std::uint8_t { kIpv4, kIpv6, kUnix };

  Kind kind = Kind::kUnix;
  /// In network order; of IPv4 the first four, of Unix none.
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t port = 0;
  uid_t uid = 0;  // of Unix

  static PeerAddress Ipv4(const std::uint8_t* bytes, std::uint16_t port);
  static PeerAddress Ipv6(const std::uint8_t* bytes, std::uint16_t port);
  static PeerAddress Unix(uid_t uid);
  /// Of an accepted connection, whose address accept has told.
  static std::optional<PeerAddress> Of(int descriptor,
                                       const sockaddr_storage& address);

  /// "10.0.0.7:5012", "[::1]:5012", "unix:uid=1000".
  std::string Text() const;
  /// What shares a bound: an IPv4 address, the /64 of an IPv6 address, which
  /// one host has to itself, or a user.
  std::string Key() const;

  friend bool operator==(const PeerAddress&, const PeerAddress&) = default;
};

}  // namespace torqued::server
