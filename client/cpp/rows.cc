#include "client/cpp/rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace torqued::client {
namespace {

std::int64_t WholeBlocks(std::int64_t rows) {
  return rows < 64 ? rows : rows / 64 * 64;
}

// The number under this key of the metadata; nothing if the key is absent.
std::optional<std::int64_t> NumberOf(const Error::Details& details,
                                     const char* key) {
  const auto found = details.metadata.find(key);
  if (found == details.metadata.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return number;
}

void Move(const char* key, std::int64_t by, Error::Details* details) {
  const auto number = NumberOf(*details, key);
  std::int64_t moved = 0;
  // What a server says need not make sense.
  if (!number || __builtin_add_overflow(*number, by, &moved)) return;
  details->metadata[key] = std::to_string(moved);
}

// Whether gRPC itself refused a message for its size, at either end or in
// between. It has no details then, and gRPC refuses other things with the same
// code (metadata that are too long, a connection that asks too much), so only
// the sentence tells: that of gRPC in C++ and Go, in Java, and in .NET.
bool MessageTooLarge(const Error& error) {
  static constexpr std::array<std::string_view, 3> kSentences = {
      "essage larger than max", "essage exceeds maximum size",
      "essage exceeds the maximum"};
  const std::string_view text = error.what();
  return std::ranges::any_of(kSentences, [text](std::string_view sentence) {
    return text.find(sentence) != std::string_view::npos;
  });
}

// Whether fewer rows may get through. With a delay it is load, not size.
bool IsOfSize(const Error& error) {
  if (error.code() != grpc::StatusCode::RESOURCE_EXHAUSTED ||
      error.details().retry_delay) {
    return false;
  }
  return error.details().reason.empty()
             ? MessageTooLarge(error)
             : error.reason() == v1::REQUEST_TOO_LARGE;
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
  return payload / bytes_per_row >= kMaxRows
             ? kMaxRows
             : WholeBlocks(std::max<std::int64_t>(payload / bytes_per_row, 1));
}

std::optional<std::int64_t> FewerRows(const Error& error, std::int64_t rows) {
  if (!IsOfSize(error)) return std::nullopt;
  const std::int64_t fewer = WholeBlocks(
      NumberOf(error.details(), "rows_that_fit").value_or(rows / 2));
  if (fewer < 1 || fewer >= rows) return std::nullopt;
  return fewer;
}

Error CountedFromStart(const Error& error, std::int64_t rows_before,
                       std::int64_t chunks_before) {
  if (rows_before == 0) return error;
  Error::Details details = error.details();
  Move("row", rows_before, &details);
  Move("next_row", rows_before, &details);
  Move("chunk", chunks_before, &details);
  return Error(error.code(),
               std::string(error.what()) + " (in the stream from row " +
                   std::to_string(rows_before) + " on)",
               std::move(details));
}

}  // namespace torqued::client
