// One computation over a batch of any size, as one call or as a stream.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "client/cpp/batch_plan.h"
#include "client/cpp/chunk_stream.h"
#include "client/cpp/evaluation.h"
#include "client/cpp/retry.h"

namespace torqued::client {

/// Performs one Compute call; throws Error.
using ComputeCall = std::function<v1::ComputeReply(const v1::ComputeRequest&)>;

/// How a batch travels.
struct BatchCalls {
  ComputeCall compute;
  OpenStream open_stream;
  /// Of streams; nothing: the first failure is final.
  std::optional<RetrySchedule> schedule;
};

/// By one call where states and results stay below kGoodMessageBytes and the
/// message limit, otherwise through a stream; the numbers are the same. What
/// the server refuses for its size goes on in smaller chunks.
Evaluation ComputeBatch(const BatchCalls& calls, const BatchLimits& limits,
                        const std::string& model,
                        std::span<const v1::Quantity> quantities,
                        const States& states, const ComputeOptions& options);

/// Through a stream whatever the size, unless there are no states to count.
Evaluation StreamBatch(const BatchCalls& calls, const BatchLimits& limits,
                       const std::string& model,
                       std::span<const v1::Quantity> quantities,
                       const States& states, const ComputeOptions& options);

}  // namespace torqued::client
