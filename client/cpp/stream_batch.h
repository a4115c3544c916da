// A large batch, through streams, by the thread that calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "client/cpp/chunk_stream.h"
#include "client/cpp/chunked_batch.h"
#include "client/cpp/evaluation.h"
#include "client/cpp/retry.h"

namespace torqued::client {

/// Computes all rows of the states, `chunk_rows` at a time, as ChunkedBatch
/// says. At least one row.
Evaluation EvaluateBatch(const OpenStream& open,
                         const std::optional<RetrySchedule>& schedule,
                         const v1::EvaluateStart& start,
                         std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         std::int64_t chunk_rows);

}  // namespace torqued::client
