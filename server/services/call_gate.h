// Counts the calls in flight and turns new ones away once it is closed.
#pragma once

#include <atomic>
#include <cstdint>

namespace torqued::server {

/// Thread-safe. Every call that entered leaves exactly once.
class CallGate {
 public:
  /// False when closed.
  bool Enter() {
    in_flight_.fetch_add(1);
    if (!closed_.load()) return true;
    in_flight_.fetch_sub(1);
    return false;
  }
  void Leave() { in_flight_.fetch_sub(1); }

  void Close() { closed_.store(true); }
  std::int64_t in_flight() const { return in_flight_.load(); }

 private:
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace torqued::server
