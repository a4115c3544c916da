#include "server/config/default_store.h"

#include <unistd.h>

#include <cstdlib>

namespace torqued::server {

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

}  // namespace torqued::server
