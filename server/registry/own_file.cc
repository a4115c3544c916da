#include "server/registry/own_file.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>

#include "server/registry/store_files.h"

namespace torqued::server {
namespace {

// A multiple of every size of pages.
constexpr std::size_t kBlock = 1 << 20;

// SQLite never uses the page that has this byte, by which it locks the file.
constexpr std::size_t kLockedByte = std::size_t{1} << 30;

// What somebody is just writing is half of both.
constexpr int kLooks = 4;
constexpr std::chrono::milliseconds kBetweenLooks(5);

constexpr std::string_view kForeign =
    " was written by another program while the server has it open; ";

/// Of a file with such a header.
std::size_t PageBytes(const std::array<char, 100>& header) {
  const std::size_t stored = std::size_t{static_cast<unsigned char>(header[16])}
                                 << 8 |
                             static_cast<unsigned char>(header[17]);
  return stored < 512 ? 65536 : stored;
}

}  // namespace

OwnFile::OwnFile(std::string path, int descriptor, std::int64_t looked_through)
    : path_(std::move(path)),
      descriptor_(descriptor),
      looked_through_(looked_through),
      log_(path_ + "-wal"),
      seen_(Look()),
      page_bytes_(PageBytes(seen_.begin)),
      sum_of_hole_(SumOf(std::string(page_bytes_, '\0').data(), page_bytes_)) {
  ReadLog();
  // What cannot be read is told by who needs it.
  if (!ReadPages(pages_)) pages_.clear();
}

std::string OwnFile::Problem() {
  const std::lock_guard lock(mutex_);
  return IsOurs() ? std::string() : problem_;
}

void OwnFile::NoteLog() {
  const std::lock_guard lock(mutex_);
  ReadLog();
}

OwnFile::State OwnFile::Look() const {
  State state;
  struct stat found{};
  if (fstat(descriptor_, &found) != 0) return state;
  state.size = found.st_size;
  state.times = {found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
                 found.st_ctim.tv_sec, found.st_ctim.tv_nsec};
  ReadAt(descriptor_, state.begin.data(), state.begin.size(), 0);
  return state;
}

bool OwnFile::IsOurs() {
  if (lost_) {
    // Memory may have run out meanwhile.
    if (!aside_) PutAside();
    return false;
  }
  // What changes from here on is seen the next time.
  const State now = Look();
  if (now == seen_) return true;
  std::vector<PageSum> sums;
  switch (Compare(sums)) {
    case Content::kOurs:
      break;
    case Content::kForeign:
      Lose();
      return false;
    case Content::kUnreadable:
      problem_ = path_ + " was changed and cannot be read";
      return false;
  }
  pages_ = std::move(sums);
  seen_ = now;
  return true;
}

void OwnFile::NoteChange() {
  // Before a log begins anew, all that it had is in the file.
  ReadLog();
  const State now = Look();
  std::vector<PageSum> sums;
  switch (now.size <= looked_through_ ? Compare(sums)
                                      : CompareWritten(now, sums)) {
    case Content::kOurs:
      break;
    case Content::kForeign:
      return Lose();
    case Content::kUnreadable:
      return;  // the next look tells
  }
  pages_ = std::move(sums);
  seen_ = now;
  outdated_ = {};
}

void OwnFile::ReadLog() {
  const LogFrames::News news = log_.Read();
  Take(news);
  log_.Keep(news);
}

void OwnFile::ReadAllOfLog() {
  LogFrames::News news = log_.ReadAll();
  news.restarted = false;  // ReadLog will see
  Take(news);
}

void OwnFile::Take(const LogFrames::News& news) {
  if (news.restarted) {
    outdated_.pages.merge(logged_.pages);
    outdated_.counts.merge(logged_.counts);
    logged_ = {};
  }
  for (const LogFrames::Frame& frame : news.frames) {
    logged_.pages.emplace(frame.page, frame.sum);
  }
  logged_.counts.insert(news.pages_of_store.begin(), news.pages_of_store.end());
}

bool OwnFile::ReadPages(std::vector<PageSum>& sums) const {
  sums.clear();
  std::vector<char> block(kBlock);
  for (std::int64_t offset = 0;; offset += std::int64_t{kBlock}) {
    const std::int64_t got =
        ReadAt(descriptor_, block.data(), block.size(), offset);
    if (got < 0) return false;
    const auto size = static_cast<std::size_t>(got);
    for (std::size_t at = 0; at < size; at += page_bytes_) {
      sums.push_back(
          SumOf(block.data() + at, std::min(page_bytes_, size - at)));
    }
    if (size < kBlock) return true;
  }
}

OwnFile::Content OwnFile::Compare(std::vector<PageSum>& sums) {
  for (int look = 1;; ++look) {
    if (!ReadPages(sums)) return Content::kUnreadable;
    ReadAllOfLog();
    if (FitsAsMany(sums.size())) break;
    // It may have been cut while it was read.
    if (look == kLooks) return Content::kForeign;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  for (std::size_t page = 0; page < sums.size(); ++page) {
    if (Fits(page, sums[page])) continue;
    const Content content = CheckPage(page, sums[page]);
    if (content != Content::kOurs) return content;
  }
  return Content::kOurs;
}

OwnFile::Content OwnFile::CompareWritten(const State& now,
                                         std::vector<PageSum>& sums) {
  const std::size_t count =
      (static_cast<std::size_t>(now.size) + page_bytes_ - 1) / page_bytes_;
  if (!FitsAsMany(count)) {
    ReadAllOfLog();
    if (!FitsAsMany(count)) return Content::kForeign;
  }
  // SQLite has written no other pages.
  std::set<std::size_t> written = {0};
  for (const auto* versions : {&logged_, &outdated_}) {
    for (const auto& [page, sum] : versions->pages) written.insert(page - 1);
  }
  for (std::size_t page = pages_.size(); page < count; ++page) {
    written.insert(page);
  }
  written.erase(written.lower_bound(count), written.end());
  sums = pages_;
  sums.resize(count);
  for (const std::size_t page : written) {
    const Content content = CheckPage(page, sums[page]);
    if (content != Content::kOurs) return content;
  }
  return Content::kOurs;
}

OwnFile::Content OwnFile::CheckPage(std::size_t page, PageSum& sum) {
  std::vector<char> bytes(page_bytes_);
  for (int look = 1;; ++look) {
    const std::int64_t got =
        ReadAt(descriptor_, bytes.data(), bytes.size(),
               static_cast<std::int64_t>(page * page_bytes_));
    if (got < 0) return Content::kUnreadable;
    sum = SumOf(bytes.data(), static_cast<std::size_t>(got));
    if (Fits(page, sum)) return Content::kOurs;
    if (look == kLooks) return Content::kForeign;
    std::this_thread::sleep_for(kBetweenLooks);
    ReadAllOfLog();
  }
}

bool OwnFile::Fits(std::size_t page, PageSum sum) const {
  const auto number = static_cast<std::uint32_t>(page + 1);
  if (page == kLockedByte / page_bytes_ ||
      logged_.pages.contains({number, sum}) ||
      outdated_.pages.contains({number, sum})) {
    return true;
  }
  if (page < pages_.size()) return pages_[page] == sum;
  // Pages that readers of the log still need there are left out at first.
  const auto first = logged_.pages.lower_bound({number, 0});
  return sum == sum_of_hole_ && first != logged_.pages.end() &&
         first->first == number;
}

bool OwnFile::FitsAsMany(std::size_t pages) const {
  return pages >= pages_.size() ||
         (pages > 0 &&
          (logged_.counts.contains(pages) || outdated_.counts.contains(pages)));
}

void OwnFile::Lose() {
  problem_ = path_ + std::string(kForeign) + "its log has lost its name";
  // Only now: what is lost always has its problem.
  lost_ = true;
  PutAside();
}

void OwnFile::PutAside() {
  if (FileId::Of(path_ + "-wal") == log_.id()) {
    const std::int64_t frames = log_.ReadAll().committed;
    problem_ = path_ + std::string(kForeign) + PutLogAside(path_, frames);
  }
  aside_ = true;
}

}  // namespace torqued::server
