#include "server/lifecycle/malloc_tuning.h"

#include <malloc.h>

#include <algorithm>

#include "server/config/byte_limits.h"

namespace torqued::server {

void TuneMalloc(std::int64_t memory_bytes) {
#ifdef __GLIBC__
  // Blocks below this come from the heap: an mmap and its page faults cost more
  // than the computing. 32 MiB is the most that glibc takes. Where memory is
  // scarce, large blocks go back to the system as soon as they are freed.
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(std::min<std::int64_t>(
                                32 << 20, memory_bytes / 256)));
  // Free memory at the top of a heap that is kept.
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(KeptFreeInHeap(memory_bytes)));
  // What a heap grows by beyond what is asked for.
  mallopt(M_TOP_PAD, 4 << 20);
  // Messages wander from thread to thread, and every heap keeps what it once
  // held: with glibc's eight heaps per core a stream takes hundreds of MB where
  // there are many cores. Small blocks do not compete for the heaps, since each
  // thread keeps some of its own.
  mallopt(M_ARENA_MAX, kHeaps);
#endif
}

}  // namespace torqued::server
