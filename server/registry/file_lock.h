// One process at a time.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "server/registry/store_files.h"

namespace torqued::server {

/// An advisory lock on a file. The system releases it when the process ends in
/// whatever way. A file that exists for the lock alone stays, empty or with the
/// process id of the last holder.
class FileLock {
 public:
  /// By another process or another FileLock of this one.
  struct Held {
    std::string pid;  // empty when not known
  };

  using Outcome = std::variant<std::unique_ptr<FileLock>, Held, std::string>;

  /// Does not wait; makes the file where there is none. The string says why the
  /// file cannot be locked at all.
  static Outcome Acquire(const std::string& path);

  /// The same of a file that has another purpose: its content stays, and the
  /// holder is not known. It is one file by whatever names it has. As closing
  /// any descriptor of a file ends its POSIX locks, those of SQLite among them,
  /// the lock must go after everything else that has the file open; and of a
  /// file that this process has locked nothing is opened to find that out.
  static Outcome AcquireItself(const std::string& path);

  /// Open as long as this lives; to be left open.
  int descriptor() const { return fd_; }

  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  enum class Content { kHolder, kForeign };
  FileLock(int fd, FileId id, Content content)
      : fd_(fd), id_(id), content_(content) {}

  int fd_;
  FileId id_;
  Content content_;
};

}  // namespace torqued::server
