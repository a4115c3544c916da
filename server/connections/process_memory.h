// The memory of this process.
#pragma once

#include <cstdint>

namespace torqued::server {

/// Bytes in use, as the system counts them; 0 where it does not tell.
std::int64_t ResidentBytes();

/// Gives what the allocator keeps of freed memory back to the system. Takes
/// some 0.2 ms a MB, in which threads that want memory wait; does nothing where
/// the allocator is not glibc's.
void ReturnFreeMemory();

}  // namespace torqued::server
