// Everything that can be configured.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch/cgroup.h"
#include "core/model/validation.h"
#include "server/observability/logging.h"

namespace torqued {
struct LaneKernels;
}

namespace torqued::server {

/// Of every address that names none.
inline constexpr int kDefaultPort = 7421;

std::string_view Version();

/// How much memory this process may use.
struct MemoryLimit {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  /// What sets it: "cgroup", or "RAM", that of the machine.
  std::string_view source = "RAM";
};

/// The least of the machine's memory and of the limits of memory of the
/// process's cgroup and those above it (v1: memory.limit_in_bytes, v2:
/// memory.max and memory.high). Not the limits of its address space, which
/// stacks and reserves that are never touched count for.
MemoryLimit FindMemoryLimit(const CgroupPlaces& places = {});

/// PEM files of TLS.
struct TlsFiles {
  std::string cert;       // the chain, the server's own first
  std::string key;        // empty: in `cert`
  std::string client_ca;  // empty: no certificates of clients
};

/// PEM files and the name of a client of an address with TLS; each may be
/// empty.
struct ClientTls {
  std::string ca, cert, key, server_name;
  bool verifies = true;  // the server's certificate
};

struct Settings {
  /// "HOST:PORT" (port 0: a free one), behind "tls:" or "mtls:" with TLS, or
  /// "unix:PATH".
  std::vector<std::string> listen{"127.0.0.1:" + std::to_string(kDefaultPort)};
  /// Receives the bound addresses, one a line, once the server serves.
  std::string address_file;
  TlsFiles tls;
  std::string rights;          // file; empty: everybody may do everything
  bool read_only = false;      // no registrations and deletions
  std::string metrics_listen;  // "HOST:PORT" of HTTP; empty: none
  std::string store;
  std::vector<std::string> models;
  Validation models_validation = Validation::kDefault;  // of what is in them
  int threads = 0;                      // 0: those that this process may use
  const LaneKernels* target = nullptr;  // null: the widest of this machine
  LogFormat log_format = LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;
  bool reflection = true;
  MemoryLimit memory;  // of this process
  // Of these two, the most that they are unless named: DefaultSettings.
  std::int64_t max_message_bytes = 16 << 20;  // of a request and of a reply
  std::int64_t max_inflight_bytes = std::int64_t{1} << 30;
  std::int64_t max_rows = 1'000'000;  // of a request
  std::int64_t max_inflight_streams = 1000;
  std::int64_t max_models = 10'000;  // names in the store
  /// A client that has sent nothing for so long is pinged; 0: never.
  std::chrono::milliseconds keepalive{60'000};
  /// An older connection takes no new calls; 0: never.
  std::chrono::milliseconds max_connection_age{0};
  std::chrono::milliseconds drain_grace{30'000};
  /// Names like those of settings in the environment, which mean nothing.
  std::vector<std::string> unknown_variables;
};

/// Settings where none is named. The two limits of bytes are shares of the
/// memory, but at least what a server needs to be of use. The store is
/// /var/lib/torqued/models.db if that directory exists and is writable
/// (packages and container images make it), otherwise
/// ${XDG_DATA_HOME:-~/.local/share}/torqued/models.db; empty: there is no home
/// either.
Settings DefaultSettings(const MemoryLimit& memory);

/// Why the settings lack the certificates or rights that their addresses need;
/// empty if they have them. `insecure`: everybody may be served.
std::string CheckListen(const Settings& settings, bool insecure);

/// Memory for what arrives, of all connections together, before it is a message
/// that can be admitted: as much as may be under way, and four of the largest
/// messages even where that is little. The rest is for the connections
/// themselves.
std::int64_t ArrivalBytes(const Settings& settings);

/// The sources of the models that are kept in memory, which take with what was
/// made of them 12 times as much.
std::int64_t CachedSourceBytes(const Settings& settings);

/// Keeps the memory of large messages in the process instead of giving it back
/// to the system and faulting it in again with every call, as far as the memory
/// that the process may use allows it. To be called before other threads
/// start; does nothing where the allocator is not glibc's.
void TuneMalloc(std::int64_t memory_bytes = MemoryLimit{}.bytes);

}  // namespace torqued::server
