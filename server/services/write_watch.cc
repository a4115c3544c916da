#include "server/services/write_watch.h"

#include <algorithm>
#include <new>

#include "server/errors/utf8.h"
#include "server/observability/logging.h"

namespace torqued::server {
namespace {

constexpr std::size_t kMaxLoggedPeer = 512;
/// Of the deadline, and no longer than that.
constexpr int kLooksPerDeadline = 8;
constexpr std::chrono::milliseconds kLongestSleep{5000};

}  // namespace

void WriteWatch::Write::Begin() {
  if (watch_.deadline_.count() == 0) return;
  const std::lock_guard lock(watch_.mutex_);
  begun_ = std::chrono::steady_clock::now();
  watched_ = true;
  before_ = watch_.last_;
  behind_ = nullptr;
  (before_ == nullptr ? watch_.first_ : before_->behind_) = this;
  watch_.last_ = this;
}

void WriteWatch::Write::End() {
  if (watch_.deadline_.count() == 0) return;
  const std::lock_guard lock(watch_.mutex_);
  watch_.Forget(*this);
}

WriteWatch::WriteWatch(std::chrono::milliseconds deadline)
    : deadline_(deadline) {
  if (deadline_.count() > 0) thread_ = std::thread([this] { Watch(); });
}

WriteWatch::~WriteWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void WriteWatch::Forget(Write& write) {
  if (!write.watched_) return;
  write.watched_ = false;
  (write.before_ == nullptr ? first_ : write.before_->behind_) = write.behind_;
  (write.behind_ == nullptr ? last_ : write.behind_->before_) = write.before_;
}

void WriteWatch::Watch() {
  const auto sleep = std::clamp<std::chrono::milliseconds>(
      deadline_ / kLooksPerDeadline, std::chrono::milliseconds(1),
      kLongestSleep);
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, sleep, [this] { return stopping_; })) {
    while (const auto ended = EndFirst()) {
      lock.unlock();
      LogEnd(*ended);
      lock.lock();
    }
  }
}

std::optional<WriteWatch::Ended> WriteWatch::EndFirst() {
  const auto now = std::chrono::steady_clock::now();
  if (first_ == nullptr || now - first_->begun_ < deadline_) {
    return std::nullopt;
  }
  Write& write = *first_;
  Forget(write);
  Ended ended{write.method_, {}};
  try {
    ended.peer = CleanText(write.call_->peer(), kMaxLoggedPeer);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // It ends all the same.
  }
  write.call_->TryCancel();
  return ended;
}

void WriteWatch::LogEnd(const Ended& ended) const {
  try {
    Log(LogLevel::kWarn, "message not taken",
        {{"method", ended.method},
         {"peer", ended.peer},
         {"seconds", std::chrono::duration<double>(deadline_).count()}});
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // The call has ended, that is what counts.
  }
}

}  // namespace torqued::server
