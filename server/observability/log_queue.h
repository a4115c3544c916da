// Log lines on their way to a file descriptor that may be stuck.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace torqued::server {

/// A thread of its own writes the lines: a pipe that is full, a terminal that
/// is stopped or a slow disk holds up this thread alone. Lines that find no
/// room in the queue are dropped; behind the lines that found room one line
/// tells how many were dropped. Thread-safe.
class LogQueue {
 public:
  /// The line that tells of so many dropped lines, with its end. Called by the
  /// queue's thread, also after the queue itself is gone.
  using Notice = std::function<std::string(std::uint64_t)>;

  /// The queue holds `max_bytes`, and the thread as many again while it writes.
  LogQueue(int descriptor, std::size_t max_bytes, Notice notice);
  /// Does not wait: the thread writes what is queued and ends by itself.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// A line with its end. Allocates nothing, waits for no writing.
  void Put(std::string_view line) noexcept;

  /// Waits until all that was put is written or dropped and told, at most so
  /// long. False: it took longer.
  bool WaitUntilWritten(std::chrono::milliseconds at_most);

 private:
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace torqued::server
