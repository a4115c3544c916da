// A file that this process alone may change.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <mutex>

namespace torqued::server {

/// Notices that a file was written by others, which the one that writes it
/// here does not: SQLite goes by its log and by its memory. Thread-safe.
class OwnFile {
 public:
  /// A descriptor of it, which stays open.
  explicit OwnFile(int descriptor)
      : descriptor_(descriptor), seen_(Look(descriptor)) {}

  /// Whether it is as it was left here.
  bool unchanged() const {
    const std::lock_guard lock(mutex_);
    return Look(descriptor_) == seen_;
  }

  /// Calls `write`, the one place that writes the file, and notes what it left.
  /// False: others have changed it; nothing was called.
  template <class Write>
  bool Change(const Write& write) {
    const std::lock_guard lock(mutex_);
    if (Look(descriptor_) != seen_) return false;
    write();
    seen_ = Look(descriptor_);
    return true;
  }

 private:
  /// What every write changes.
  struct State {
    off_t size = 0;
    std::array<decltype(timespec::tv_sec), 2> written{};  // s, ns
    /// SQLite's header: the number of pages and of changes, among others.
    std::array<char, 100> begin{};

    bool operator==(const State&) const = default;
  };
  static State Look(int descriptor);

  const int descriptor_;
  mutable std::mutex mutex_;
  State seen_;
};

}  // namespace torqued::server
