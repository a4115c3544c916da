#include "server/registry/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace torqued::server {
namespace {

std::string ErrnoText(int error) {
  return std::generic_category().message(error);
}

// Empty when the holder has not written it yet.
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

std::variant<std::unique_ptr<FileLock>, FileLock::Held, std::string>
FileLock::Acquire(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return "cannot open " + path + ": " + ErrnoText(errno);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    const std::string pid = ReadPid(fd);
    close(fd);
    if (error == EWOULDBLOCK) return Held{pid};
    return "cannot lock " + path + ": " + ErrnoText(error);
  }
  // A courtesy to whoever is refused; the lock holds without it.
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
