// How a batch travels, and what it is when it travels as one call.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "client/cpp/evaluation.h"

namespace torqued::client {

struct BatchLimits {
  std::int64_t max_message_bytes = 0;
  /// States of one message of a stream, fewer where that would exceed the
  /// message limit.
  std::int64_t chunk_rows = 0;
};

struct BatchPlan {
  std::int64_t rows = 0;
  /// States and results stay below kGoodMessageBytes and the message limit.
  bool fits_one_call = false;
  /// Of a stream.
  std::int64_t chunk_rows = 0;
};

/// Throws Error (WRONG_ROW_COUNT) when inputs do not go together.
BatchPlan PlanBatch(const BatchLimits& limits,
                    std::span<const v1::Quantity> quantities,
                    const States& states, const ComputeOptions& options);

/// All of the `rows` states.
v1::ComputeRequest OneCallRequest(const std::string& model,
                                  std::span<const v1::Quantity> quantities,
                                  const States& states,
                                  const ComputeOptions& options,
                                  std::int64_t rows);
/// Throws Error for a reply that breaks the contract.
Evaluation OneCallResult(const v1::ComputeReply& reply,
                         std::span<const v1::Quantity> quantities,
                         const ComputeOptions& options, std::int64_t rows);

}  // namespace torqued::client
