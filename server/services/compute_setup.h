// What a call computes, checked against its model: the same for all states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/batch/evaluation_plan.h"
#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/wire/array_codec.h"
#include "server/wire/compute_view.h"

namespace torqued::server {

struct ComputeSetup {
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

/// `target`: of the kernels, for the echo.
OrError<std::shared_ptr<const ComputeSetup>> SetUp(const QueryView& view,
                                                   const ModelEntry& entry,
                                                   std::string_view target);

}  // namespace torqued::server
