// What references by name led to, and parsed models by revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/registry/lru_map.h"
#include "server/registry/model_store.h"
#include "server/registry/revision.h"

namespace torqued::server {

/// Thread-safe; no model is freed while the lock is held. Names are dropped
/// before every change of the store, and none that was read before its end is
/// inserted. So whoever looks up after a change was acknowledged sees it, and
/// nobody sees the state before it once somebody has seen the state after.
class Cache {
 public:
  /// 10,000 references with few labels.
  static constexpr std::size_t kMaxBytesOfNames = 8 << 20;
  /// Counted with each source: of a robot of one link most is not its source.
  static constexpr std::size_t kBytesOfRevision = 128;

  /// `source_bytes`: of all sources; one may exceed it.
  explicit Cache(std::size_t source_bytes) : revisions_(source_bytes) {}

  /// `reference` is as a caller writes it: "name", "name@label", ... Without a
  /// revision if it is not known.
  Registration FindName(std::string_view reference) {
    const std::lock_guard lock(mutex_);
    return names_.Find(reference);
  }

  /// Null if absent.
  LoadedPointer FindRevision(std::string_view revision) {
    const std::lock_guard lock(mutex_);
    return revisions_.Find(revision);
  }

  /// Ask for it before the store is read for an entry.
  std::uint64_t generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
  }

  void InsertName(std::string_view reference, const Registration& registration,
                  std::uint64_t generation) {
    constexpr std::size_t kBytesWithoutTexts = 512;  // but for the revision
    std::size_t bytes = kBytesWithoutTexts + 2 * reference.size();
    for (const std::string& label : registration.labels) {
      bytes += sizeof(std::string) + label.size();
    }
    const std::lock_guard lock(mutex_);
    if (changes_ > 0 || generation != generation_) return;
    names_.Insert({std::string(reference), registration, bytes});
  }

  /// In place of an entry of the same revision. Does nothing if revisions were
  /// erased since: it might be one of them.
  void InsertRevision(const LoadedPointer& loaded, std::uint64_t generation) {
    LruMap<LoadedPointer>::Entries out;  // freed after the lock
    const std::lock_guard lock(mutex_);
    if (generation < last_erasure_) return;
    out =
        revisions_.Insert({.key = loaded->revision,
                           .value = loaded,
                           .bytes = loaded->source.size() + kBytesOfRevision});
  }

  void EraseRevisions(const std::vector<std::string>& revisions) {
    LruMap<LoadedPointer>::Entries out;
    const std::lock_guard lock(mutex_);
    last_erasure_ = ++generation_;
    for (const std::string& revision : revisions) {
      out.splice(out.end(), revisions_.Erase(revision));
    }
  }

  /// Runs what changes the store, and returns what it does.
  template <class Change>
  auto WhileChanging(const Change& change) {
    struct Mark {
      explicit Mark(Cache& changing) : cache(changing) { Count(1, 0); }
      ~Mark() { Count(-1, 1); }
      void Count(int changes, int ended) {
        const std::lock_guard lock(cache.mutex_);
        cache.changes_ += changes;
        cache.generation_ += ended;
        cache.names_.Clear();
      }
      Cache& cache;
    };
    const Mark mark(*this);
    return change();
  }

 private:
  mutable std::mutex mutex_;
  LruMap<Registration> names_{kMaxBytesOfNames};
  LruMap<LoadedPointer> revisions_;
  std::uint64_t generation_ = 0;  // how many changes had ended
  std::uint64_t last_erasure_ = 0;
  int changes_ = 0;  // under way
};

}  // namespace torqued::server
