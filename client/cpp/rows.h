// How a batch is cut into messages.
#pragma once

#include <cstdint>
#include <limits>

#include "client/cpp/error.h"
#include "torqued/v1/server_info.pb.h"

namespace torqued::client {

struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Bytes that a message has for everything but rows: names, echo, and the row
/// status list at its longest.
inline constexpr std::int64_t kMessageOverheadBytes = 384 * 1024;

/// Bytes of states or results beyond which larger messages only cost: they
/// leave the caches, and nothing overlaps.
inline constexpr std::int64_t kGoodMessageBytes = 512 * 1024;

/// A server lists at most so many rows that are not OK in a reply.
inline constexpr std::int64_t kMaxListedRows = 1000;

/// What client and server set for each call.
struct BatchLimits {
  std::int64_t max_message_bytes = 0;
  std::int64_t payload_bytes = kGoodMessageBytes;
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
};

/// `info`: of the server; what it does not say has no limit.
BatchLimits LimitsOf(const v1::GetServerInfoReply& info,
                     std::int64_t max_message_bytes, std::int64_t rows);

/// Rows of a call such that neither its request nor its reply exceeds the
/// limits, at least 1; from 64 on a multiple of 64, or all that are allowed.
std::int64_t RowsPerCall(std::int64_t request_bytes_per_row,
                         std::int64_t reply_bytes_per_row,
                         const BatchLimits& limits);

/// The error of a call whose rows begin with that row of the whole.
Error CountedFromStart(const Error& error, std::int64_t first_row);

}  // namespace torqued::client
