#include "server/registry/store_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace torqued::server {

bool IsPathOfStore(const std::string& path) {
  return !path.empty() && !path.starts_with(':') && !path.starts_with("file:");
}

std::vector<std::string> FilesOfStore(const std::string& path) {
  return {path, path + "-wal", path + "-shm", path + "-journal",
          path + ".lock"};
}

void SyncDirectory(const std::filesystem::path& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace torqued::server
