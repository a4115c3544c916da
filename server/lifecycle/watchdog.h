// Ends a server that hangs, so that systemd or Kubernetes starts another one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace torqued::server {

/// Checks the server on a thread of its own. After kMostFailures checks in a
/// row that failed, ends the process with kExitCode, without any clean-up.
class Watchdog {
 public:
  static constexpr int kMostFailures = 3;
  static constexpr int kExitCode = 70;

  /// `check` returns what is wrong, or nothing. `tell` is called when that
  /// changes; true: the server answers, as it is taken to do at first.
  Watchdog(std::function<std::string()> check, std::function<void(bool)> tell,
           std::chrono::milliseconds interval);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Run();
  void Check();

  const std::function<std::string()> check_;
  const std::function<void(bool)> tell_;
  const std::chrono::milliseconds interval_;
  int failures_ = 0;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace torqued::server
