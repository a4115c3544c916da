#include "server/registry/log_frames.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>
#include <system_error>

namespace torqued::server {
namespace {

// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
constexpr std::size_t kLogHeader = 32;
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kCommitAt = 4;
constexpr std::size_t kFrameSaltsAt = 8;

// https://www.sqlite.org/walformat.html#the_wal_index_file_format: a header
// twice, and how many frames are copied. Numbers are those of the machine.
constexpr std::size_t kIndexHeader = 48;
constexpr std::size_t kCommitsAt = 8;
constexpr std::size_t kPageBytesAt = 14;
constexpr std::size_t kCommittedAt = 16;
constexpr std::size_t kSaltsAt = 32;
constexpr std::size_t kCopiedAt = 2 * kIndexHeader;
constexpr std::size_t kIndexBytes = kCopiedAt + 4;

// It takes some nanoseconds to write it.
constexpr int kLooksAtIndex = 100;

std::uint32_t BigEndian(const char* bytes) {
  std::uint32_t value = 0;
  for (int k = 0; k < 4; ++k) {
    value = value << 8 | static_cast<unsigned char>(bytes[k]);
  }
  return value;
}

template <class Number>
Number OfMachine(const char* bytes) {
  Number value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

PageSum SumOf(const char* bytes, std::size_t size) {
  static_assert(sizeof(std::size_t) == sizeof(PageSum));
  return std::hash<std::string_view>()({bytes, size});
}

std::int64_t ReadAt(int descriptor, char* bytes, std::size_t size,
                    std::int64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(descriptor, bytes + done, size - done,
                              offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

LogFrames::LogFrames(const std::string& path)
    : log_(open((path + "-wal").c_str(), O_RDONLY | O_CLOEXEC)),
      index_(open((path + "-shm").c_str(), O_RDONLY | O_CLOEXEC)) {
  if (log_ < 0 || index_ < 0) {
    problem_ = path + (log_ < 0 ? "-wal" : "-shm") +
               " cannot be opened: " + std::generic_category().message(errno);
  }
}

LogFrames::~LogFrames() {
  for (const int descriptor : {log_, index_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

std::optional<LogFrames::Index> LogFrames::ReadIndex() const {
  std::array<char, kIndexBytes> bytes{};
  const char* const header = bytes.data();
  for (int look = 0; look < kLooksAtIndex; ++look) {
    if (ReadAt(index_, bytes.data(), bytes.size(), 0) !=
        std::int64_t{kIndexBytes}) {
      return std::nullopt;
    }
    if (std::memcmp(header, header + kIndexHeader, kIndexHeader) != 0) continue;
    Index index;
    std::copy_n(header + kSaltsAt, index.place.salts.size(),
                index.place.salts.begin());
    index.place.committed = OfMachine<std::uint32_t>(header + kCommittedAt);
    index.place.commits = OfMachine<std::uint32_t>(header + kCommitsAt);
    // Of a run that has just begun it may be that of the last one.
    index.copied = std::min<std::int64_t>(
        OfMachine<std::uint32_t>(header + kCopiedAt), index.place.committed);
    const std::size_t stored = OfMachine<std::uint16_t>(header + kPageBytesAt);
    index.page_bytes = stored == 1 ? 65536 : stored;
    return index;
  }
  return std::nullopt;
}

std::optional<LogFrames::News> LogFrames::Read() const {
  const std::optional<Index> index = ReadIndex();
  if (!index) return std::nullopt;
  News news;
  news.place = index->place;
  news.copied = index->copied;
  news.restarted = !kept_ || index->place.salts != kept_->salts;
  std::int64_t at = news.restarted ? 0 : kept_->committed;
  std::vector<char> frame(kFrameHeader + index->page_bytes);
  const auto size = static_cast<std::int64_t>(frame.size());
  std::uint32_t commits = 0;
  for (; at < index->place.committed; ++at) {
    // It may begin anew meanwhile.
    if (ReadAt(log_, frame.data(), frame.size(),
               std::int64_t{kLogHeader} + at * size) != size ||
        !std::equal(index->place.salts.begin(), index->place.salts.end(),
                    frame.begin() + kFrameSaltsAt)) {
      break;
    }
    news.frames.push_back(
        {.page = BigEndian(frame.data()),
         .pages_of_store = BigEndian(frame.data() + kCommitAt),
         .sum = SumOf(frame.data() + kFrameHeader, index->page_bytes)});
    if (news.frames.back().pages_of_store > 0) ++commits;
  }
  // Where SQLite has made the index anew, it has begun to count anew.
  news.missed =
      kept_ && static_cast<std::int32_t>(index->place.commits - kept_->commits -
                                         commits) > 0;
  return news;
}

}  // namespace torqued::server
