// A connection as the rest of the server knows it.
#pragma once

#include <grpc/status.h>
#include <grpcpp/server_context.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "server/connections/peer_address.h"

namespace torqued::server {

/// Never given twice while the server runs. Its last 16 bits are the slot,
/// which is free again when gRPC is through with the connection.
using ConnectionId = std::uint64_t;
/// What a call has that came in another way than through Connections.
inline constexpr ConnectionId kNoConnection = 0;

inline constexpr int kSlotBits = 16;
constexpr std::size_t SlotOf(ConnectionId id) {
  return static_cast<std::size_t>(id & ((1U << kSlotBits) - 1));
}

struct Connection {
  ConnectionId id = kNoConnection;
  /// A duplicate of gRPC's descriptor, for what the system tells of it.
  int descriptor = -1;
  /// Behind a listed proxy, the one that it names.
  PeerAddress peer;
  bool proxied = false;  // the peer is such a one
  std::chrono::steady_clock::time_point opened;
};

/// Which connection a call came by.
ConnectionId ConnectionOf(const grpc::ServerContextBase& context);
/// A number that the calls of all connections of one host have, by
/// PeerAddress::Key; 0 for a call that came in another way.
std::uint64_t HostNumberOf(const grpc::ServerContextBase& context);
/// Where it came from, for a log line: gRPC's text, or the client that a proxy
/// has told of.
std::string PeerOf(const grpc::ServerContextBase& context);

/// Ends it both ways at once. What has come from a TCP peer and was not read is
/// dropped; of a Unix socket it can be read first.
void AbortSocket(int descriptor);
/// Whether both are descriptors of one socket.
bool AreSameSocket(int a, int b);

/// What happens to a call whose headers have arrived.
struct CallVerdict {
  grpc_status_code code = GRPC_STATUS_OK;
  /// Of a refusal; lives for ever.
  const char* detail = nullptr;
  /// Ends the connection as well.
  bool end_connection = false;
};

/// Is told of connections and of their calls. What it is told of one connection
/// comes one at a time: first OnOpen, then its calls, last OnClose. Must not
/// block, and may call Connections.
class ConnectionObserver {
 public:
  virtual ~ConnectionObserver() = default;
  /// Before gRPC has it.
  virtual void OnOpen(const Connection& /*connection*/) {}
  /// The headers of a call are there, of any method and before any message.
  virtual CallVerdict OnHeaders(const Connection& /*connection*/) { return {}; }
  /// Headers hold more than they may (HeaderMeter): the connection has been
  /// ended, and gRPC has not seen them.
  virtual void OnEndlessHeaders(const Connection& /*connection*/) {}
  /// gRPC is through with it: no call of it follows.
  virtual void OnClose(const Connection& /*connection*/) {}
};

}  // namespace torqued::server
