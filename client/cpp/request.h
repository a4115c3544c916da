// Requests of the wire from states and options.
#pragma once

#include <span>
#include <string>

#include "client/cpp/rows.h"
#include "client/cpp/states.h"

namespace torqued::client {

/// Number of states: the most rows of any input. Throws Error (WRONG_ROW_COUNT)
/// when another input has neither that many rows nor one.
std::int64_t CountStates(const States& states);

/// Everything but the arrays of the states.
v1::ComputeRequest MakeRequest(const std::string& model,
                               std::span<const v1::Quantity> quantities,
                               const ComputeOptions& options);

/// Adds the given rows of the states, in place of any that
/// are there; inputs of one row go along whole.
void AddRows(const States& states, const ComputeOptions& options,
             const RowRange& range, v1::ComputeRequest* request);

/// States of each call but the last.
std::int64_t RowsPerCall(std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         const BatchLimits& limits);

/// Bytes on the wire per state, from above.
std::int64_t RequestBytesPerRow(const States& states);
std::int64_t ReplyBytesPerRow(std::span<const v1::Quantity> quantities,
                              const States& states,
                              const ComputeOptions& options);

}  // namespace torqued::client
