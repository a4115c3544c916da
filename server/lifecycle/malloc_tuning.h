#pragma once

namespace torqued::server {

/// Keeps the memory of large messages in the process instead of giving it back
/// to the system and faulting it in again with every call. To be called before
/// other threads start; does nothing where the allocator is not glibc's.
void TuneMalloc();

}  // namespace torqued::server
