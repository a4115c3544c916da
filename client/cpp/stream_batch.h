// A large batch, through streams.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "client/cpp/chunk_stream.h"
#include "client/cpp/evaluation.h"
#include "client/cpp/retry.h"

namespace torqued::client {

/// Chunks that are sent before the first of them is answered: more than the
/// server reads ahead, so that it never waits for us.
inline constexpr int kSendAhead = 16;

/// Computes all rows of the states, `chunk_rows` at a time. A stream that fails
/// is followed by another one, from the first row without an answer and for
/// the same revision, where `schedule` allows it; each such row is progress
/// and so begins the schedule anew. So is, whatever the schedule, one in which
/// a chunk was too large for the server: by one with smaller chunks. Throws
/// Error otherwise, with rows and chunks counted from the start of the batch.
/// At least one row.
Evaluation EvaluateBatch(const OpenStream& open,
                         const std::optional<RetrySchedule>& schedule,
                         const v1::EvaluateStart& start,
                         std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         std::int64_t chunk_rows);

}  // namespace torqued::client
