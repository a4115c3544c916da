// A large batch on its way through streams, without their transport.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "client/cpp/evaluation.h"
#include "client/cpp/retry.h"

namespace torqued::client {

/// Chunks that are sent before the first of them is answered: more than the
/// server reads ahead, so that it never waits for us.
inline constexpr int kSendAhead = 16;

/// What to send next, what to make of what comes, and how to go on when a
/// stream has ended. A stream that fails is followed by another one, from the
/// first row without an answer and for the same revision, where the schedule
/// allows it; each such row is progress and so begins the schedule anew. So is,
/// whatever the schedule, one in which a chunk was too large for the server: by
/// one with smaller chunks.
///
/// Of one stream, one thread may call NextChunk while another calls Take; the
/// other functions are called while there is no stream.
class ChunkedBatch {
 public:
  /// `chunk_rows` states at a time, of at least one. What is given by reference
  /// must outlive this. Nothing for a schedule: the first failure is final.
  ChunkedBatch(v1::EvaluateStart start,
               std::span<const v1::Quantity> quantities, const States& states,
               const ComputeOptions& options, std::int64_t chunk_rows,
               std::optional<RetrySchedule> schedule);

  /// The first message of the next stream.
  v1::EvaluateRequest BeginStream();
  /// Whether there is one to send in this stream.
  bool HasNextChunk() const { return next_row_ < total_; }
  /// Puts it in place of what `request` holds, whose memory is used again.
  void NextChunk(v1::EvaluateRequest* request);
  /// Adds the reply's rows to the whole. Throws Error for a reply that breaks
  /// the contract.
  void Take(const v1::EvaluateReply& reply);

  /// After the end of a stream: how long to wait before the next one, or
  /// nothing when the batch is done. Throws Error where the failure is final,
  /// with rows and chunks counted from the start of the batch.
  std::optional<std::chrono::nanoseconds> AfterEnd(grpc::Status status);

  /// Once that has passed: how long to wait on, or nothing.
  std::optional<std::chrono::nanoseconds> StillToWait();

  /// Of a batch that is done; once.
  Evaluation TakeResult() { return std::move(whole_); }

 private:
  // What has been answered.
  struct Progressed {
    std::int64_t rows = 0;
    std::int64_t chunks = 0;
  };

  void NoteHandover(const v1::Echo& echo);

  v1::EvaluateStart start_;
  const std::span<const v1::Quantity> quantities_;
  const States& states_;
  const ComputeOptions& options_;
  std::int64_t chunk_rows_;
  std::optional<RetrySchedule> schedule_;
  const std::int64_t total_;

  std::int64_t next_row_ = 0;  // to send
  Progressed before_;          // the stream
  Progressed done_;
  Evaluation whole_;
};

}  // namespace torqued::client
