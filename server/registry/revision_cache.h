// Parsed models by revision, the least recently used going first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/registry/loaded_revision.h"

namespace torqued::server {

/// Thread-safe; nothing is parsed, hashed or freed while the lock is held.
class RevisionCache {
 public:
  struct Limits {
    std::size_t entries = 256;
    std::size_t source_bytes = 256u << 20;  // sum; one entry may exceed it
  };
  using Entry = std::shared_ptr<const LoadedRevision>;
  /// The state of the store's content that an entry was read from.
  using Generation = std::uint64_t;

  explicit RevisionCache(Limits limits) : limits_(limits) {}

  /// Null when absent. Counts as a use.
  Entry Find(std::string_view revision);

  /// To be asked before the store is read for an entry.
  Generation generation() const;
  /// Replaces an entry of the same revision. Does nothing when something was
  /// erased since `generation`: the entry might be one of those.
  void Insert(Entry entry, Generation generation);

  void Erase(std::span<const std::string> revisions);

  std::size_t size() const;

 private:
  using Order = std::list<Entry>;

  void Add(Entry entry);
  /// Takes out what exceeds the limits, for the caller to free unlocked.
  void Shrink(Order& evicted);
  void TakeOut(Order::iterator position, Order& taken);

  const Limits limits_;
  mutable std::mutex mutex_;
  Order order_;  // most recently used first
  // Keys are views of the entries' own revision.
  std::unordered_map<std::string_view, Order::iterator> index_;
  std::size_t source_bytes_ = 0;
  Generation generation_ = 0;
};

}  // namespace torqued::server
