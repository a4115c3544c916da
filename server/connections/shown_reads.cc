#include "server/connections/shown_reads.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <span>

namespace torqued::server {
namespace {

/// By descriptor. As many as all connections there may be have; what has a
/// higher number is not shown.
constinit std::array<std::atomic<ConnectionSlot*>, std::size_t{1} << 18> slots;

std::atomic<ConnectionSlot*>* SlotAt(int descriptor) {
  const auto at = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && at < slots.size() ? &slots[at] : nullptr;
}

bool Passes(HeaderMeter& meter, const msghdr& message, std::size_t count) {
  const std::span parts(message.msg_iov, message.msg_iovlen);
  for (const iovec& part : parts) {
    const std::size_t here = std::min(part.iov_len, count);
    if (!meter.Read({static_cast<const std::uint8_t*>(part.iov_base), here})) {
      return false;
    }
    count -= here;
  }
  return true;
}

/// Whether gRPC may have what it has read.
bool MayHave(ConnectionSlot& slot, int descriptor, const msghdr& message,
             std::size_t count) {
  const std::lock_guard lock(slot.mutex);
  const Connection& connection = slot.connection;
  if (connection.id == kNoConnection) return true;
  const bool aborted = slot.aborted.load() == connection.id;
  if (!aborted && Passes(slot.meter, message, count)) return true;
  // gRPC may be through with the connection, and the number another's.
  if (!AreSameSocket(descriptor, connection.descriptor)) return true;
  if (aborted) return false;
  slot.aborted = connection.id;
  AbortSocket(connection.descriptor);
  try {
    slot.observer->OnEndlessHeaders(connection);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // The connection has ended. Only the line of the log is lost.
  }
  return false;
}

}  // namespace

void ShowReads(int descriptor, ConnectionSlot* slot) {
  if (auto* at = SlotAt(descriptor)) *at = slot;
}

void StopShowingReads(int descriptor, ConnectionSlot* slot) {
  if (auto* at = SlotAt(descriptor)) at->compare_exchange_strong(slot, nullptr);
}

}  // namespace torqued::server

// That of the process goes before that of the system's library, for all
// libraries.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) ssize_t
recvmsg(int descriptor, msghdr* message, int flags) {
  namespace server = torqued::server;
  const ssize_t count = syscall(SYS_recvmsg, descriptor, message, flags);
  if (count <= 0 || flags != 0) return count;
  const auto* at = server::SlotAt(descriptor);
  server::ConnectionSlot* slot = at == nullptr ? nullptr : at->load();
  if (slot == nullptr || server::MayHave(*slot, descriptor, *message,
                                         static_cast<std::size_t>(count))) {
    return count;
  }
  errno = ECONNRESET;
  return -1;
}
