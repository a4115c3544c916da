#include "server/registry/quiet_checkpoint.h"

#include <sqlite3.h>

#include <new>
#include <utility>

namespace torqued::server {

QuietCheckpoint::QuietCheckpoint(std::unique_ptr<SqliteConnection> connection,
                                 OwnFile& file, std::mutex& writing,
                                 std::chrono::milliseconds quiet)
    : connection_(std::move(connection)),
      file_(file),
      writing_(writing),
      quiet_(quiet) {
  sqlite3_busy_timeout(connection_->handle(), 0);
  NoteWrite();  // what a killed server has left
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

SqliteConnection& QuietCheckpoint::Stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
    // Closing the last connection would do, but a backup may be under way.
    try {
      if (file_.Problem().empty()) EmptyLog();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
      // The next start copies the log.
    }
  }
  return *connection_;
}

void QuietCheckpoint::NoteWrite() {
  {
    const std::lock_guard lock(mutex_);
    pending_ = true;
    due_ = std::chrono::steady_clock::now() + quiet_;
  }
  written_.notify_one();
}

void QuietCheckpoint::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (written_.wait(lock, stop, [this] { return pending_; })) {
    // Each write puts it off.
    const auto due = due_;
    written_.wait_until(lock, stop, due, [this, due] { return due_ != due; });
    if (stop.stop_requested()) return;
    if (due_ != due) continue;
    pending_ = false;
    lock.unlock();
    const bool emptied = EmptyLog();
    lock.lock();
    if (!emptied && !pending_) {
      pending_ = true;
      due_ = std::chrono::steady_clock::now() + quiet_;
    }
  }
}

bool QuietCheckpoint::EmptyLog() {
  const std::unique_lock writing(writing_, std::try_to_lock);
  if (!writing) return false;
  // Of a disk that fails, too, the next write tells.
  bool emptied = false;
  try {
    file_.Change([this, &emptied] {
      emptied = sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr,
                                          SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                          nullptr) == SQLITE_OK;
    });
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // Nobody waits for it.
  }
  return emptied;
}

}  // namespace torqued::server
