// How the calls of a connection are told from those of others.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <mutex>

#include "server/connections/connection.h"

namespace torqued::server {

/// Of the authentication context of a call.
inline constexpr char kConnectionProperty[] = "connection";

/// A place for one connection at a time. gRPC's calls know nothing but their
/// place, so it is free again only when no call of its connection can follow.
struct ConnectionSlot {
  std::mutex mutex;
  Connection connection;  // guarded by mutex; without an id while it is free
  std::shared_ptr<ConnectionObserver> observer;  // not null
};

/// Credentials that ask nothing of the client, through which gRPC shows the
/// headers of each call of the connection that is in the slot.
std::shared_ptr<grpc::ServerCredentials> SlotCredentials(
    std::shared_ptr<ConnectionSlot> slot);

}  // namespace torqued::server
