// A call of torqued.v1.Dynamics.Evaluate: chunks of states in, results out.
#pragma once

#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "server/services/call_record.h"
#include "server/services/service_context.h"
#include "server/services/state_batch.h"

namespace torqued::server {

/// Chunks are read one after the other, computed on the thread that parsed them
/// unless they take long, on the engine's pool otherwise, and answered in
/// order. Not more than kWindow of them are in memory; beyond that nothing is
/// read, and flow control holds the client up. The memory of a chunk serves
/// those after it. A chunk that the limits of the work under way do not admit
/// waits for those before it; only a first in line is refused.
///
/// The messages travel as bytes, parsed and serialized here: generated code
/// would not tell bytes that are no request from the end of the stream.
///
/// Lives until gRPC is through with the call.
class EvaluateStream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public CallGate::Listener,
      public std::enable_shared_from_this<EvaluateStream> {
 public:
  /// Chunks read and not yet written, at most.
  static constexpr std::size_t kWindow = 8;

  static grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Start(
      grpc::CallbackServerContext* call, ServiceContext& context);

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  /// One message of the client and its answer.
  struct Chunk {
    grpc::ByteBuffer bytes;  // as received, then as sent
    v1::EvaluateRequest request;
    v1::EvaluateReply reply;
    std::optional<StateBatch> batch;  // from the first use as a chunk on
    Admission::Ticket waiting;        // while others come first
    std::uint64_t number = 0;         // in the stream, from 0
    std::uint64_t first_row = 0;
    Clock::time_point arrival;
    /// Of its computing alone, where a bad row ends that; else null.
    std::shared_ptr<CancellationToken> stop;
    /// The reply is serialized, or there is an error instead.
    bool done = false;
    std::optional<Error> error;
  };

  enum class Ending : std::uint8_t { kSucceed, kFail, kAbandon };

  EvaluateStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : call_(call),
        context_(context),
        record_(call, context.gate, "Evaluate") {
    spare_.reserve(kWindow);
  }

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { record_.Cancel(); }
  void OnDone() override;
  void OnClose() override;

  /// Why the stream is refused, if it is.
  std::optional<Error> Enter();

  // The start: on a gRPC thread, from LookUp on also on one of the pool.
  void OnStart(std::unique_ptr<Chunk> message);
  void LookUp();
  void OnModel(const ModelEntry& entry);
  void FailStart(Error error);

  // A chunk: on a gRPC thread, OnComputed also on one of the pool.
  void OnChunk(std::unique_ptr<Chunk> message);
  std::optional<Error> Prepare(Chunk* chunk);
  /// Queues the chunk, or lets it wait for the next one to leave the line.
  void Admit(std::unique_ptr<Chunk> message);
  /// False where too much waits already.
  bool TakeRoomToWait(Chunk* chunk);
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

  /// Starts whatever can be started now: a read, a write, or the end, after
  /// which nothing of this may be touched. Everything that changes the state
  /// calls it.
  void Advance(Lock lock);
  /// Decides whether the stream comes to its end.
  void Conclude();
  /// A chunk in line has an error: what is behind it will not be answered.
  void GiveUpBehind(const Chunk& failed);
  /// Unless another end is decided.
  void EndWith(Error error);
  grpc::Status EndStatus();

  std::unique_ptr<Chunk> TakeChunk();
  /// Keeps the memory of a chunk that has left the line, unless that is large
  /// or enough is kept: as much as stands in line, and of one chunk at least.
  void Recycle(std::unique_ptr<Chunk> chunk);

  grpc::CallbackServerContext* call_;
  ServiceContext& context_;
  CallRecord record_;
  std::shared_ptr<EvaluateStream> self_;  // until gRPC is through
  Admission::Ticket open_;                // until its end is told
  Admission::Ticket held_;                // the memory of its setup, as long

  // Written before the first chunk is read, constant afterwards.
  v1::EvaluateStart start_;       // until there is a setup
  Admission::Ticket looking_up_;  // the model
  std::shared_ptr<const ComputeSetup> setup_;

  // Of whoever handles a message.
  std::uint64_t chunks_read_ = 0;
  std::uint64_t rows_read_ = 0;

  std::mutex mutex_;                 // guards what follows
  std::unique_ptr<Chunk> incoming_;  // the message being read
  /// Chunks read and not yet written: a ring, in order.
  std::array<std::unique_ptr<Chunk>, kWindow> line_;
  std::size_t line_begin_ = 0;
  std::size_t line_size_ = 0;
  std::vector<std::unique_ptr<Chunk>> spare_;  // the last one is used next
  bool reading_ = false;
  bool writing_ = false;
  bool handling_ = false;  // a message that has been read
  /// The message being handled, where it waits for those in line.
  std::unique_ptr<Chunk> waiting_chunk_;
  int computing_ = 0;  // on the pool
  int starting_ = 0;   // threads that are about to call gRPC
  bool input_ended_ = false;
  bool draining_ = false;
  CallRecord::Volume answered_;
  std::optional<Ending> ending_;
  Error error_;  // of Ending::kFail
  bool finished_ = false;
};

}  // namespace torqued::server
