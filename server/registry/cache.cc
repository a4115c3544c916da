#include "server/registry/cache.h"

namespace torqued::server {
namespace {

// Of an entry of NameCache without its texts, but for the revision.
constexpr std::size_t kBytesOfName = 512;

}  // namespace

std::optional<Registration> NameCache::Find(std::string_view reference) {
  const std::lock_guard lock(mutex_);
  const Registration* found = entries_.Find(reference);
  return found == nullptr ? std::nullopt : std::optional(*found);
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
  std::size_t bytes = kBytesOfName + 2 * reference.size();
  for (const std::string& label : registration.labels) {
    bytes += sizeof(std::string) + label.size();
  }
  entries_.Insert({std::string(reference), registration, bytes});
}

void NameCache::Begin() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  entries_.Clear();
}

void NameCache::End() {
  const std::lock_guard lock(mutex_);
  --changes_;
  // Whoever began to read earlier may have read the state before the change.
  ++generation_;
}

LoadedPointer RevisionCache::Find(std::string_view revision) {
  const std::lock_guard lock(mutex_);
  const LoadedPointer* found = entries_.Find(revision);
  return found == nullptr ? nullptr : *found;
}

RevisionCache::Generation RevisionCache::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void RevisionCache::Insert(const LoadedPointer& entry, Generation generation) {
  LruMap<LoadedPointer>::Entries out;  // freed after the lock
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return;
  out = entries_.Insert({.key = entry->revision,
                         .value = entry,
                         .bytes = entry->source.size() + kBytesOfEntry});
}

void RevisionCache::Erase(std::span<const std::string> revisions) {
  LruMap<LoadedPointer>::Entries out;
  const std::lock_guard lock(mutex_);
  ++generation_;
  for (const std::string& revision : revisions) {
    out.splice(out.end(), entries_.Erase(revision));
  }
}

}  // namespace torqued::server
