#include "server/registry/store_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace torqued::server {

FileId FileId::Of(int descriptor) {
  struct stat found{};
  if (fstat(descriptor, &found) != 0) return {};
  return {.device = found.st_dev, .inode = found.st_ino};
}

std::optional<FileId> FileId::Of(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{.device = found.st_dev, .inode = found.st_ino};
}

bool IsPathOfStore(const std::string& path) {
  return !path.empty() && !path.starts_with(':') && !path.starts_with("file:");
}

std::vector<std::string> FilesOfStore(const std::string& path) {
  return {path, path + "-wal", path + "-shm", path + "-journal",
          path + ".lock"};
}

bool RenameNoReplace(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return true;
  }
  // Network file systems and those in user space do not know the flag. A link
  // replaces nothing either.
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (link(from.c_str(), to.c_str()) != 0) return false;
  unlink(from.c_str());
  return true;
}

void SyncDirectory(const std::filesystem::path& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace torqued::server
