#include "client/cpp/chunked_batch.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"

namespace torqued::client {
namespace {

// Moves a row or a chunk of the error's metadata.
void CountFrom(std::int64_t first, const char* key, Error::Details* details) {
  const auto found = details->metadata.find(key);
  if (found == details->metadata.end()) return;
  std::int64_t number = 0;
  const char* end = found->second.data() + found->second.size();
  const auto parsed = std::from_chars(found->second.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    found->second = std::to_string(number + first);
  }
}

}  // namespace

ChunkedBatch::ChunkedBatch(v1::EvaluateStart start,
                           std::span<const v1::Quantity> quantities,
                           const States& states, const ComputeOptions& options,
                           std::int64_t chunk_rows,
                           const std::optional<RetrySchedule>& schedule)
    : start_(std::move(start)),
      quantities_(quantities),
      states_(states),
      options_(options),
      chunk_rows_(chunk_rows),
      schedule_(schedule),
      retry_(schedule),
      total_(CountStates(states, options)) {
  whole_.rows = total_;
}

v1::EvaluateRequest ChunkedBatch::BeginStream() {
  before_ = done_;
  next_row_ = done_.rows;
  v1::EvaluateRequest request;
  *request.mutable_start() = start_;
  return request;
}

void ChunkedBatch::NextChunk(v1::EvaluateRequest* request) {
  request->clear_start();
  AddRows(states_, options_,
          {next_row_, std::min(chunk_rows_, total_ - next_row_)},
          request->mutable_chunk());
  next_row_ += chunk_rows_;
}

void ChunkedBatch::Take(const v1::EvaluateReply& reply) {
  const RowRange range{done_.rows, std::min(chunk_rows_, total_ - done_.rows)};
  if (range.count == 0) {
    throw Error(grpc::StatusCode::INTERNAL,
                "there are more replies than were asked for");
  }
  CheckFirstRow(reply, range.first - before_.rows);
  if (range.first == 0) {
    whole_.echo = reply.echo();
    whole_.echo.clear_timing();
  } else if (reply.has_echo()) {
    NoteHandover(reply.echo());
  }
  Join(PartOf(reply), quantities_, options_.task.sigma_min, range, &whole_);
  done_.rows += range.count;
  ++done_.chunks;
  if (options_.progress) options_.progress(done_.rows, total_);
}

std::optional<std::chrono::nanoseconds> ChunkedBatch::AfterEnd(
    grpc::Status status) {
  if (status.ok() && done_.rows == total_) return std::nullopt;
  if (status.ok()) {
    status = {grpc::StatusCode::INTERNAL,
              "the stream ended after " + std::to_string(done_.rows) + " of " +
                  std::to_string(total_) + " rows"};
  }
  // All rows are of one revision, even while the name moves.
  if (done_.rows > 0) start_.set_model("@" + whole_.echo.revision());
  const Error error = CountedFromStart(DecodeError(status));
  if (const auto fewer =
          FewerRows(error, std::min(chunk_rows_, total_ - done_.rows))) {
    chunk_rows_ = *fewer;
    return std::chrono::nanoseconds::zero();
  }
  if (done_.rows > before_.rows) retry_ = schedule_;
  const auto delay = retry_ ? retry_->Announce(error) : std::nullopt;
  if (!delay) throw error;
  return delay;
}

// The server counts from the start of its stream.
Error ChunkedBatch::CountedFromStart(const Error& error) const {
  if (before_.rows == 0) return error;
  Error::Details details = error.details();
  CountFrom(before_.rows, "row", &details);
  CountFrom(before_.rows, "next_row", &details);
  CountFrom(before_.chunks, "chunk", &details);
  return Error(error.code(),
               std::string(error.what()) + " (in the stream from row " +
                   std::to_string(before_.rows) + " on)",
               std::move(details));
}

// Tells where a server that may compute other bits carries on.
void ChunkedBatch::NoteHandover(const v1::Echo& echo) {
  const bool first = whole_.handovers.empty();
  const std::string& target =
      first ? whole_.echo.target() : whole_.handovers.back().target;
  const std::string& version = first ? whole_.echo.server_version()
                                     : whole_.handovers.back().server_version;
  if (echo.target() == target && echo.server_version() == version) return;
  whole_.handovers.push_back(
      {done_.rows, echo.target(), echo.server_version()});
}

}  // namespace torqued::client
