#include "server/lifecycle/private_directory.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "server/flags/address.h"
#include "server/registry/store_files.h"

namespace torqued::server {

void RemovePrivateDirectory(const Settings& settings) {
  namespace fs = std::filesystem;
  if (settings.private_directory.empty()) return;
  std::error_code ignored;
  const fs::path directory =
      fs::weakly_canonical(settings.private_directory, ignored);
  std::vector<std::string> files = FilesOfStore(settings.store);
  files.push_back(settings.address_file);
  files.push_back((directory / "stderr").string());
  for (const std::string& address : settings.listen) {
    if (!flags::IsUnixAddress(address)) continue;
    files.emplace_back(flags::SocketPath(address));
  }
  for (const std::string& file : files) {
    const fs::path path = fs::weakly_canonical(file, ignored);
    if (path.parent_path() == directory) fs::remove(path, ignored);
  }
  fs::remove(directory, ignored);  // only when it is empty
}

}  // namespace torqued::server
