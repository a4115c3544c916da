// Requests from states and options, evaluations from replies, and how a batch
// is cut into calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "client/cpp/error.h"
#include "client/cpp/evaluation.h"
#include "torqued/v1/server_info.pb.h"

namespace torqued::client {

/// Bytes of states or results beyond which larger messages only cost: they
/// leave the caches, and nothing overlaps.
inline constexpr std::int64_t kGoodMessageBytes = 1024 * 1024;

/// A server lists at most so many rows that are not OK in a reply.
inline constexpr std::int64_t kMaxListedRows = 1000;

struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Settings of client and server for each call.
struct BatchLimits {
  std::int64_t rows = 1;
  std::int64_t payload_bytes = kGoodMessageBytes;
};

/// `info` is of the server. 0 means no limit in it.
BatchLimits LimitsOf(const v1::GetServerInfoReply& info,
                     std::int64_t max_message_bytes, std::int64_t rows);

/// Rows [first, first + count) as little-endian doubles.
void EncodeRows(const Batch& batch, Eigen::Index first, Eigen::Index count,
                v1::Array* array);

/// Writes the `count` rows of an array to the rows from `first` on. Row 0 comes
/// first and gives `batch` its size, `total` rows. Throws Error if the array is
/// of another size.
void DecodeRows(const v1::Array& array, Eigen::Index first, Eigen::Index count,
                Eigen::Index total, Batch* batch);

/// Number of states: the most rows of any input. Throws Error (WRONG_ROW_COUNT)
/// when another input has neither that many rows nor one.
std::int64_t CountStates(const States& states);

/// States of each call but the last: as many as the limits allow to its request
/// and its reply, at least 1.
std::int64_t RowsPerCall(std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         const BatchLimits& limits);

/// Everything but the arrays of the states.
v1::ComputeRequest MakeRequest(const std::string& model,
                               std::span<const v1::Quantity> quantities,
                               const ComputeOptions& options);

/// Puts the given rows of the states in the place of any that are there; inputs
/// of one row go along whole.
void AddRows(const States& states, const ComputeOptions& options,
             const RowRange& range, v1::ComputeRequest* request);

/// Writes the part's rows to their places in the whole, which has its rows and
/// its echo. The first part comes first. Throws Error if a table is of another
/// size than `range`.
void Join(const v1::ComputeReply& part, const RowRange& range,
          Evaluation* whole);

/// The error of a call whose rows begin with that row of the whole.
Error CountedFromStart(const Error& error, std::int64_t first_row);

}  // namespace torqued::client
