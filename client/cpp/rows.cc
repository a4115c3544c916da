#include "client/cpp/rows.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <string>
#include <utility>

namespace torqued::client {

BatchLimits LimitsOf(const v1::GetServerInfoReply& info,
                     std::int64_t max_message_bytes, std::int64_t rows) {
  BatchLimits limits{.max_message_bytes = max_message_bytes};
  limits.rows = std::max<std::int64_t>(rows, 1);
  const auto lower = [](std::int64_t* limit, std::uint64_t most) {
    if (most == 0 || most >= static_cast<std::uint64_t>(*limit)) return;
    *limit = std::max<std::int64_t>(static_cast<std::int64_t>(most), 1);
  };
  lower(&limits.rows, info.max_rows());
  lower(&limits.max_message_bytes, info.max_message_bytes());
  // A request counts three times and a reply twice; a window of them is to fit
  // into the half of one client.
  lower(&limits.payload_bytes, info.max_inflight_bytes() / 128);
  return limits;
}

std::int64_t RowsPerCall(std::int64_t request_bytes_per_row,
                         std::int64_t reply_bytes_per_row,
                         const BatchLimits& limits) {
  const std::int64_t payload = std::min(
      std::max<std::int64_t>(limits.max_message_bytes - kMessageOverheadBytes,
                             limits.max_message_bytes / 2),
      limits.payload_bytes);
  const std::int64_t bytes_per_row =
      std::max<std::int64_t>({request_bytes_per_row, reply_bytes_per_row, 1});
  const std::int64_t rows = std::max<std::int64_t>(payload / bytes_per_row, 1);
  if (rows >= limits.rows) return limits.rows;
  return rows < 64 ? rows : rows / 64 * 64;
}

Error CountedFromStart(const Error& error, std::int64_t first_row) {
  if (first_row == 0) return error;
  Error::Details details = error.details();
  const auto found = details.metadata.find("row");
  std::int64_t row = 0;
  // What a server says need not make sense.
  if (found != details.metadata.end() &&
      absl::SimpleAtoi(found->second, &row) &&
      !__builtin_add_overflow(row, first_row, &row)) {
    found->second = std::to_string(row);
  }
  return Error(error.code(),
               std::string(error.what()) + " (in the call from row " +
                   std::to_string(first_row) + " on)",
               std::move(details));
}

}  // namespace torqued::client
