// Leaves nothing behind when the user interrupts.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace torqued::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP run `clean_up` on a thread of its
/// own and then end the process as the signal would have. Make it before any
/// other thread; they inherit that the signals are not theirs.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> clean_up);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  sigset_t signals_{};
  sigset_t mask_before_{};
  std::thread watcher_;
};

}  // namespace torqued::cli
