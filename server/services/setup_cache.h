// Setups of queries that were asked before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "server/services/compute_setup.h"

namespace torqued::server {

/// A call of one state takes less time to compute than to check and to echo,
/// and callers ask the same again. Thread-safe.
class SetupCache {
 public:
  /// More setups than this are not remembered at a time.
  static constexpr std::size_t kMaxEntries = 256;
  /// Those of larger models or with longer queries never: a setup keeps its
  /// model alive.
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
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::shared_ptr<const ComputeSetup> Find(std::string_view key) const;
  void Insert(std::string_view key,
              const std::shared_ptr<const ComputeSetup>& setup);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const ComputeSetup>, Hash,
                     std::equal_to<>>
      entries_;
};

}  // namespace torqued::server
