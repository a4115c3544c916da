// What gRPC reads from the sockets of connections, shown before it has it.
#pragma once

#include "server/connections/connection_slot.h"

namespace torqued::server {

/// gRPC reads from sockets by recvmsg and has no hook there. So this unit
/// defines recvmsg for the process, which makes the system's call. Bytes that
/// gRPC reads from the connection in a slot pass the slot's meter first. Where
/// a block of headers holds more than it may, or the connection has been
/// aborted, gRPC gets ECONNRESET and none of the bytes. `descriptor` is gRPC's
/// own. `slot` must stay until StopShowingReads.
void ShowReads(int descriptor, ConnectionSlot* slot);
/// Unless another slot has the descriptor by now.
void StopShowingReads(int descriptor, ConnectionSlot* slot);

}  // namespace torqued::server
