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

}  // namespace torqued::client
