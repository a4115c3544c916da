// A call that has no record.
#pragma once

#include <atomic>

#include "server/connections/connection.h"
#include "server/services/call_gate.h"

namespace torqued::server {

/// Tells the gate of a call that a service has begun to handle, and of its end.
/// Thread-safe.
class ServedCall {
 public:
  ServedCall(CallGate& gate, const grpc::ServerContextBase& call)
      : gate_(gate), connection_(ConnectionOf(call)) {
    gate_.Began(connection_);
  }
  ~ServedCall() { gate_.Ended(connection_, !left_.load()); }
  ServedCall(const ServedCall&) = delete;
  ServedCall& operator=(const ServedCall&) = delete;

  /// Its client has.
  void Leave() { left_.store(true); }

 private:
  CallGate& gate_;
  const ConnectionId connection_;
  std::atomic<bool> left_{false};
};

}  // namespace torqued::server
