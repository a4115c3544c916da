#include "server/registry/log_frames.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <functional>
#include <string_view>

namespace torqued::server {
namespace {

// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
constexpr std::size_t kLogHeader = 32;
constexpr std::size_t kPageBytesAt = 8;
constexpr std::size_t kSaltsAt = 16;
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kCommitAt = 4;
constexpr std::size_t kFrameSaltsAt = 8;

std::uint32_t BigEndian(const char* bytes) {
  std::uint32_t value = 0;
  for (int k = 0; k < 4; ++k) {
    value = value << 8 | static_cast<unsigned char>(bytes[k]);
  }
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
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

LogFrames::~LogFrames() {
  if (descriptor_ >= 0) close(descriptor_);
}

LogFrames::News LogFrames::ReadFrom(const Place& place) const {
  News news;
  std::array<char, kLogHeader> header{};
  // An emptied log has no header, and no salts.
  if (ReadAt(descriptor_, header.data(), kLogHeader, 0) !=
      std::int64_t{kLogHeader}) {
    header.fill(0);
  }
  Salts& salts = news.salts;
  std::copy_n(header.begin() + kSaltsAt, salts.size(), salts.begin());
  news.restarted = salts != place.salts;
  if (!news.restarted) news.committed = place.committed;
  const std::size_t page_bytes = BigEndian(header.data() + kPageBytesAt);
  if (!std::has_single_bit(page_bytes) || page_bytes > 65536) return news;
  std::vector<char> frame(kFrameHeader + page_bytes);
  const auto size = static_cast<std::int64_t>(frame.size());
  for (std::int64_t at = news.committed;
       ReadAt(descriptor_, frame.data(), frame.size(),
              std::int64_t{kLogHeader} + at * size) == size &&
       std::equal(salts.begin(), salts.end(), frame.begin() + kFrameSaltsAt);
       ++at) {
    news.frames.push_back({BigEndian(frame.data()),
                           SumOf(frame.data() + kFrameHeader, page_bytes)});
    if (const auto pages = BigEndian(frame.data() + kCommitAt); pages > 0) {
      news.committed = at + 1;
      news.pages_of_store.insert(pages);
    }
  }
  return news;
}

void LogFrames::Keep(const News& news) {
  kept_ = {.salts = news.salts, .committed = news.committed};
}

}  // namespace torqued::server
