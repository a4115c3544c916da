// A place for one connection at a time.
#pragma once

#include <memory>
#include <mutex>

#include "server/connections/connection.h"

namespace torqued::server {

/// gRPC's calls know nothing but their place, so it is free again only when no
/// call of its connection can follow.
struct ConnectionSlot {
  std::mutex mutex;
  Connection connection;  // guarded by mutex; without an id while it is free
  std::shared_ptr<ConnectionObserver> observer;  // not null
};

}  // namespace torqued::server
