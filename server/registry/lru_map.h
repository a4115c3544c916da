// A map of a limited size, the least recently used going first.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace torqued::server {

/// Thread-safe; no value is freed while the lock is held.
template <class Value>
class LruMap {
 public:
  explicit LruMap(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// A default if the key is absent. Counts as a use.
  Value Find(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return {};
    order_.splice(order_.begin(), order_, found->second);
    return found->second->value;
  }

  /// In place of a value of that key. One may have more bytes than all may.
  void Insert(std::string_view key, Value value, std::size_t bytes) {
    Entries in, out;
    in.push_front({std::string(key), std::move(value), bytes});
    const std::lock_guard lock(mutex_);
    const auto remove = [&](typename Entries::iterator entry) {
      index_.erase(entry->key);
      bytes_ -= entry->bytes;
      out.splice(out.end(), order_, entry);
    };
    if (const auto old = index_.find(key); old != index_.end()) {
      remove(old->second);
    }
    index_.emplace(in.front().key, in.begin());
    bytes_ += bytes;
    order_.splice(order_.begin(), in);
    while (bytes_ > max_bytes_ && order_.size() > 1) {
      remove(std::prev(order_.end()));
    }
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return order_.size();
  }

 private:
  struct Entry {
    std::string key;
    Value value;
    std::size_t bytes;
  };
  using Entries = std::list<Entry>;

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  Entries order_;  // most recently used first
  // Keys are views of the entries' own.
  std::unordered_map<std::string_view, typename Entries::iterator> index_;
  std::size_t bytes_ = 0;
};

}  // namespace torqued::server
