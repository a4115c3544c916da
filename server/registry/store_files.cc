#include "server/registry/store_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace torqued::server {
namespace {

// Empty if the holder has not written it yet.
std::string ReadPid(int fd) {
  std::array<char, 20> text;
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  std::string pid(text.data(),
                  static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  pid.erase(std::find_if(pid.begin(), pid.end(),
                         [](char c) { return c < '0' || c > '9'; }),
            pid.end());
  return pid;
}

}  // namespace

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

std::variant<std::unique_ptr<FileLock>, FileLock::Held, std::string>
FileLock::Acquire(const std::string& path) {
  const auto text = [](int error) {
    return std::generic_category().message(error);
  };
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return "cannot open " + path + ": " + text(errno);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    const std::string pid = ReadPid(fd);
    close(fd);
    if (error == EWOULDBLOCK) return Held{pid};
    return "cannot lock " + path + ": " + text(error) +
           " (is it on a network file system?)";
  }
  // For the message of the next one; the lock holds without it.
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(fd, 0) == 0 && pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    errno = 0;
  }
  return std::unique_ptr<FileLock>(new FileLock(fd));
}

FileLock::~FileLock() {
  if (ftruncate(fd_, 0) != 0) errno = 0;
  close(fd_);
}

}  // namespace torqued::server
