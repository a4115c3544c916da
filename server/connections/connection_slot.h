// A place for one connection at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "server/connections/connection.h"
#include "server/connections/header_meter.h"

namespace torqued::server {

/// gRPC's calls know nothing but their place, so it is free again only when no
/// call of its connection can follow.
struct ConnectionSlot {
  std::mutex mutex;
  Connection connection;  // guarded by mutex; without an id while it is free
  HeaderMeter meter;      // guarded by mutex; of what gRPC has read
  std::shared_ptr<ConnectionObserver> observer;  // not null
  /// The last connection of which gRPC is to read nothing more.
  std::atomic<ConnectionId> aborted{kNoConnection};
};

}  // namespace torqued::server
