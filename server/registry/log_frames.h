// What is in SQLite's write-ahead log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

/// Follows the log of a store, by the index that SQLite keeps of it in the
/// shared memory beside it. Not thread-safe. To go after all connections of
/// this process to the store: closing the index ends their locks on it.
class LogFrames {
  /// In each frame of the present run of the log.
  using Salts = std::array<char, 8>;
  struct Place {
    Salts salts{};
    std::int64_t committed = 0;
    std::uint32_t commits = 0;  // ever; those before were not followed
  };

 public:
  /// A page as it was committed to the log.
  struct Frame {
    std::uint32_t page = 0;  // from 1
    /// So many pages the store has after it, where it ends a commit; else 0.
    std::uint32_t pages_of_store = 0;
    PageSum sum = 0;
  };
  struct News {
    bool restarted = false;  // emptied, or begun anew at its beginning
    /// There were commits that are in neither run: the log began anew before
    /// they were read.
    bool missed = false;
    std::vector<Frame> frames;
    std::int64_t copied = 0;  // frames of this run, into the store's file

   private:
    friend class LogFrames;
    Place place;
  };

  /// Of the store's path; the log and its index are there.
  explicit LogFrames(const std::string& path);
  ~LogFrames();
  LogFrames(const LogFrames&) = delete;
  LogFrames& operator=(const LogFrames&) = delete;

  /// Why it cannot be followed; empty: it can.
  const std::string& problem() const { return problem_; }

  /// What was committed since what was kept. Nothing: the index is just being
  /// written.
  std::optional<News> Read() const;
  void Keep(const News& news) { kept_ = news.place; }

  /// Frames of the present run, when it was last kept.
  std::int64_t committed() const { return kept_ ? kept_->committed : 0; }

  FileId id() const { return FileId::Of(log_); }

 private:
  struct Index {
    Place place;
    std::int64_t copied = 0;
    std::size_t page_bytes = 0;
  };
  std::optional<Index> ReadIndex() const;

  const int log_;
  const int index_;
  std::string problem_;
  std::optional<Place> kept_;
};

}  // namespace torqued::server
