// Looks whether the listener takes connections, as long as the server serves.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "server/connections/listener.h"

namespace torqued::server {

/// Asks on a thread of its own.
class ListenerWatch {
 public:
  struct Times {
    std::chrono::milliseconds interval{2000};
    /// Longer than a thread that has work waits for a core.
    std::chrono::milliseconds patience{5000};
  };

  /// `tell` is called, and a line logged, each time the answer changes; true:
  /// it takes connections, which is taken for granted at first.
  ListenerWatch(Listener& listener, std::function<void(bool)> tell,
                const Times& times);
  /// Soon over where the listener is closed.
  ~ListenerWatch();
  ListenerWatch(const ListenerWatch&) = delete;
  ListenerWatch& operator=(const ListenerWatch&) = delete;

 private:
  void Run();
  void Look();

  Listener& listener_;
  const std::function<void(bool)> tell_;
  const Times times_;
  bool answers_ = true;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace torqued::server
