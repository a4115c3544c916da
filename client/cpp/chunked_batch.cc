#include "client/cpp/chunked_batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"
#include "client/cpp/rows.h"

namespace torqued::client {
ChunkedBatch::ChunkedBatch(v1::EvaluateStart start,
                           std::span<const v1::Quantity> quantities,
                           const States& states, const ComputeOptions& options,
                           std::int64_t chunk_rows,
                           std::optional<RetrySchedule> schedule)
    : start_(std::move(start)),
      quantities_(quantities),
      states_(states),
      options_(options),
      chunk_rows_(chunk_rows),
      schedule_(std::move(schedule)),
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
  if (schedule_) schedule_->Answered();
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
  const Error error =
      CountedFromStart(DecodeError(status), before_.rows, before_.chunks);
  if (const auto fewer =
          FewerRows(error, std::min(chunk_rows_, total_ - done_.rows))) {
    chunk_rows_ = *fewer;
    return std::chrono::nanoseconds::zero();
  }
  const auto delay = schedule_ ? schedule_->Announce(error) : std::nullopt;
  if (!delay) throw error;
  return delay;
}

std::optional<std::chrono::nanoseconds> ChunkedBatch::StillToWait() {
  return schedule_ ? schedule_->StillToWait(Clock::now()) : std::nullopt;
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
