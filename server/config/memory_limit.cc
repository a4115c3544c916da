#include "server/config/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace torqued::server {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

/// The number in a file; none where it says "max" or is not there.
std::int64_t BytesIn(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : kNone;
}

std::int64_t CgroupBytes(const CgroupPlaces& places) {
  std::int64_t least = kNone;
  for (const auto& [path, v2] : CgroupFolders("memory", places)) {
    // Beyond memory.high a process is slowed down until it has given memory
    // back, which a server cannot.
    least = v2 ? std::min({least, BytesIn(path + "/memory.max"),
                           BytesIn(path + "/memory.high")})
               : std::min(least, BytesIn(path + "/memory.limit_in_bytes"));
  }
  return least;
}

std::int64_t MachineBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? std::int64_t{pages} * size : kNone;
}

}  // namespace

MemoryLimit FindMemoryLimit(const CgroupPlaces& places) {
  const std::int64_t machine = MachineBytes();
  const std::int64_t cgroup = CgroupBytes(places);
  if (cgroup < machine) return {cgroup, "cgroup"};
  return {machine, "RAM"};
}

}  // namespace torqued::server
