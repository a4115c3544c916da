// A map of a limited size, the least recently used going first.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace torqued::server {

/// Not thread-safe. The caller frees what Insert and Erase return: the entries
/// that had to go.
template <class Value>
class LruMap {
 public:
  struct Entry {
    std::string key;
    Value value;
    std::size_t bytes;
  };
  using Entries = std::list<Entry>;

  explicit LruMap(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// A default if there is none. Counts as a use.
  Value Find(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return {};
    order_.splice(order_.begin(), order_, found->second);
    return found->second->value;
  }

  /// In place of an entry of that key. One may have more bytes than all may.
  Entries Insert(Entry entry) {
    Entries out = Erase(entry.key), in;
    in.push_front(std::move(entry));
    index_.emplace(in.front().key, in.begin());
    bytes_ += in.front().bytes;
    order_.splice(order_.begin(), in);
    while (bytes_ > max_bytes_ && order_.size() > 1) {
      out.splice(out.end(), Erase(order_.back().key));
    }
    return out;
  }

  Entries Erase(std::string_view key) {
    Entries out;
    if (const auto found = index_.find(key); found != index_.end()) {
      const auto entry = found->second;
      index_.erase(found);
      bytes_ -= entry->bytes;
      out.splice(out.end(), order_, entry);
    }
    return out;
  }

  void Clear() {
    index_.clear();
    order_.clear();
    bytes_ = 0;
  }

  std::size_t size() const { return order_.size(); }

 private:
  const std::size_t max_bytes_;
  Entries order_;  // most recently used first
  // Keys are views of the entries' own.
  std::unordered_map<std::string_view, typename Entries::iterator> index_;
  std::size_t bytes_ = 0;
};

}  // namespace torqued::server
