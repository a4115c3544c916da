#include "server/connections/process_memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <charconv>

namespace torqued::server {

std::int64_t ResidentBytes() {
  // Two numbers of pages: all, and those in use.
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];
  const ssize_t size = pread(file, text, sizeof text, 0);
  if (size <= 0) return 0;
  const char* end = text + size;
  const char* at = text;
  while (at != end && *at != ' ') ++at;
  std::int64_t pages = 0;
  if (at != end) std::from_chars(at + 1, end, pages);
  return pages * sysconf(_SC_PAGESIZE);
}

void ReturnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace torqued::server
