// What gRPC reads from the sockets of connections, shown before it has it.
#pragma once

#include "server/connections/connection_slot.h"

namespace torqued::server {

/// gRPC shows nobody what it reads, and reads by recvmsg: that of the process
/// is the one here, which does what the system's does. What it reads for gRPC
/// from the connection in a slot goes through the slot's meter first; where
/// headers hold more than they may, and once the connection has been aborted,
/// gRPC is told that it was reset, and gets no byte of that.
/// `descriptor`: gRPC's own. `slot` must stay until StopShowingReads.
void ShowReads(int descriptor, ConnectionSlot* slot);
/// Unless another slot has the descriptor by now.
void StopShowingReads(int descriptor, ConnectionSlot* slot);

}  // namespace torqued::server
