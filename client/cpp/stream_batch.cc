#include "client/cpp/stream_batch.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"

namespace torqued::client {
namespace {

// Moves a row of the error's metadata.
void CountFrom(std::int64_t first_row, const char* key,
               Error::Details* details) {
  const auto row = details->metadata.find(key);
  if (row == details->metadata.end()) return;
  std::int64_t number = 0;
  const char* end = row->second.data() + row->second.size();
  const auto parsed = std::from_chars(row->second.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    row->second = std::to_string(number + first_row);
  }
}

// The server counts rows from the start of its stream.
Error CountedFromStart(const Error& error, std::int64_t first_row) {
  if (first_row == 0) return error;
  Error::Details details = error.details();
  for (const char* key : {"row", "next_row"}) {
    CountFrom(first_row, key, &details);
  }
  return Error(error.code(),
               std::string(error.what()) + " (in the stream from row " +
                   std::to_string(first_row) + " on)",
               std::move(details));
}

// One stream, from a row on.
class StreamRun {
 public:
  StreamRun(ChunkStream& stream, const v1::EvaluateStart& start,
            std::span<const v1::Quantity> quantities, const States& states,
            const ComputeOptions& options, std::int64_t chunk_rows,
            std::int64_t first_row)
      : stream_(stream),
        quantities_(quantities),
        states_(states),
        options_(options),
        chunk_rows_(chunk_rows),
        first_row_(first_row) {
    *request_.mutable_start() = start;
  }

  // Adds rows to the whole, which has `*done` of them, for as long as they
  // come. Throws Error for replies that break the contract.
  grpc::Status Run(Evaluation* whole, std::int64_t* done) {
    std::jthread sender([this, total = whole->rows] {
      try {
        SendAll(total);
      } catch (...) {  // no memory
        sender_failure_ = std::current_exception();
        stream_.Cancel();
      }
    });
    try {
      v1::EvaluateReply reply;
      while (stream_.Receive(&reply)) {
        Take(reply, whole, done);
        room_.release();
      }
    } catch (...) {
      stream_.Cancel();
      StopSending();
      sender.join();
      v1::EvaluateReply unread;
      while (stream_.Receive(&unread)) {
      }
      stream_.End();
      throw;
    }
    StopSending();
    sender.join();
    grpc::Status status = stream_.End();
    if (sender_failure_) std::rethrow_exception(sender_failure_);
    return status;
  }

 private:
  void SendAll(std::int64_t total) {
    bool goes_on = stream_.Send(request_);
    request_.clear_start();
    for (std::int64_t row = first_row_; goes_on && row < total;
         row += chunk_rows_) {
      room_.acquire();
      if (stopped_.load()) return;
      // The memory of the chunk before is used again.
      AddRows(states_, options_, {row, std::min(chunk_rows_, total - row)},
              request_.mutable_chunk());
      goes_on = stream_.Send(request_);
    }
    if (goes_on) stream_.EndSending();
  }

  // Nothing more will be received.
  void StopSending() {
    stopped_.store(true);
    room_.release();
  }

  void Take(const v1::EvaluateReply& reply, Evaluation* whole,
            std::int64_t* done) {
    const RowRange range{*done, std::min(chunk_rows_, whole->rows - *done)};
    if (range.count == 0) {
      throw Error(grpc::StatusCode::INTERNAL,
                  "there are more replies than were asked for");
    }
    if (reply.first_row() !=
        static_cast<std::uint64_t>(range.first - first_row_)) {
      throw Error(grpc::StatusCode::INTERNAL,
                  "the reply begins with row " +
                      std::to_string(reply.first_row()) + " of the stream, " +
                      std::to_string(range.first - first_row_) +
                      " was its turn");
    }
    if (range.first == 0) {
      whole->echo = reply.echo();
      whole->echo.clear_timing();
    }
    Join(PartOf(reply), quantities_, options_.task.sigma_min, range, whole);
    *done += range.count;
    if (options_.progress) options_.progress(*done, whole->rows);
  }

  ChunkStream& stream_;
  const std::span<const v1::Quantity> quantities_;
  const States& states_;
  const ComputeOptions& options_;
  const std::int64_t chunk_rows_;
  const std::int64_t first_row_;
  v1::EvaluateRequest request_;  // the sender's
  std::exception_ptr sender_failure_;
  std::counting_semaphore<> room_{kSendAhead};
  std::atomic<bool> stopped_{false};
};

}  // namespace

Evaluation EvaluateBatch(const OpenStream& open,
                         const std::optional<RetrySchedule>& schedule,
                         const v1::EvaluateStart& start,
                         std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         std::int64_t chunk_rows) {
  Evaluation whole;
  whole.rows = CountStates(states, options);
  std::int64_t done = 0;
  v1::EvaluateStart from = start;
  std::optional<RetrySchedule> retry = schedule;
  while (true) {
    const std::int64_t first_row = done;
    const std::unique_ptr<ChunkStream> stream = open();
    StreamRun run(*stream, from, quantities, states, options, chunk_rows,
                  first_row);
    grpc::Status status = run.Run(&whole, &done);
    if (status.ok() && done == whole.rows) return whole;
    if (status.ok()) {
      status = {grpc::StatusCode::INTERNAL,
                "the stream ended after " + std::to_string(done) + " of " +
                    std::to_string(whole.rows) + " rows"};
    }
    const Error error = CountedFromStart(DecodeError(status), first_row);
    if (done > first_row) retry = schedule;
    const auto delay = retry ? retry->NextDelay(error, Clock::now())
                             : std::optional<std::chrono::nanoseconds>();
    if (!delay) throw error;
    // All rows are of one revision, even while the name moves.
    if (done > 0) from.set_model("@" + whole.echo.revision());
    std::this_thread::sleep_for(*delay);
  }
}

}  // namespace torqued::client
