#include "client/cpp/rows.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace torqued::client {
namespace {

std::int64_t WholeBlocks(std::int64_t rows) {
  return rows < 64 ? rows : rows / 64 * 64;
}

// What a refusal says of it; nothing where it does not.
std::optional<std::int64_t> RowsThatFit(const Error& error) {
  const auto& metadata = error.details().metadata;
  const auto found = metadata.find("rows_that_fit");
  if (found == metadata.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t rows = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, rows);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return rows;
}

}  // namespace

std::int64_t RowsPerCall(std::int64_t request_bytes_per_row,
                         std::int64_t reply_bytes_per_row,
                         std::int64_t max_message_bytes) {
  const std::int64_t payload =
      std::min(std::max<std::int64_t>(max_message_bytes - kMessageOverheadBytes,
                                      max_message_bytes / 2),
               kGoodMessageBytes);
  const std::int64_t bytes_per_row =
      std::max<std::int64_t>({request_bytes_per_row, reply_bytes_per_row, 1});
  return WholeBlocks(std::max<std::int64_t>(payload / bytes_per_row, 1));
}

std::optional<std::int64_t> FewerRows(const Error& error, std::int64_t rows) {
  // gRPC's own refusal of a message has no details. With a delay it is load,
  // not size.
  if (error.code() != grpc::StatusCode::RESOURCE_EXHAUSTED ||
      error.details().retry_delay ||
      !(error.details().reason.empty() ||
        error.reason() == v1::REQUEST_TOO_LARGE)) {
    return std::nullopt;
  }
  const std::int64_t fewer = WholeBlocks(RowsThatFit(error).value_or(rows / 2));
  if (fewer < 1 || fewer >= rows) return std::nullopt;
  return fewer;
}

}  // namespace torqued::client
