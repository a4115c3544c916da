// How the calls of a connection are told from those of others.
#pragma once

#include <grpc/grpc_security.h>

#include <memory>

#include "server/connections/connection_slot.h"

namespace torqued::server {

// Of the authentication context of a call.

/// The id of its connection.
inline constexpr char kConnectionProperty[] = "connection";
/// The client that a proxy has told of; absent where none has.
inline constexpr char kClientProperty[] = "client";
/// A number that all connections of its peer's host have.
inline constexpr char kHostProperty[] = "host";

struct ReleaseCredentials {
  void operator()(grpc_server_credentials* credentials) const {
    grpc_server_credentials_release(credentials);
  }
};
using ServerCredentialsOfC =
    std::unique_ptr<grpc_server_credentials, ReleaseCredentials>;

/// Credentials that ask nothing of the client, through which gRPC shows the
/// headers of each call of the connection that is in the slot.
ServerCredentialsOfC SlotCredentials(std::shared_ptr<ConnectionSlot> slot);

}  // namespace torqued::server
