// A call of torqued.v1.Dynamics.Evaluate: chunks of states in, results out.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "server/services/state_batch.h"
#include "server/services/stream_call.h"

namespace torqued::server {

/// Chunks are read one after the other, computed on the thread that parsed them
/// unless they take long, on the engine's pool otherwise, and answered in
/// order. Not more than kWindow of them are in memory; beyond that nothing is
/// read, and flow control holds the client up. The memory of a chunk serves
/// those after it. A chunk that the limits of the work under way do not admit
/// waits for those before it; only a first in line is refused.
class EvaluateStream final : public StreamCall {
 public:
  /// Chunks read and not yet written, at most.
  static constexpr std::size_t kWindow = 8;

  EvaluateStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : StreamCall(call, context, "Evaluate") {
    spare_.reserve(kWindow);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// One message of the client and its answer.
  struct Chunk {
    grpc::ByteBuffer bytes;  // as received, then as sent
    v1::EvaluateRequest request;
    v1::EvaluateReply reply;
    std::optional<StateBatch> batch;  // from the first use as a chunk on
    Admission::Reservation input;     // of the request
    /// Of the memory, from when it became spare until its next use is admitted.
    Admission::Reservation kept;
    bool parsed = false;
    std::uint64_t number = 0;  // in the stream, from 0
    std::uint64_t first_row = 0;
    Clock::time_point arrival;
    /// Of its computing alone, where a bad row ends that; else null.
    std::shared_ptr<CancellationToken> stop;
    /// The reply is serialized, or there is an error instead.
    bool done = false;
    std::optional<Error> error;
  };

  void OnMessage() override;
  const Admission::Reservation& start_reservation() const override {
    return start_reservation_;
  }
  std::optional<Error> OnModel(const ModelEntry& entry) override;
  bool OnWritten(bool ok) override;
  void Resume() override;
  void Conclude() override;
  void OnEnding() override;
  bool IsAtWork() const override { return computing_ > 0; }
  Steps NextSteps() override;
  void DescribeEnd(Error* error) override;
  void GiveBack() override { held_ = {}; }

  void OnStart(Chunk* message);

  // A chunk: on a gRPC thread, OnComputed also on one of the pool.
  void OnChunk(std::unique_ptr<Chunk> message);
  /// Parses and binds the chunk once it is admitted.
  std::optional<Error> Prepare(Chunk* chunk);
  /// Admits the chunk and its results: what is admitted already stays so.
  std::optional<Error> Admit(Chunk* chunk);
  /// What the stream holds beside its other chunks is its own.
  PeerAdmission AdmissionOf(const Chunk& chunk) const {
    return {context_.admission, record_.peer(),
            held_.load() + chunk.input.load()};
  }
  /// Queues the chunk, or lets it wait for the next one to leave the line if
  /// it is not admitted.
  void AdmitOrWait(std::unique_ptr<Chunk> message);
  /// Whether it waits for nobody.
  bool IsFirst();
  /// Not if half of what may be in flight is: others keep the rest.
  bool MayReadAhead() const;
  void Queue(std::unique_ptr<Chunk> message);
  const std::shared_ptr<CancellationToken>& CancellationOf(
      const Chunk& chunk) const;
  void ComputeHere(Chunk* chunk);
  void ComputeOnPool(Chunk* chunk);
  void OnComputed(Chunk* chunk, const EvaluationReport& report,
                  std::chrono::nanoseconds before);
  /// Fills in and serializes the reply. `before`: from the arrival to Submit.
  void Complete(Chunk* chunk, const EvaluationReport& report,
                std::chrono::nanoseconds before);

  /// A chunk in line has an error: what is behind it will not be answered.
  void GiveUpBehind(const Chunk& failed);

  std::unique_ptr<Chunk> TakeChunk();
  /// Keeps the memory of a chunk that has left the line for a message to come,
  /// unless that is large or enough is kept or in flight: as much as stands in
  /// line, and of one chunk at least.
  void Recycle(std::unique_ptr<Chunk> chunk);

  Admission::Reservation
      held_;  // the memory of its query, until its end is told
  Admission::Reservation start_reservation_;  // until there is a query

  // Written before the first chunk is read, constant afterwards.
  v1::EvaluateStart start_;  // until there is a query
  QueryPtr query_;

  // Of whoever handles a message.
  std::uint64_t chunks_read_ = 0;
  std::uint64_t rows_read_ = 0;

  /// The message being handled, once nothing is left to wait for.
  std::unique_ptr<Chunk> resumed_;

  // Guarded by the lock.
  std::unique_ptr<Chunk> incoming_;  // being read, then of who handles it
  /// Chunks read and not yet written: a ring, in order.
  std::array<std::unique_ptr<Chunk>, kWindow> line_;
  std::size_t line_begin_ = 0;
  std::size_t line_size_ = 0;
  std::vector<std::unique_ptr<Chunk>> spare_;  // the last one is used next
  /// The message being handled, where it waits for those in line.
  std::unique_ptr<Chunk> waiting_chunk_;
  int computing_ = 0;  // on the pool
  CallRecord::Volume answered_;
};

}  // namespace torqued::server
