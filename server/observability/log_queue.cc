#include "server/observability/log_queue.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace torqued::server {
namespace {

std::uint64_t CountLines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

/// How much of the text was written: all, unless that failed.
std::size_t Write(int descriptor, std::string_view text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t size =
        write(descriptor, text.data() + written, text.size() - written);
    if (size >= 0) {
      written += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN) {
      // Who shares the descriptor has made it non-blocking.
      pollfd wait{descriptor, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      break;
    }
  }
  return written;
}

}  // namespace

struct LogQueue::State {
  State(int to, std::size_t most, Notice told)
      : descriptor(to), max_bytes(most), notice(std::move(told)) {
    pending.reserve(most);
  }

  /// Whether there is anything that the thread has not written yet.
  bool idle() const { return pending.empty() && !writing; }
  void Run();
  void WriteLines(std::string_view lines);
  void WriteNotice();

  const int descriptor;
  const std::size_t max_bytes;
  const Notice notice;

  std::mutex mutex;
  std::condition_variable wake;     // of the thread
  std::condition_variable written;  // of those who wait for it
  std::string pending;              // whole lines
  std::uint64_t dropped = 0;        // behind `pending`
  bool writing = false;
  bool closing = false;

  // The thread's own.
  std::uint64_t untold = 0;  // dropped lines
  bool in_line = false;      // writing failed within a line
};

void LogQueue::State::Run() {
  std::string batch;
  batch.reserve(max_bytes);
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [this] { return !pending.empty() || closing; });
    if (pending.empty()) return;
    batch.clear();
    batch.swap(pending);
    const std::uint64_t behind = std::exchange(dropped, 0);
    writing = true;
    lock.unlock();

    WriteNotice();
    WriteLines(batch);
    untold += behind;
    WriteNotice();

    lock.lock();
    writing = false;
    written.notify_all();
  }
}

void LogQueue::State::WriteLines(std::string_view lines) {
  if (in_line && Write(descriptor, "\n") == 1) in_line = false;
  const std::size_t size = in_line ? 0 : Write(descriptor, lines);
  const std::string_view rest = lines.substr(size);
  untold += CountLines(rest);
  if (!rest.empty() && size > 0 && lines[size - 1] != '\n') in_line = true;
}

void LogQueue::State::WriteNotice() {
  if (untold == 0) return;
  const std::uint64_t told = std::exchange(untold, 0);
  const std::string line = notice(told);
  WriteLines(line);
  // Where it failed it counts as one that is untold, which it is not.
  if (untold > 0) untold = told;
}

LogQueue::LogQueue(int descriptor, std::size_t max_bytes, Notice notice)
    : state_(
          std::make_shared<State>(descriptor, max_bytes, std::move(notice))) {
  // Not joined: it may be stuck for ever.
  std::thread([state = state_] { state->Run(); }).detach();
}

LogQueue::~LogQueue() {
  const std::lock_guard lock(state_->mutex);
  state_->closing = true;
  state_->wake.notify_all();
}

void LogQueue::Put(std::string_view line) noexcept {
  const std::lock_guard lock(state_->mutex);
  if (line.size() > state_->max_bytes - state_->pending.size()) {
    ++state_->dropped;
    return;
  }
  state_->pending += line;
  state_->wake.notify_one();
}

bool LogQueue::WaitUntilWritten(std::chrono::milliseconds at_most) {
  std::unique_lock lock(state_->mutex);
  return state_->written.wait_for(lock, at_most,
                                  [this] { return state_->idle(); });
}

}  // namespace torqued::server
