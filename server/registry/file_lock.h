// One process at a time.
#pragma once

#include <memory>
#include <string>
#include <variant>

namespace torqued::server {

/// An advisory lock on a file that exists for it alone. The system releases it
/// when the process ends in whatever way; the file stays, empty or with the
/// process id of the last holder.
class FileLock {
 public:
  /// By another process or another FileLock of this one.
  struct Held {
    std::string pid;  // empty when not known
  };

  /// Does not wait. The string says why the file cannot be locked at all.
  static std::variant<std::unique_ptr<FileLock>, Held, std::string> Acquire(
      const std::string& path);

  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  explicit FileLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace torqued::server
