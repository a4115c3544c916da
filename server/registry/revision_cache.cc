#include "server/registry/revision_cache.h"

namespace torqued::server {

RevisionCache::Entry RevisionCache::Find(std::string_view revision) {
  const std::lock_guard lock(mutex_);
  const Entry* found = entries_.Find(revision);
  return found == nullptr ? nullptr : *found;
}

RevisionCache::Generation RevisionCache::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void RevisionCache::Insert(const Entry& entry, Generation generation) {
  LruMap<Entry>::Entries out;  // freed after the lock
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return;
  out = entries_.Insert({.key = entry->revision,
                         .value = entry,
                         .bytes = entry->source.size() + kBytesOfEntry});
}

void RevisionCache::Erase(std::span<const std::string> revisions) {
  LruMap<Entry>::Entries out;
  const std::lock_guard lock(mutex_);
  ++generation_;
  for (const std::string& revision : revisions) {
    out.splice(out.end(), entries_.Erase(revision));
  }
}

}  // namespace torqued::server
