// Everything that can be configured.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/validation.h"
#include "server/config/memory_limit.h"
#include "server/observability/logging.h"

namespace torqued {
struct LaneKernels;
}

namespace torqued::server {

/// Of every address that names none.
inline constexpr int kDefaultPort = 7421;

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
  // Of these two, the most that they are unless named: SetShares.
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

}  // namespace torqued::server
