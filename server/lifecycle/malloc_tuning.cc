#include "server/lifecycle/malloc_tuning.h"

#include <malloc.h>

namespace torqued::server {

void TuneMalloc() {
#ifdef __GLIBC__
  // Blocks below this come from the heap: an mmap and its page faults cost more
  // than the computing. 32 MiB is the most that glibc takes.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  // Free memory at the top of a heap that is kept.
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
  // What a heap grows by beyond what is asked for.
  mallopt(M_TOP_PAD, 4 << 20);
#endif
}

}  // namespace torqued::server
