// What references by name led to, and parsed models by revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/registry/lru_map.h"
#include "server/registry/model_store.h"
#include "server/registry/revision.h"

namespace torqued::server {

/// Thread-safe; no model is parsed or freed while the lock is held. Valid for a
/// store that nobody else changes: names are dropped before every change, and
/// none that was read before its end is inserted. So whoever looks up after a
/// change was acknowledged sees it, and nobody sees the state before it once
/// somebody has seen the state after.
class Cache {
 public:
  /// How many changes had ended. Ask for it before the store is read.
  using Generation = std::uint64_t;

  /// 10,000 references with few labels.
  static constexpr std::size_t kMaxBytesOfNames = 8 << 20;
  /// Counted with each source: of a robot of one link most is not its source.
  static constexpr std::size_t kBytesOfRevision = 128;

  /// `source_bytes`: of all sources; one may exceed it.
  explicit Cache(std::size_t source_bytes) : revisions_(source_bytes) {}

  /// `reference` is as a caller writes it: "name", "name@label", ...
  std::optional<Registration> FindName(std::string_view reference) {
    const std::lock_guard lock(mutex_);
    const Registration* found = names_.Find(reference);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  /// Null if absent.
  LoadedPointer FindRevision(std::string_view revision) {
    const std::lock_guard lock(mutex_);
    const LoadedPointer* found = revisions_.Find(revision);
    return found == nullptr ? nullptr : *found;
  }

  Generation generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
  }

  void InsertName(std::string_view reference, const Registration& registration,
                  Generation generation) {
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
  void InsertRevision(const LoadedPointer& loaded, Generation generation) {
    LruMap<LoadedPointer>::Entries out;  // freed after the lock
    const std::lock_guard lock(mutex_);
    if (generation < last_erasure_) return;
    out =
        revisions_.Insert({.key = loaded->revision,
                           .value = loaded,
                           .bytes = loaded->source.size() + kBytesOfRevision});
  }

  /// Lives while the store is changed.
  class Change {
   public:
    explicit Change(Cache& cache) : cache_(cache) {
      const std::lock_guard lock(cache_.mutex_);
      ++cache_.changes_;
      cache_.names_.Clear();
    }
    ~Change() {
      const std::lock_guard lock(cache_.mutex_);
      --cache_.changes_;
      ++cache_.generation_;
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

    void Erase(const std::vector<std::string>& revisions) {
      LruMap<LoadedPointer>::Entries out;
      const std::lock_guard lock(cache_.mutex_);
      cache_.last_erasure_ = ++cache_.generation_;
      for (const std::string& revision : revisions) {
        out.splice(out.end(), cache_.revisions_.Erase(revision));
      }
    }

   private:
    Cache& cache_;
  };

 private:
  mutable std::mutex mutex_;
  LruMap<Registration> names_{kMaxBytesOfNames};
  LruMap<LoadedPointer> revisions_;
  Generation generation_ = 0;
  Generation last_erasure_ = 0;
  int changes_ = 0;  // under way
};

}  // namespace torqued::server
