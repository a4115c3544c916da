#include "server/registry/name_cache.h"

#include <string>

namespace torqued::server {
namespace {

// Without its texts, but for the revision.
constexpr std::size_t kBytesOfEntry = 512;

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
  std::size_t bytes = kBytesOfEntry + 2 * reference.size();
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

}  // namespace torqued::server
