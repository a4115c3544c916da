// The objects that the calls of the services share.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/pool.h"
#include "core/formats/urdf.h"
#include "server/config/rights.h"
#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"
#include "server/services/state_batch.h"

namespace torqued::server {

/// Counts the calls in flight and turns new ones away once it is closed.
/// Thread-safe. Every call that entered leaves exactly once.
class CallGate {
 public:
  /// A call that would not end by itself.
  class Listener {
   public:
    /// The gate has closed, so new calls are refused already.
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

/// Time to read and parse a stored source of so many bytes, measured with
/// ordinary sources. A longer one than is accepted is not parsed.
inline std::int64_t BytesToLoad(std::int64_t source_bytes) {
  static const auto most = static_cast<std::int64_t>(UrdfLimits().source_bytes);
  return (64 << 10) + 15 * std::min(source_bytes, most);
}

/// Memory to load the model is admitted first and given back at the end.
inline OrError<ModelEntry> ResolveModel(Registry& registry,
                                        std::string_view reference,
                                        Reservation* room) {
  const std::int64_t before = room->bytes();
  std::optional<Error> refusal;
  auto resolved = registry.Resolve(reference, [&](std::int64_t bytes) {
    refusal = room->Grow(BytesToLoad(bytes));
    return !refusal;
  });
  room->ShrinkTo(before);
  if (refusal) return *std::move(refusal);
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return ToError(*error);
  }
  return std::get<ModelEntry>(std::move(resolved));
}

/// Runs the work of one call for a reference at a time. The others wait without
/// a thread and find the model in the cache afterwards. Thread-safe.
class ModelLoads {
 public:
  explicit ModelLoads(Pool& pool) : pool_(pool) {}

  /// `work` must not throw. `host` as Pool takes it.
  void Run(std::string_view reference, std::uint64_t host,
           std::function<void()> work) {
    std::string key(reference);
    {
      const std::lock_guard lock(mutex_);
      const auto [found, first] = loading_.try_emplace(key);
      if (!first) {
        return void(found->second.emplace_back(host, std::move(work)));
      }
    }
    Submit(host, [this, key = std::move(key), work = std::move(work)] {
      work();
      std::unique_lock lock(mutex_);
      const Waiting others = std::move(loading_.extract(key).mapped());
      lock.unlock();
      for (const auto& [from, other] : others) Submit(from, other);
    });
  }

 private:
  using Waiting = std::vector<std::pair<std::uint64_t, std::function<void()>>>;

  void Submit(std::uint64_t host, const std::function<void()>& work) {
    try {
      pool_.Submit(work, host);
    } catch (const std::bad_alloc&) {
      work();  // else those that wait would never run
    }
  }

  Pool& pool_;
  std::mutex mutex_;
  std::unordered_map<std::string, Waiting> loading_;  // by reference
};

/// Outlives the calls.
struct ServiceContext {
  Registry& registry;
  Engine& engine;
  Admission& admission;
  CallGate& gate;
  ComputeLimits limits;
  /// The limit of memory, and the most that requests may take while they
  /// arrive.
  std::int64_t memory_bytes = 0, max_arriving_bytes = 0;
  /// A stream ends when its client does not take a message for so long.
  std::chrono::milliseconds write_timeout = std::chrono::minutes(5);
  const RightsFile* rights = nullptr;  // null: everybody may do everything
  bool read_only = false;
  QueryCache queries = {};
  /// Runs work that cannot be cut into short chunks, on as many threads as the
  /// engine has: loads of models, registrations, steps of checks. Hosts take
  /// turns, whatever connections they have. It goes first: its jobs use
  /// `loads`.
  ModelLoads loads{background};
  Pool background{engine.threads(), /*slow=*/false};
};

}  // namespace torqued::server
