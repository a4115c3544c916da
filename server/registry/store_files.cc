#include "server/registry/store_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

OpenFiles::OpenFiles(const std::string& path, const FileId& file,
                     const OwnFile& content)
    : content_(&content) {
  files_.push_back({path, file});
  for (const char* end : {"-wal", "-shm"}) {
    files_.push_back({path + end, FileId::Of(path + end)});
  }
}

std::string OpenFiles::Problem() const {
  for (const Known& known : files_) {
    const auto now = FileId::Of(known.path);
    if (now == known.id) continue;
    return known.path + (now ? " was replaced" : " was deleted") +
           " while the server has it open";
  }
  if (!content_->unchanged()) {
    return files_.front().path +
           " was written by another program while the server has it open";
  }
  return {};
}

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
