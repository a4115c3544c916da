// Parsed models by revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "server/registry/loaded_revision.h"
#include "server/registry/lru_map.h"

namespace torqued::server {

/// Thread-safe; nothing is parsed, hashed or freed while the lock is held.
class RevisionCache {
 public:
  using Entry = std::shared_ptr<const LoadedRevision>;
  /// The state of the store's content that an entry was read from.
  using Generation = std::uint64_t;

  /// Counted with each source: of a robot of one link most is not its source.
  static constexpr std::size_t kBytesOfEntry = 128;

  /// `source_bytes`: of all sources; one may exceed it.
  explicit RevisionCache(std::size_t source_bytes) : entries_(source_bytes) {}

  /// Null when absent. Counts as a use.
  Entry Find(std::string_view revision);

  /// To be asked before the store is read for an entry.
  Generation generation() const;
  /// Replaces an entry of the same revision. Does nothing when something was
  /// erased since `generation`: the entry might be one of those.
  void Insert(const Entry& entry, Generation generation);

  void Erase(std::span<const std::string> revisions);

 private:
  mutable std::mutex mutex_;
  LruMap<Entry> entries_;
  Generation generation_ = 0;
};

}  // namespace torqued::server
