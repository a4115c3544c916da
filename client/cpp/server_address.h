// Addresses of servers, as people shorten them.
#pragma once

#include <string>

namespace torqued::client {

/// What torqued listens on unless told otherwise.
inline constexpr int kDefaultPort = 7421;

/// HOST, [IPV6] and IPV6, also behind "tls:", get the default port, for which
/// gRPC would take that of HTTPS. All else stays: HOST:PORT, unix:PATH, names
/// with a scheme, and an IPv6 address without brackets that may as well be one
/// with a port.
std::string WithDefaultPort(const std::string& address);

}  // namespace torqued::client
