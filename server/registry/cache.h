// Caches: what references by name led to, and parsed models by revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/registry/loaded_revision.h"
#include "server/registry/lru_map.h"
#include "server/registry/model_store.h"

namespace torqued::server {

/// Thread-safe. Valid for a store that nobody else changes: everything is
/// dropped before every change, and nothing that was read before its end is
/// inserted. So whoever looks up after a change was acknowledged sees it, and
/// nobody sees the state before it once somebody has seen the state after.
class NameCache {
 public:
  /// How many changes had ended when an entry was read.
  using Generation = std::uint64_t;

  /// 10,000 references with few labels.
  static constexpr std::size_t kMaxBytes = 8 << 20;

  /// `reference` is as a caller writes it: "name", "name@label", ...
  std::optional<Registration> Find(std::string_view reference);

  /// Ask for it before the store is read for an entry.
  Generation generation() const;
  /// Does nothing if a change is under way or has ended since `generation`.
  void Insert(std::string_view reference, const Registration& registration,
              Generation generation);

  /// Lives while the store is changed.
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

/// Thread-safe; nothing is parsed, hashed or freed while the lock is held.
class RevisionCache {
 public:
  /// The state of the store's content that an entry was read from.
  using Generation = std::uint64_t;

  /// Counted with each source: of a robot of one link most is not its source.
  static constexpr std::size_t kBytesOfEntry = 128;

  /// `source_bytes`: of all sources; one may exceed it.
  explicit RevisionCache(std::size_t source_bytes) : entries_(source_bytes) {}

  /// Null if absent. Counts as a use.
  LoadedPointer Find(std::string_view revision);

  /// Ask for it before the store is read for an entry.
  Generation generation() const;
  /// Replaces an entry of the same revision. Does nothing if something was
  /// erased since `generation`: the entry might be one of those.
  void Insert(const LoadedPointer& entry, Generation generation);

  void Erase(std::span<const std::string> revisions);

 private:
  mutable std::mutex mutex_;
  LruMap<LoadedPointer> entries_;
  Generation generation_ = 0;
};

}  // namespace torqued::server
