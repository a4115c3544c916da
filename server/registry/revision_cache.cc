#include "server/registry/revision_cache.h"

#include <iterator>
#include <utility>

namespace torqued::server {

RevisionCache::Entry RevisionCache::Find(std::string_view revision) {
  std::lock_guard lock(mutex_);
  const auto found = index_.find(revision);
  if (found == index_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return *found->second;
}

RevisionCache::Generation RevisionCache::generation() const {
  std::lock_guard lock(mutex_);
  return generation_;
}

void RevisionCache::Insert(Entry entry, Generation generation) {
  Order out;  // freed after the lock
  std::lock_guard lock(mutex_);
  if (generation != generation_) return;
  if (const auto old = index_.find(entry->revision); old != index_.end()) {
    TakeOut(old->second, out);
  }
  Add(std::move(entry));
  Shrink(out);
}

void RevisionCache::Erase(std::span<const std::string> revisions) {
  Order out;
  std::lock_guard lock(mutex_);
  ++generation_;
  for (const std::string& revision : revisions) {
    if (const auto found = index_.find(revision); found != index_.end()) {
      TakeOut(found->second, out);
    }
  }
}

std::size_t RevisionCache::size() const {
  std::lock_guard lock(mutex_);
  return order_.size();
}

void RevisionCache::Add(Entry entry) {
  source_bytes_ += entry->source.size();
  order_.push_front(std::move(entry));
  index_.emplace(order_.front()->revision, order_.begin());
}

void RevisionCache::Shrink(Order& evicted) {
  while (order_.size() > 1 && (order_.size() > limits_.entries ||
                               source_bytes_ > limits_.source_bytes)) {
    TakeOut(std::prev(order_.end()), evicted);
  }
}

void RevisionCache::TakeOut(Order::iterator position, Order& taken) {
  source_bytes_ -= (*position)->source.size();
  index_.erase((*position)->revision);
  taken.splice(taken.begin(), order_, position);
}

}  // namespace torqued::server
