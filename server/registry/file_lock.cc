#include "server/registry/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <set>
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

/// The files that this process has locked in themselves.
class LockedHere {
 public:
  static bool Has(const FileId& id) {
    const std::lock_guard lock(Mutex());
    return Ids().contains(id);
  }
  static void Add(const FileId& id) {
    const std::lock_guard lock(Mutex());
    Ids().insert(id);
  }
  static void Remove(const FileId& id) {
    const std::lock_guard lock(Mutex());
    Ids().erase(id);
  }

 private:
  static std::mutex& Mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static std::set<FileId>& Ids() {
    static std::set<FileId> ids;
    return ids;
  }
};

std::string CannotLock(const std::string& path, int error) {
  const bool offers_none =
      error == EBADF || error == ENOLCK || error == EOPNOTSUPP;
  return "cannot lock " + path + ": " + ErrnoText(error) +
         (offers_none ? " (is it on a network file system?)" : "");
}

/// To write where that is allowed: network file systems lock nothing else, and
/// of layers of file systems it brings forth the file that will be written.
int OpenToLock(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd >= 0 || (errno != EACCES && errno != EROFS && errno != EPERM &&
                  errno != ETXTBSY)) {
    return fd;
  }
  return open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

FileLock::Outcome FileLock::Acquire(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return "cannot open " + path + ": " + ErrnoText(errno);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    const std::string pid = ReadPid(fd);
    close(fd);
    if (error == EWOULDBLOCK) return Held{pid};
    return CannotLock(path, error);
  }
  // A courtesy to whoever is refused; the lock holds without it.
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(fd, 0) == 0 && pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    errno = 0;
  }
  return std::unique_ptr<FileLock>(
      new FileLock(fd, FileId::Of(fd), Content::kHolder));
}

FileLock::Outcome FileLock::AcquireItself(const std::string& path) {
  if (const auto id = FileId::Of(path); id && LockedHere::Has(*id)) {
    return Held{std::to_string(getpid())};
  }
  const int fd = OpenToLock(path);
  if (fd < 0) return "cannot open it: " + ErrnoText(errno);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    close(fd);
    if (error == EWOULDBLOCK) return Held{};
    return CannotLock(path, error);
  }
  const FileId id = FileId::Of(fd);
  LockedHere::Add(id);
  return std::unique_ptr<FileLock>(new FileLock(fd, id, Content::kForeign));
}

FileLock::~FileLock() {
  if (content_ == Content::kForeign) {
    LockedHere::Remove(id_);
  } else if (ftruncate(fd_, 0) != 0) {
    errno = 0;
  }
  close(fd_);
}

}  // namespace torqued::server
