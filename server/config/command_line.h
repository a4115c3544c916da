// Settings from flags, environment and file; the first that names one wins.
#pragma once

#include <string>
#include <variant>

#include "server/config/rights.h"
#include "server/config/settings.h"

namespace torqued::server {

/// Nothing to serve: print and exit.
struct EarlyExit {
  int code = 0;  // 2: usage, of `torqued store` 64
  std::string out;
  std::string err;
};

/// Ask the server at this address whether it serves, and exit.
struct HealthCheckCommand {
  std::string address;
  std::string address_file;  // that has the address; empty: `address` is it
  ClientTls tls;
};

/// Copy the store to this file, and exit.
struct StoreBackupCommand {
  std::string store;
  std::string file;
  bool overwrite = false;
};

/// Say whether this store is whole, and exit.
struct StoreCheckCommand {
  std::string file;
};

/// Append a client to this file of rights, print its token, and exit.
struct TokenCommand {
  std::string file;
  Grant grant;
};

using Command = std::variant<Settings, HealthCheckCommand, StoreBackupCommand,
                             StoreCheckCommand, TokenCommand, EarlyExit>;

/// Every setting is a flag (--max-rows), an environment variable
/// (TORQUED_MAX_ROWS) and a key of the file given by --config (max-rows = 5).
Command ParseCommandLine(int argc, const char* const* argv);

}  // namespace torqued::server
