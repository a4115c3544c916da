// How a batch is cut into messages.
#pragma once

#include <cstdint>
#include <optional>

#include "client/cpp/error.h"

namespace torqued::client {

struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Bytes that a message has for everything but rows: names, echo, and the row
/// status list at its longest.
inline constexpr std::int64_t kMessageOverheadBytes = 384 * 1024;

/// Payload of one call beyond which larger messages only cost, so that the
/// batch goes through a stream: they leave the caches, and nothing overlaps.
/// With inverse dynamics of 7 joints 0.4 to 1 MiB were fastest, 4 MiB and more
/// took 1.3 to 2.5 times as long.
inline constexpr std::int64_t kGoodMessageBytes = 1024 * 1024;

/// A server lists at most so many rows that are not OK in a reply. No message
/// has more rows, so that each of them has its code.
inline constexpr std::int64_t kMaxRows = 1000;

/// Rows of a call such that neither its request nor its reply exceeds
/// `max_message_bytes`, from 1 to kMaxRows; below that a multiple of 64 from 64
/// on.
std::int64_t RowsPerCall(std::int64_t request_bytes_per_row,
                         std::int64_t reply_bytes_per_row,
                         std::int64_t max_message_bytes);

/// Rows to send at a time after `error` has refused so many of them for the
/// size of a message: as many as it says that fit, else half; a multiple of 64
/// from 64 on. Nothing where it is another error, or one row is too large.
std::optional<std::int64_t> FewerRows(const Error& error, std::int64_t rows);

/// An error of a stream, which counts rows and chunks from its own start, as
/// one that counts them from the start of the whole. Nothing came before: the
/// same.
Error CountedFromStart(const Error& error, std::int64_t rows_before,
                       std::int64_t chunks_before);

}  // namespace torqued::client
