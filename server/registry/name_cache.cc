#include "server/registry/name_cache.h"

namespace torqued::server {

std::optional<Registration> NameCache::Find(std::string_view reference) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(reference);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

NameCache::Generation NameCache::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void NameCache::Insert(std::string_view reference,
                       const Registration& registration,
                       Generation generation) {
  const std::lock_guard lock(mutex_);
  if (changes_ > 0 || generation != generation_) return;
  // Who uses that many gets all of them read again now and then.
  if (entries_.size() >= kMaxEntries) entries_.clear();
  entries_.insert_or_assign(std::string(reference), registration);
}

void NameCache::Begin() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  entries_.clear();
}

void NameCache::End() {
  const std::lock_guard lock(mutex_);
  --changes_;
  // Whoever began to read earlier may have read the state before the change.
  ++generation_;
}

}  // namespace torqued::server
