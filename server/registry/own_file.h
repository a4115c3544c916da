// A store's file, which this process alone may change.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/registry/log_frames.h"

namespace torqued::server {

/// Notices that pages of other content were written into the file by others,
/// which SQLite does not: it goes by its log and by its memory. Each page must
/// be as it was last seen, or as the log has had it since. So to touch the file
/// does nothing, nor does to copy the log into it, whoever does it. What was
/// committed to a log that was emptied before it was read here is taken as it
/// is found.
///
/// Once it is noticed, it is so for good: the log is taken from its name, so
/// that nobody takes it for that of what is in the file now. Thread-safe. Keeps
/// 8 bytes for each page, and 16 for each of the log that is not copied yet.
class OwnFile {
 public:
  /// `descriptor`: of the file, which SQLite has open with its log beside it;
  /// stays open. A file of more than `looked_through` bytes takes too long for
  /// whoever writes.
  OwnFile(std::string path, int descriptor,
          std::int64_t looked_through = std::int64_t{64} << 20);

  /// What others have done to it, as a sentence fragment that names it; empty:
  /// nothing. Reads all of the file where it looks changed, and holds up nobody
  /// meanwhile but who asks the same.
  std::string Problem();

  /// The same where that does not take long. Nothing: it does, and somebody is
  /// to ask for Problem.
  std::optional<std::string> KnownProblem();

  /// Calls `write`, the one place that writes the file, out of the log, and
  /// looks at what it has written, and at a file that is not too large as a
  /// whole.
  /// Nobody here may write the log meanwhile. False: there is a problem, or
  /// what it is takes long; nothing was called.
  template <class Write>
  bool Change(const Write& write) {
    std::unique_lock lock(mutex_);
    if (TakesLong() || !IsOurs(lock)) return false;
    ReadLog();
    write();
    NoteChange(lock);
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
  struct Page {
    std::uint32_t number = 0;  // from 1
    PageSum sum = 0;
  };
  /// What a look has found.
  struct Found {
    std::size_t pages = 0;
    std::vector<Page> changed;  // since the last look, of these
    /// So many of `frames_` were in the file before it.
    std::size_t copied = 0;
    std::int64_t misses = 0;  // before it
  };
  enum class Content : std::uint8_t { kOurs, kForeign, kUnreadable };
  class Looking;

  State Look() const;
  bool LooksChanged(const State& now) const;
  bool TakesLong() const;
  bool IsOurs(std::unique_lock<std::mutex>& lock);
  void NoteChange(std::unique_lock<std::mutex>& lock);
  void ReadLog();
  Found NewLook() const;
  /// Calls `see` with the sum of each page, in order. False: they cannot be
  /// read.
  template <class See>
  bool ReadPages(const See& see) const;
  /// Of the whole file, without the lock while it is read.
  Content Compare(std::unique_lock<std::mutex>& lock, Found& found);
  /// Of what SQLite may just have written.
  Content CompareWritten(const State& now, Found& found);
  /// The sum is that of what is there now.
  Content CheckPage(Page& page);
  bool Fits(const Page& page);
  bool FitsAsMany(std::size_t pages) const;
  void Settle(const Found& found, const State& now);
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
  /// Of the file when it was last looked through. Who looks may read them
  /// without the lock: nobody else writes them.
  std::deque<PageSum> pages_;
  /// What was committed to the log since, in this order, and whatever else is
  /// not in the file yet.
  std::vector<LogFrames::Frame> frames_;
  /// Where in them the present run of the log begins; less than 0 where they do
  /// not have all of it. And how many of them are in the file.
  std::int64_t run_begins_ = 0;
  std::int64_t copied_ = 0;
  /// They by page and sum; empty: not made yet.
  std::vector<Page> versions_;
  /// How often commits were not read, ever, and when it was last looked
  /// through.
  std::int64_t misses_ = 0;
  std::int64_t settled_misses_ = 0;
  bool looking_ = false;  // somebody reads all of it
  std::condition_variable looked_;
  bool lost_ = false;
  bool aside_ = false;  // the log of one that is lost
  std::string problem_;
};

}  // namespace torqued::server
