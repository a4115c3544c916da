// Setups of queries that were asked before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "server/registry/lru_map.h"
#include "server/services/compute_setup.h"

namespace torqued::server {

/// A call of one state takes less time to compute than to check and to echo,
/// and callers ask the same again. Thread-safe.
class SetupCache {
 public:
  /// Of all that is remembered, with the models, which setups keep alive.
  static constexpr std::size_t kMaxBytes = 32 << 20;
  /// Setups of larger models or with longer queries are never remembered.
  static constexpr int kMaxDof = 64;
  static constexpr std::size_t kMaxFrames = 256;
  static constexpr std::size_t kMaxQueryBytes = 1024;
  /// Nor those that take more memory, as permuted results of many numbers do.
  static constexpr std::int64_t kMaxPlanBytes = 64 << 10;

  /// The same as SetUp. All calls must name the same target.
  OrError<std::shared_ptr<const ComputeSetup>> SetUp(const QueryView& view,
                                                     const ModelEntry& entry,
                                                     std::string_view target);

  std::size_t size() const;

 private:
  using Setup = std::shared_ptr<const ComputeSetup>;

  Setup Find(std::string_view key);
  void Insert(std::string_view key, const Setup& setup);

  mutable std::mutex mutex_;
  LruMap<Setup> entries_{kMaxBytes};
};

}  // namespace torqued::server
