// The connection of a client: plain or with TLS, with or without a token.
#pragma once

#include <memory>
#include <string>

#include "client/cpp/client.h"

namespace grpc {
class Channel;
}

namespace torqued::client {

// `address` has its port. Both throw Error (INVALID_OPTION) for what
// ConnectOptions does not allow; nothing is sent then.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           const ConnectOptions& options);
/// The metadata "authorization" of each call; empty: none.
std::string AuthorizationFor(const std::string& address,
                             const ConnectOptions& options);

}  // namespace torqued::client
