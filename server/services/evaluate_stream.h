// A call of torqued.v1.Dynamics.Evaluate: chunks of states in, results out.
#pragma once

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
/// unless they take long, else on the engine's pool, and answered in order. Of
/// more than kWindow none is read: flow control holds the client up. The memory
/// of a chunk serves those after it. A chunk that is not admitted waits for
/// those before it; only a first in line is refused.
class EvaluateStream final : public StreamCall {
 public:
  /// Chunks read and not yet written, at most.
  static constexpr std::size_t kWindow = 8;

  EvaluateStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : StreamCall(call, context, "Evaluate") {
    spare_.reserve(kWindow);
    line_.reserve(kWindow);
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Chunk {
    explicit Chunk(EvaluateStream& stream)
        : room(stream.context_.admission, stream.peer_, &stream.room_) {}

    grpc::ByteBuffer bytes;  // as received, then as sent
    v1::EvaluateRequest request;
    v1::EvaluateReply reply;
    std::optional<StateBatch> batch;  // from the first use as a chunk on
    /// Of request and reply, or of the memory that is kept of them.
    Reservation room;
    bool parsed = false;
    std::uint64_t number = 0;  // in the stream, from 0
    std::uint64_t first_row = 0;
    Clock::time_point arrival;
    std::chrono::nanoseconds prepared{0};  // since the arrival
    /// With fail_fast of its computing alone, else the call's.
    std::shared_ptr<CancellationToken> stop;
    /// The reply is serialized, or there is an error instead.
    bool done = false;
    std::optional<Error> error;
  };

  void OnMessage() override;
  std::optional<Error> OnModel(const ModelEntry& entry) override;
  void OnWritten(bool ok) override;
  Steps NextSteps() override;
  void Work() override { AdmitOrWait(); }
  void OnEnding() override;
  void OnEnd(Error* error) override;

  /// Puts the current chunk in line, or lets it wait for those that are there.
  void AdmitOrWait();
  /// Parses and binds the chunk, once, and admits its results.
  std::optional<Error> Admit(Chunk* chunk);
  /// Computes the current chunk, here or on the pool.
  void Queue();
  void ComputeOnPool(Chunk* chunk);
  void OnComputed(Chunk* chunk, const EvaluationReport& report);
  /// Fills in and serializes the reply.
  std::optional<Error> Complete(Chunk* chunk, const EvaluationReport& report);

  // Under the lock.

  /// A chunk in line has an error: what is behind it will not be answered.
  void GiveUpBehind(const Chunk& failed);
  /// Keeps the memory of a chunk for a message to come, unless that is large or
  /// enough is in flight or kept: of one chunk, or as many as stand in line.
  void Recycle(std::unique_ptr<Chunk> chunk);

  QueryPtr query_;  // before the first chunk is read

  // Of whoever handles a message.
  std::uint64_t chunks_read_ = 0;
  std::uint64_t rows_read_ = 0;
  /// Being read or handled.
  std::unique_ptr<Chunk> current_;

  // Guarded by the lock.
  bool waiting_ = false;   // the current chunk, for those in line
  bool resuming_ = false;  // one of these was written
  std::vector<std::unique_ptr<Chunk>> line_;   // read and not yet written
  std::vector<std::unique_ptr<Chunk>> spare_;  // the last one is used next
  std::int64_t chunks_answered_ = 0;
  std::int64_t rows_answered_ = 0;
};

}  // namespace torqued::server
