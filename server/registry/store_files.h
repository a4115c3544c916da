// The files of a model store.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace torqued::server {

/// False for names that SQLite takes for databases in memory or for URIs.
bool IsPathOfStore(const std::string& path);

/// The file and those beside it while a server has it open: write-ahead log,
/// shared memory, rollback journal, lock.
std::vector<std::string> FilesOfStore(const std::string& path);

/// Makes the name of a new file durable.
void SyncDirectory(const std::filesystem::path& directory);

/// An advisory lock on a file that exists for it alone and holds the process id
/// of the holder. The system releases it when the process ends.
class FileLock {
 public:
  /// By another process or another FileLock of this one.
  struct Held {
    std::string pid;  // empty if not known
  };

  /// Does not wait; creates the file if it is not there. The string says why
  /// the file cannot be locked at all.
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
