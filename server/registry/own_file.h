// A store's file, which this process alone may change.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/registry/log_frames.h"

namespace torqued::server {

/// Notices that pages of other content were written into the file by others,
/// which SQLite does not: it goes by its log and by its memory. Each page must
/// be as it was last seen, or as the log has had it since. So to touch the file
/// does nothing, nor does to copy the log into it, whoever does it.
///
/// Once it is noticed, it is so for good: the log is taken from its name, so
/// that nobody takes it for that of what is in the file now. Thread-safe.
class OwnFile {
 public:
  /// `descriptor`: of the file, which SQLite has open with its log beside it;
  /// stays open. A file of more than `looked_through` bytes takes too long
  /// after each write of our own.
  OwnFile(std::string path, int descriptor,
          std::int64_t looked_through = std::int64_t{64} << 20);

  /// What others have done to it, as a sentence fragment that names it; empty:
  /// nothing. Reads all of the file where it looks changed.
  std::string Problem();

  /// Calls `write`, the one place that writes the file, out of the log, and
  /// looks at what it has written, and at a file that is not too large as a
  /// whole.
  /// Nobody here may write the log meanwhile. False: there is a problem;
  /// nothing was called.
  template <class Write>
  bool Change(const Write& write) {
    const std::lock_guard lock(mutex_);
    if (!IsOurs()) return false;
    ReadLog();
    // A commit that failed may have left frames that were written anew since.
    ReadAllOfLog();
    write();
    NoteChange();
    return true;
  }

  /// The log was written here, and is not now.
  void NoteLog();

 private:
  /// What every write changes.
  struct State {
    std::int64_t size = 0;
    std::array<decltype(timespec::tv_sec), 4> times{};
    /// SQLite's header: the number of pages and of changes, among others.
    std::array<char, 100> begin{};

    bool operator==(const State&) const = default;
  };
  /// What a log has had.
  struct Logged {
    std::set<std::pair<std::uint32_t, PageSum>> pages;  // from 1
    /// So many of them its commits have left the file with.
    std::set<std::size_t> counts;
  };
  enum class Content : std::uint8_t { kOurs, kForeign, kUnreadable };

  State Look() const;
  bool IsOurs();
  void NoteChange();
  void ReadLog();
  void ReadAllOfLog();
  void Take(const LogFrames::News& news);
  /// False: it cannot be read.
  bool ReadPages(std::vector<PageSum>& sums) const;
  Content Compare(std::vector<PageSum>& sums);
  /// The same of what SQLite may just have written.
  Content CompareWritten(const State& now, std::vector<PageSum>& sums);
  /// The sum is that of what is there now.
  Content CheckPage(std::size_t page, PageSum& sum);
  bool Fits(std::size_t page, PageSum sum) const;
  bool FitsAsMany(std::size_t pages) const;
  void Lose();
  void PutAside();

  const std::string path_;
  const int descriptor_;
  const std::int64_t looked_through_;
  std::mutex mutex_;  // guards what follows
  LogFrames log_;
  State seen_;
  const std::size_t page_bytes_;
  const PageSum sum_of_hole_;
  std::vector<PageSum> pages_;  // of the file when it was last looked through
  Logged logged_;
  /// The same of the log before it began anew, until the file is looked
  /// through.
  Logged outdated_;
  bool lost_ = false;
  bool aside_ = false;  // the log of one that is lost
  std::string problem_;
};

}  // namespace torqued::server
