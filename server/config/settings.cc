#include "server/config/settings.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "server/flags/address.h"

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

std::string DefaultStore() {
  static constexpr char kSystem[] = "/var/lib/torqued";
  if (access(kSystem, W_OK | X_OK) == 0) {
    return std::string(kSystem) + "/models.db";
  }
  // The XDG specification: relative paths are to be ignored.
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && data[0] == '/') {
    return std::string(data) + "/torqued/models.db";
  }
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') {
    return std::string(home) + "/.local/share/torqued/models.db";
  }
  return {};
}

}  // namespace

std::string_view Version() { return TORQUED_VERSION; }

MemoryLimit FindMemoryLimit(const CgroupPlaces& places) {
  MemoryLimit limit;
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) limit.bytes = std::int64_t{pages} * size;
  for (const CgroupFolder& folder : CgroupFolders("memory", places)) {
    // Beyond memory.high a process is slowed down until it has given memory
    // back, which a server cannot.
    for (const char* name :
         {"/memory.max", "/memory.high", "/memory.limit_in_bytes"}) {
      std::ifstream file(folder.path + name);
      std::int64_t bytes = 0;  // which "max" is not
      if (file >> bytes && bytes > 0 && bytes < limit.bytes) {
        limit = {bytes, "cgroup"};
      }
    }
  }
  return limit;
}

Settings DefaultSettings(const MemoryLimit& memory) {
  Settings settings;
  settings.store = DefaultStore();
  settings.memory = memory;
  settings.max_message_bytes =
      std::clamp(memory.bytes / 64, kMebibyte, settings.max_message_bytes);
  // A message, three times, and its reply, twice, of a client that has half.
  settings.max_inflight_bytes =
      std::clamp(memory.bytes / 4, 10 * kMebibyte, settings.max_inflight_bytes);
  return settings;
}

std::string CheckListen(const Settings& settings, bool insecure) {
  for (const std::string& address : settings.listen) {
    const flags::Security security = flags::SecurityOf(address);
    if (security != flags::Security::kNone && settings.tls.cert.empty()) {
      return "--listen: " + address + " needs --tls-cert";
    }
    if (security == flags::Security::kMtls && settings.tls.client_ca.empty()) {
      return "--listen: " + address + " needs --tls-client-ca";
    }
    if (!insecure && !flags::IsLocal(address) &&
        (security == flags::Security::kNone || settings.rights.empty())) {
      return "--listen: other machines reach " + address +
             ", so it needs tls: or mtls: and --rights; --insecure "
             "(TORQUED_INSECURE=on) serves everybody";
    }
  }
  return {};
}

std::int64_t ArrivalBytes(const Settings& settings) {
  const std::int64_t besides =
      4 * settings.max_message_bytes +
      std::min(64 * kMebibyte, settings.memory.bytes / 8);
  // The largest number is no limit.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() - besides;
  return std::min(settings.max_inflight_bytes, most) + besides;
}

std::int64_t CachedSourceBytes(const Settings& settings) {
  return std::min(1024 * kMebibyte, settings.memory.bytes / 16) / 12;
}

void TuneMalloc([[maybe_unused]] std::int64_t memory_bytes) {
#ifdef __GLIBC__
  const auto bytes = [memory_bytes](std::int64_t most, int share) {
    return static_cast<int>(std::min(most, memory_bytes / share));
  };
  // Blocks below this come from the heap: an mmap and its page faults cost more
  // than the computing. 32 MiB is the most that glibc takes. Where memory is
  // scarce, large blocks go back to the system as soon as they are freed.
  mallopt(M_MMAP_THRESHOLD, bytes(32 * kMebibyte, 256));
  // Free memory at the top of a heap that is kept.
  mallopt(M_TRIM_THRESHOLD, bytes(128 * kMebibyte, 64));
  // What a heap grows by beyond what is asked for.
  mallopt(M_TOP_PAD, 4 * kMebibyte);
  // Messages wander from thread to thread, and every heap keeps what it once
  // held: with glibc's eight heaps per core a stream takes hundreds of MB where
  // there are many cores. Small blocks do not compete for the heaps, since each
  // thread keeps some of its own.
  mallopt(M_ARENA_MAX, 4);
#endif
}

}  // namespace torqued::server
