// What is in SQLite's write-ahead log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "server/registry/store_files.h"

namespace torqued::server {

/// Of the bytes of a page; another for other bytes.
using PageSum = std::uint64_t;
PageSum SumOf(const char* bytes, std::size_t size);

/// Reads until `size` bytes are there or the file ends. How many there are;
/// negative: it cannot be read.
std::int64_t ReadAt(int descriptor, char* bytes, std::size_t size,
                    std::int64_t offset);

/// Follows the log of a store. Not thread-safe.
class LogFrames {
  /// In the header of the log and of each frame of its present run.
  using Salts = std::array<char, 8>;

 public:
  /// A page as it is written in the log.
  struct Frame {
    std::uint32_t page = 0;  // from 1
    PageSum sum = 0;
  };
  struct News {
    bool restarted = false;  // emptied, or begun anew at its beginning
    std::vector<Frame> frames;
    std::int64_t committed = 0;  // frames, in all
    /// So many pages each commit among them leaves the store with.
    std::set<std::size_t> pages_of_store;

   private:
    friend class LogFrames;
    Salts salts{};
  };

  /// Of a log that is there.
  explicit LogFrames(const std::string& path);
  ~LogFrames();
  LogFrames(const LogFrames&) = delete;
  LogFrames& operator=(const LogFrames&) = delete;

  /// What it has got since what was kept. What was not committed then comes
  /// again.
  News Read() const { return ReadFrom(kept_); }
  /// What it has.
  News ReadAll() const { return ReadFrom({}); }
  /// For what was read while nobody wrote the log.
  void Keep(const News& news);

  FileId id() const { return FileId::Of(descriptor_); }

 private:
  struct Place {
    Salts salts{};
    std::int64_t committed = 0;
  };
  News ReadFrom(const Place& place) const;

  const int descriptor_;
  Place kept_;
};

}  // namespace torqued::server
