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

// What has been answered.
struct Progressed {
  std::int64_t rows = 0;
  std::int64_t chunks = 0;
};

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

// The server counts from the start of its stream.
Error CountedFromStart(const Error& error, const Progressed& before) {
  if (before.rows == 0) return error;
  Error::Details details = error.details();
  CountFrom(before.rows, "row", &details);
  CountFrom(before.rows, "next_row", &details);
  CountFrom(before.chunks, "chunk", &details);
  return Error(error.code(),
               std::string(error.what()) + " (in the stream from row " +
                   std::to_string(before.rows) + " on)",
               std::move(details));
}

// Tells where a server that may compute other bits carries on.
void NoteHandover(const v1::Echo& echo, std::int64_t row, Evaluation* whole) {
  const bool first = whole->handovers.empty();
  const std::string& target =
      first ? whole->echo.target() : whole->handovers.back().target;
  const std::string& version = first ? whole->echo.server_version()
                                     : whole->handovers.back().server_version;
  if (echo.target() == target && echo.server_version() == version) return;
  whole->handovers.push_back({row, echo.target(), echo.server_version()});
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

  // Adds rows to the whole, which has `done->rows` of them, for as long as they
  // come. Throws Error for replies that break the contract.
  grpc::Status Run(Evaluation* whole, Progressed* done) {
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
            Progressed* done) {
    const RowRange range{done->rows,
                         std::min(chunk_rows_, whole->rows - done->rows)};
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
    } else if (reply.has_echo()) {
      NoteHandover(reply.echo(), range.first, whole);
    }
    Join(PartOf(reply), quantities_, options_.task.sigma_min, range, whole);
    done->rows += range.count;
    ++done->chunks;
    if (options_.progress) options_.progress(done->rows, whole->rows);
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
  Progressed done;
  v1::EvaluateStart from = start;
  std::optional<RetrySchedule> retry = schedule;
  while (true) {
    const Progressed before = done;
    const std::unique_ptr<ChunkStream> stream = open();
    StreamRun run(*stream, from, quantities, states, options, chunk_rows,
                  before.rows);
    grpc::Status status = run.Run(&whole, &done);
    if (status.ok() && done.rows == whole.rows) return whole;
    if (status.ok()) {
      status = {grpc::StatusCode::INTERNAL,
                "the stream ended after " + std::to_string(done.rows) + " of " +
                    std::to_string(whole.rows) + " rows"};
    }
    // All rows are of one revision, even while the name moves.
    if (done.rows > 0) from.set_model("@" + whole.echo.revision());
    const Error error = CountedFromStart(DecodeError(status), before);
    if (const auto fewer =
            FewerRows(error, std::min(chunk_rows, whole.rows - done.rows))) {
      chunk_rows = *fewer;
      continue;
    }
    if (done.rows > before.rows) retry = schedule;
    if (!retry || !retry->Wait(error)) throw error;
  }
}

}  // namespace torqued::client
