// What a call computes, checked against its model: the same for all states, and
// kept for calls that ask it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/batch/evaluation_plan.h"
#include "server/errors/error.h"
#include "server/registry/lru_map.h"
#include "server/registry/registry.h"
#include "server/wire/array_codec.h"
#include "server/wire/request.h"

namespace torqued::server {

struct PreparedQuery {
  /// Without rows.
  EvaluationPlan plan;
  /// Of the replies; nothing: that of q.
  std::optional<Payload> encoding;
  bool fail_fast = false;
  bool sigma_min = false;
  /// What replies echo, as bytes of a v1.Echo without timing: for states
  /// without a wrench, and for those that may have one.
  std::string echo;
  std::string echo_with_wrench;
  /// What a thread that computes takes; 0 where it keeps as much anyway.
  std::int64_t workspace_bytes = 0;

  /// What it takes, without the model.
  std::int64_t bytes() const {
    return plan.bytes() +
           static_cast<std::int64_t>(echo.size() + echo_with_wrench.size());
  }
};

using QueryPtr = std::shared_ptr<const PreparedQuery>;

/// `target`: of the kernels, for the echo.
OrError<QueryPtr> PrepareQuery(const ComputeFields& view,
                               const ModelEntry& entry,
                               std::string_view target);

/// A call of one state takes less time to compute than to check and to echo,
/// and callers ask the same again. Thread-safe.
class QueryCache {
 public:
  /// Of all that is remembered, with the models, which queries keep alive.
  static constexpr std::size_t kMaxBytes = 32 << 20;
  /// Queries of larger models or with longer options are never remembered.
  static constexpr int kMaxDof = 64;
  static constexpr std::size_t kMaxFrames = 256;
  static constexpr std::size_t kMaxQueryBytes = 1024;
  /// Nor those that take more memory, as permuted results of many numbers do.
  static constexpr std::int64_t kMaxPlanBytes = 64 << 10;

  /// The same as PrepareQuery. All calls must name the same target.
  OrError<QueryPtr> Prepare(const ComputeFields& view, const ModelEntry& entry,
                            std::string_view target);

  std::size_t size() const;

 private:
  QueryPtr Find(std::string_view key);
  void Insert(std::string_view key, const QueryPtr& query);

  mutable std::mutex mutex_;
  LruMap<QueryPtr> entries_{kMaxBytes};
};

}  // namespace torqued::server
