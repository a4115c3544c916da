// The connection of a client: its address, TLS and token.
#pragma once

#include <memory>
#include <string>

#include "client/cpp/client.h"

namespace grpc {
class Channel;
}

namespace torqued::client {

/// The default address of torqued.
inline constexpr int kDefaultPort = 7421;

/// HOST, [IPV6] and IPV6, also behind "tls:", get the default port, for which
/// gRPC would take that of HTTPS. All else stays, also an IPv6 address
/// without brackets that may as well be one with a port.
std::string WithDefaultPort(const std::string& address);

// `address` has its port. Both throw Error (INVALID_OPTION) for what
// ConnectOptions does not allow; nothing is sent then.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           const ConnectOptions& options);
/// The metadata "authorization" of each call; empty: none.
std::string AuthorizationFor(const std::string& address,
                             const ConnectOptions& options);

}  // namespace torqued::client
