// What gRPC counts of the sockets of its server.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace torqued::server {

/// gRPC's number of a connection's transport; later ones have higher numbers.
using SocketId = std::intptr_t;

struct SocketCounts {
  std::int64_t begun = 0;     // streams
  std::int64_t ended = 0;     // streams, well or not
  std::int64_t messages = 0;  // received whole
};

/// The server that was built last in this process.
class ChannelzSockets {
 public:
  ChannelzSockets();

  /// The open sockets from `first` on, in the order of their numbers.
  std::vector<SocketId> From(SocketId first) const;
  /// Nothing when the transport is gone.
  static std::optional<SocketCounts> Read(SocketId socket);

 private:
  std::intptr_t server_ = 0;
};

}  // namespace torqued::server
