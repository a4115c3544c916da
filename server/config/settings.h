// Everything that can be configured: by flags, environment and file.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/cores.h"
#include "core/model/lint.h"
#include "server/config/rights.h"
#include "server/observability/logging.h"

namespace torqued {
struct SimdKernels;
}

namespace torqued::server {

inline void Require(bool good, const std::string& why) {
  if (!good) throw std::runtime_error(why);
}

inline constexpr int kDefaultPort = 7421;

std::string_view Version();

struct MemoryLimit {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::string_view source = "RAM";  // or "cgroup"
};

/// The least of the machine's memory and of the limits of the process's
/// cgroups.
MemoryLimit FindMemoryLimit(const CgroupPlaces& places = {});

struct TlsFiles {
  std::string cert;       // the chain, the server's own first
  std::string key;        // empty: in `cert`
  std::string client_ca;  // empty: no certificates of clients
};

/// PEM files and the name that a client asks for; each may be empty.
struct ClientTls {
  std::string ca, cert, key, server_name;
  bool verifies = true;   // the server's certificate
  std::string pair = {};  // PEM of certificate and key, instead of their files
};

struct Settings {
  std::vector<std::string> listen{"127.0.0.1:" + std::to_string(kDefaultPort)};
  std::string address_file;
  TlsFiles tls;
  std::string rights;
  bool read_only = false;
  std::string metrics_listen;
  std::string store;
  std::vector<std::string> models;
  Validation models_validation = Validation::kDefault;
  int threads = 0;
  const SimdKernels* target = nullptr;  // null: the widest of this machine
  LogFormat log_format = LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;
  bool reflection = true;
  MemoryLimit memory;  // of this process
  // Upper bounds of the defaults of these two: DefaultSettings.
  std::int64_t max_message_bytes = 16 << 20;
  std::int64_t max_inflight_bytes = std::int64_t{1} << 30;
  std::int64_t max_rows = 1'000'000;
  std::int64_t max_inflight_streams = 1000;
  std::int64_t max_models = 10'000;
  std::chrono::milliseconds keepalive{60'000};
  std::chrono::milliseconds max_connection_age{0};
  std::chrono::milliseconds drain_grace{30'000};
  /// Names like those of settings in the environment, which mean nothing.
  std::vector<std::string> unknown_variables;
};

/// Settings where none is named. The two limits of bytes are shares of the
/// memory. The store is /var/lib/torqued/models.db if that directory is
/// writable, else in ${XDG_DATA_HOME:-~/.local/share}/torqued; empty: no home.
Settings DefaultSettings(const MemoryLimit& memory);

/// Memory for what arrives, of all connections, before it can be admitted.
std::int64_t ArrivalBytes(const Settings& settings);

/// The sources of the models that are kept in memory, which take with what was
/// made of them 12 times as much.
std::int64_t CachedSourceBytes(const Settings& settings);

/// Keeps the memory of large messages in the process, as far as its memory
/// allows it. To be called before other threads start.
void TuneMalloc(std::int64_t memory_bytes = MemoryLimit{}.bytes);

/// The bytes of a file; none, and errno, if it cannot be read.
std::optional<std::string> ReadText(const std::string& path);

/// The values of a file of settings or of rights, in TOML.
struct ConfigEntry {
  std::string key;  // "a.b" in a section
  std::vector<std::string> values;
  std::string place;  // "torqued.toml: line 3"
};
/// Throws std::runtime_error: why it cannot be read, and where.
std::vector<ConfigEntry> ReadConfigFile(const std::string& path);
/// A value as a file has it: a number, or a string in quotes.
std::string ConfigValue(const std::string& text);

struct EarlyExit {
  int code = 0;  // 2: usage, of `torqued store` and `token` 64
  std::string out, err;
};

struct HealthCheckCommand {
  std::string address;
  std::string address_file;  // that has the address; empty: `address` is it
  ClientTls tls;
};

struct StoreCommand {
  std::string store;
  std::string copy;  // file to be made; empty: none
  bool overwrite = false;
};

struct TokenCommand {
  std::string file;
  Grant grant;
};

/// Settings to serve with, or what to do instead. A flag overrides an
/// environment variable, and that a file.
using Command = std::variant<Settings, EarlyExit, HealthCheckCommand,
                             StoreCommand, TokenCommand>;
Command ParseCommandLine(int argc, const char* const* argv);

}  // namespace torqued::server
