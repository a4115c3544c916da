#include "client/cpp/rows.h"

#include <algorithm>

namespace torqued::client {

std::int64_t RowsPerCall(std::int64_t request_bytes_per_row,
                         std::int64_t reply_bytes_per_row,
                         std::int64_t max_message_bytes) {
  const std::int64_t payload =
      std::min(std::max<std::int64_t>(max_message_bytes - kMessageOverheadBytes,
                                      max_message_bytes / 2),
               kGoodMessageBytes);
  const std::int64_t bytes_per_row =
      std::max<std::int64_t>({request_bytes_per_row, reply_bytes_per_row, 1});
  const std::int64_t rows = std::max<std::int64_t>(payload / bytes_per_row, 1);
  return rows < 64 ? rows : rows / 64 * 64;
}

std::vector<RowRange> CutRows(std::int64_t rows, std::int64_t rows_per_call) {
  std::vector<RowRange> ranges;
  for (std::int64_t first = 0; first < rows; first += rows_per_call) {
    ranges.push_back({first, std::min(rows_per_call, rows - first)});
  }
  if (ranges.empty()) ranges.push_back({0, 0});
  return ranges;
}

}  // namespace torqued::client
