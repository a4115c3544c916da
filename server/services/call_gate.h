// Counts the calls in flight and turns new ones away once it is closed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace torqued::server {

/// Thread-safe. Every call that entered leaves exactly once.
class CallGate {
 public:
  /// A call that would not end by itself.
  class Listener {
   public:
    /// The gate has closed; new calls are turned away already.
    virtual void OnClose() = 0;

   protected:
    ~Listener() = default;
  };

  /// False when closed. A call that is refused was never in flight, but for one
  /// that comes while the gate is being closed.
  bool Enter() {
    if (closed_.load()) return false;
    in_flight_.fetch_add(1);
    if (!closed_.load()) return true;
    in_flight_.fetch_sub(1);
    return false;
  }
  void Leave() { in_flight_.fetch_sub(1); }

  /// OnClose will be called once, on the thread that closes the gate, unless
  /// the listener is gone by then. False when it is closed: too late to be
  /// told.
  bool Listen(const std::shared_ptr<Listener>& listener) {
    const std::lock_guard lock(mutex_);
    if (closed_.load()) return false;
    listeners_.emplace(listener.get(), listener);
    return true;
  }
  void Forget(const Listener* listener) {
    const std::lock_guard lock(mutex_);
    listeners_.erase(listener);
  }

  void Close() {
    std::unordered_map<const Listener*, std::weak_ptr<Listener>> listeners;
    {
      const std::lock_guard lock(mutex_);
      closed_.store(true);
      listeners.swap(listeners_);
    }
    // Unlocked: a listener may end its call and so come back here.
    for (const auto& [unused, weak] : listeners) {
      if (const auto listener = weak.lock()) listener->OnClose();
    }
  }
  std::int64_t in_flight() const { return in_flight_.load(); }

 private:
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::unordered_map<const Listener*, std::weak_ptr<Listener>> listeners_;
};

}  // namespace torqued::server
