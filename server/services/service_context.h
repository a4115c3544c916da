// What the calls of the services work with.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/batch/engine.h"
#include "server/config/rights.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"
#include "server/services/model_loads.h"
#include "server/services/state_batch.h"

namespace torqued::server {

/// Counts the calls in flight and turns new ones away once it is closed.
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

  /// False when closed. Who is refused counts only while the gate is closing.
  bool Enter() {
    if (closed_.load()) return false;
    in_flight_.fetch_add(1);
    if (!closed_.load()) return true;
    in_flight_.fetch_sub(1);
    return false;
  }
  void Leave() { in_flight_.fetch_sub(1); }

  /// OnClose is called once, by who closes the gate. False: that is too late.
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

/// Outlives the calls.
struct ServiceContext {
  Registry& registry;
  Engine& engine;
  Admission& admission;
  CallGate& gate;
  ComputeLimits limits;
  /// What the server tells of its memory: what it may use, what may arrive.
  std::int64_t memory_bytes = 0, max_arriving_bytes = 0;
  /// A stream ends when its client does not take a message for so long.
  std::chrono::milliseconds write_timeout = std::chrono::minutes(5);
  const RightsFile* rights = nullptr;  // null: everybody may do everything
  bool read_only = false;
  QueryCache queries = {};
  /// What cannot be cut into short chunks, on as many threads as the engine
  /// has: loads of models, registrations, steps of checks. Turns go round the
  /// hosts, however many connections each has. It goes first, since its jobs
  /// use `loads`.
  ModelLoads loads{background};
  ChunkScheduler background{engine.threads()};
};

}  // namespace torqued::server
