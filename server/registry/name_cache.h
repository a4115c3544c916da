// What references by name led to, so that a call need not read the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "server/registry/model_store.h"

namespace torqued::server {

/// Good for a store that nobody else changes: everything is forgotten before
/// every change, and nothing that was read before its end is remembered. So
/// whoever looks up after a change was acknowledged sees it, and nobody sees
/// the state before it once somebody has seen the state after. Thread-safe.
class NameCache {
 public:
  /// How many changes had ended when an entry was read.
  using Generation = std::uint64_t;

  /// More references than this are not remembered at a time.
  static constexpr std::size_t kMaxEntries = 1024;

  /// `reference` is as a caller writes it: "name", "name@label", ...
  std::optional<Registration> Find(std::string_view reference) const;

  /// To be asked before the store is read for an entry.
  Generation generation() const;
  /// Does nothing when a change is under way or has ended since `generation`.
  void Insert(std::string_view reference, const Registration& registration,
              Generation generation);

  /// For the time of a change to the store.
  class Change {
   public:
    explicit Change(NameCache& cache) : cache_(cache) { cache_.Begin(); }
    ~Change() { cache_.End(); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    NameCache& cache_;
  };

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  void Begin();
  void End();

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Registration, Hash, std::equal_to<>> entries_;
  Generation generation_ = 0;
  int changes_ = 0;  // under way
};

}  // namespace torqued::server
