#include "server/registry/own_file.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

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

/// While it lives, the caller alone looks, and others have the lock.
class OwnFile::Looking {
 public:
  Looking(OwnFile& file, std::unique_lock<std::mutex>& lock)
      : file_(file), lock_(lock) {
    file_.looking_ = true;
    lock_.unlock();
  }
  ~Looking() {
    lock_.lock();
    file_.looking_ = false;
    file_.looked_.notify_all();
  }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;

 private:
  OwnFile& file_;
  std::unique_lock<std::mutex>& lock_;
};

OwnFile::OwnFile(std::string path, int descriptor, std::int64_t looked_through)
    : path_(std::move(path)),
      descriptor_(descriptor),
      looked_through_(looked_through),
      log_(path_),
      seen_(Look()),
      page_bytes_(PageBytes(seen_.begin)),
      sum_of_hole_(SumOf(std::string(page_bytes_, '\0').data(), page_bytes_)),
      problem_(log_.problem()) {
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  ReadLog();
  Found found = NewLook();
  if (!ReadPages([this](PageSum sum) { pages_.push_back(sum); }) &&
      problem_.empty()) {
    problem_ = path_ + " cannot be read";
  }
  found.pages = pages_.size();
  Settle(found, seen_);
  // Without what is to be known, nothing is taken for its own.
  lost_ = aside_ = !problem_.empty();
}

std::string OwnFile::Problem() {
  std::unique_lock lock(mutex_);
  return IsOurs(lock) ? std::string() : problem_;
}

std::optional<std::string> OwnFile::KnownProblem() {
  std::unique_lock lock(mutex_);
  if (TakesLong()) return std::nullopt;
  return IsOurs(lock) ? std::string() : problem_;
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

bool OwnFile::LooksChanged(const State& now) const {
  return now != seen_ || misses_ != settled_misses_;
}

bool OwnFile::TakesLong() const {
  const State now = Look();
  return !lost_ && (looking_ || LooksChanged(now)) &&
         std::max(now.size, seen_.size) > looked_through_;
}

bool OwnFile::IsOurs(std::unique_lock<std::mutex>& lock) {
  looked_.wait(lock, [this] { return !looking_; });
  if (lost_) {
    // Memory may have run out meanwhile.
    if (!aside_) PutAside();
    return false;
  }
  // What changes from here on is seen the next time.
  const State now = Look();
  if (!LooksChanged(now)) return true;
  Found found;
  switch (Compare(lock, found)) {
    case Content::kOurs:
      break;
    case Content::kForeign:
      Lose();
      return false;
    case Content::kUnreadable:
      problem_ = path_ + " was changed and cannot be read";
      return false;
  }
  Settle(found, now);
  return true;
}

void OwnFile::NoteChange(std::unique_lock<std::mutex>& lock) {
  // Before a log begins anew, all that it had is in the file.
  ReadLog();
  const State now = Look();
  // Where others read from the log, there was nothing to write.
  if (!LooksChanged(now)) return;
  const bool small = now.size <= looked_through_;
  // The next look is through all of it.
  if (!small && misses_ != settled_misses_) return;
  Found found;
  switch (small ? Compare(lock, found) : CompareWritten(now, found)) {
    case Content::kOurs:
      break;
    case Content::kForeign:
      return Lose();
    case Content::kUnreadable:
      return;  // the next look tells
  }
  Settle(found, now);
}

void OwnFile::ReadLog() {
  const auto news = log_.Read();
  if (!news) return;
  const std::size_t before = frames_.size();
  frames_.insert(frames_.end(), news->frames.begin(), news->frames.end());
  log_.Keep(*news);
  if (news->restarted) run_begins_ = static_cast<std::int64_t>(before);
  if (news->missed) ++misses_;
  copied_ = run_begins_ + news->copied;
  if (frames_.size() > before) versions_.clear();
}

OwnFile::Found OwnFile::NewLook() const {
  return {.pages = 0,
          .changed = {},
          .copied = std::min(
              static_cast<std::size_t>(std::max<std::int64_t>(copied_, 0)),
              frames_.size()),
          .misses = misses_};
}

template <class See>
bool OwnFile::ReadPages(const See& see) const {
  std::vector<char> block(kBlock);
  for (std::int64_t offset = 0;; offset += std::int64_t{kBlock}) {
    const std::int64_t got =
        ReadAt(descriptor_, block.data(), block.size(), offset);
    if (got < 0) return false;
    const auto size = static_cast<std::size_t>(got);
    for (std::size_t at = 0; at < size; at += page_bytes_) {
      see(SumOf(block.data() + at, std::min(page_bytes_, size - at)));
    }
    if (size < kBlock) return true;
  }
}

OwnFile::Content OwnFile::Compare(std::unique_lock<std::mutex>& lock,
                                  Found& found) {
  for (int look = 1;; ++look) {
    ReadLog();
    found = NewLook();
    const auto see = [this, &found](PageSum sum) {
      const std::size_t page = found.pages++;
      if (page < pages_.size() && pages_[page] == sum) return;
      found.changed.push_back({static_cast<std::uint32_t>(page + 1), sum});
    };
    {
      const Looking looking(*this, lock);
      if (!ReadPages(see)) return Content::kUnreadable;
    }
    ReadLog();
    if (FitsAsMany(found.pages)) break;
    // It may have been cut while it was read.
    if (look == kLooks) return Content::kForeign;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  for (Page& page : found.changed) {
    if (Fits(page)) continue;
    const Content content = CheckPage(page);
    if (content != Content::kOurs) return content;
  }
  return Content::kOurs;
}

OwnFile::Content OwnFile::CompareWritten(const State& now, Found& found) {
  found = NewLook();
  found.pages =
      (static_cast<std::size_t>(now.size) + page_bytes_ - 1) / page_bytes_;
  if (!FitsAsMany(found.pages)) return Content::kForeign;
  // SQLite has written no other pages.
  std::set<std::size_t> written = {1};
  for (const LogFrames::Frame& frame : frames_) written.insert(frame.page);
  for (std::size_t page = pages_.size(); page < found.pages; ++page) {
    written.insert(page + 1);
  }
  written.erase(written.upper_bound(found.pages), written.end());
  for (const std::size_t number : written) {
    Page page{.number = static_cast<std::uint32_t>(number)};
    const Content content = CheckPage(page);
    if (content != Content::kOurs) return content;
    found.changed.push_back(page);
  }
  return Content::kOurs;
}

OwnFile::Content OwnFile::CheckPage(Page& page) {
  std::vector<char> bytes(page_bytes_);
  for (int look = 1;; ++look) {
    const std::int64_t got =
        ReadAt(descriptor_, bytes.data(), bytes.size(),
               static_cast<std::int64_t>((page.number - 1) * page_bytes_));
    if (got < 0) return Content::kUnreadable;
    page.sum = SumOf(bytes.data(), static_cast<std::size_t>(got));
    if (Fits(page)) return Content::kOurs;
    if (look == kLooks) return Content::kForeign;
    std::this_thread::sleep_for(kBetweenLooks);
    ReadLog();
  }
}

bool OwnFile::Fits(const Page& page) {
  const std::size_t place = page.number - 1;
  if (misses_ != settled_misses_ || place == kLockedByte / page_bytes_ ||
      (place < pages_.size() && pages_[place] == page.sum)) {
    return true;
  }
  const auto before = [](const Page& a, const Page& b) {
    return std::tie(a.number, a.sum) < std::tie(b.number, b.sum);
  };
  if (versions_.empty()) {
    versions_.reserve(frames_.size());
    for (const LogFrames::Frame& frame : frames_) {
      versions_.push_back({frame.page, frame.sum});
    }
    std::sort(versions_.begin(), versions_.end(), before);
  }
  if (std::binary_search(versions_.begin(), versions_.end(), page, before)) {
    return true;
  }
  if (place < pages_.size() || page.sum != sum_of_hole_) return false;
  // Pages that readers of the log still need there are left out at first.
  const auto first = std::lower_bound(versions_.begin(), versions_.end(),
                                      Page{page.number, 0}, before);
  return first != versions_.end() && first->number == page.number;
}

bool OwnFile::FitsAsMany(std::size_t pages) const {
  if (pages == 0) return pages_.empty();
  return pages >= pages_.size() || misses_ != settled_misses_ ||
         std::any_of(frames_.begin(), frames_.end(),
                     [pages](const LogFrames::Frame& frame) {
                       return frame.pages_of_store == pages;
                     });
}

void OwnFile::Settle(const Found& found, const State& now) {
  pages_.resize(found.pages);
  for (const Page& page : found.changed) pages_[page.number - 1] = page.sum;
  frames_.erase(frames_.begin(),
                frames_.begin() + static_cast<std::ptrdiff_t>(found.copied));
  run_begins_ -= static_cast<std::int64_t>(found.copied);
  copied_ -= static_cast<std::int64_t>(found.copied);
  versions_ = {};
  seen_ = now;
  settled_misses_ = found.misses;
}

void OwnFile::Lose() {
  problem_ = path_ + std::string(kForeign) + "its log has lost its name";
  // Only now: what is lost always has its problem.
  lost_ = true;
  PutAside();
}

void OwnFile::PutAside() {
  if (FileId::Of(path_ + "-wal") == log_.id()) {
    const std::int64_t frames = log_.committed();
    problem_ = path_ + std::string(kForeign) + PutLogAside(path_, frames);
  }
  aside_ = true;
}

}  // namespace torqued::server
