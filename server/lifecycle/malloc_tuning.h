#pragma once

#include <cstdint>
#include <limits>

namespace torqued::server {

/// Keeps the memory of large messages in the process instead of giving it back
/// to the system and faulting it in again with every call, as far as the memory
/// that the process may use allows it: each of kHeaps heaps keeps at most
/// KeptFreeInHeap. To be called before other threads start; does nothing where
/// the allocator is not glibc's.
void TuneMalloc(
    std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max());

}  // namespace torqued::server
