// What references by name led to, so that a call need not read the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "server/registry/lru_map.h"
#include "server/registry/model_store.h"

namespace torqued::server {

/// Good for a store that nobody else changes: everything is forgotten before
/// every change, and nothing that was read before its end is remembered. So
/// whoever looks up after a change was acknowledged sees it, and nobody sees
/// the state before it once somebody has seen the state after. Thread-safe.
class NameCache {
 public:
  /// How many changes had ended when an entry was read.
  using Generation = std::uint64_t;

  /// Of all that is remembered: 10,000 references, if labels are few.
  static constexpr std::size_t kMaxBytes = 8 << 20;

  /// `reference` is as a caller writes it: "name", "name@label", ...
  std::optional<Registration> Find(std::string_view reference);

  /// To be asked before the store is read for an entry.
  Generation generation() const;
  /// Does nothing when a change is under way or has ended since `generation`.
  void Insert(std::string_view reference, const Registration& registration,
              Generation generation);

  /// For the time of a change to the store.
  class Change {
   public:
    explicit Change(NameCache& cache) : cache_(cache) { cache_.Begin(); }
    ~Change() { cache_.End(); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    NameCache& cache_;
  };

 private:
  void Begin();
  void End();

  mutable std::mutex mutex_;
  LruMap<Registration> entries_{kMaxBytes};
  Generation generation_ = 0;
  int changes_ = 0;  // under way
};

}  // namespace torqued::server
