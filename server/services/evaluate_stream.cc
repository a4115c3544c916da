// A call of torqued.v1.Dynamics.Evaluate: chunks of states in, results out.
#include <algorithm>
#include <vector>

#include "server/services/call.h"
#include "server/wire/reply.h"

namespace torqued::server {
namespace {

using Clock = std::chrono::steady_clock;

/// Chunks read and not yet written, at most.
constexpr std::size_t kWindow = 8;
/// Of a chunk's memory, and as a part of all in flight: the rest is for calls.
constexpr std::int64_t kMaxKeptBytes = 1 << 20, kKeptPart = 8;
/// What takes less, by estimate, is computed where it was parsed: its numbers
/// are in the caches there. Rows that leave the lanes may take ten times that.
constexpr double kInPlaceNanoseconds = 120'000;

bool IsForThePool(const StateBatch& batch) {
  const EvaluationPlan& plan = *batch.plan();
  // Singular values are computed row by row, which the estimate leaves out.
  if (batch.query().sigma_min) return !Engine::IsSmall(plan);
  return plan.nanoseconds() > kInPlaceNanoseconds;
}

/// Chunks are read one after the other, computed on the thread that parsed them
/// unless they take long, else on the engine's pool, and answered in order. Of
/// more than kWindow none is read: flow control holds the client up. A chunk
/// that is not admitted waits for those before it, and is refused without any.
class EvaluateStream final : public StreamCall {
 public:
  EvaluateStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : StreamCall(call, context, "Evaluate") {
    volume_.emplace();
    line_.reserve(kWindow);
  }

 private:
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
    /// The reply is serialized, or there is an error instead.
    bool done = false;
    std::optional<Error> error;
  };

  void OnMessage() override {
    Chunk& chunk = *current_;
    chunk.arrival = Clock::now();
    if (query_) {
      chunk.done = chunk.parsed = false;
      chunk.number = chunks_read_++;
      return Work();
    }
    auto error = OrFault([&] { return Take(&chunk, &room_); });
    if (error) return Handled(std::move(error));
    FindModel(chunk.request.start().model());
  }

  std::optional<Error> Take(Chunk* chunk, Reservation* room) {
    const v1::EvaluateRequest& request = chunk->request;
    if (auto error = Receive(&chunk->bytes, &chunk->request, room))
      return error;
    return ProblemOfKind(!query_, request.has_start(), request.has_chunk(),
                         "chunk");
  }

  std::optional<Error> OnModel(const ModelEntry& entry) override {
    auto prepared = context_.queries.Prepare(
        FieldsOf(current_->request.start()), entry, context_.engine.kernels());
    if (auto* error = std::get_if<Error>(&prepared)) {
      return InMessage(std::move(*error), "start.");
    }
    auto query = std::get<QueryPtr>(std::move(prepared));
    if (auto error = room_.Grow(query->bytes())) return error;
    // The start, which may be large, goes with the message.
    room_.ShrinkTo(query->bytes());
    query_ = std::move(query);
    return std::nullopt;
  }

  /// Puts the current chunk in line, or lets it wait for those that are there.
  void Work() override {
    const Admission& all = context_.admission;
    Lock lock(mutex_);
    const bool first = line_.empty();
    lock.unlock();
    // Half of what may be in flight is left to others.
    if (first || all.bytes() <= all.limit().bytes / 2) {
      Chunk& chunk = *current_;
      chunk.error = OrFault([&] { return Admit(&chunk); });
      if (first || !chunk.error || chunk.error->reason != v1::OVERLOADED) {
        return Queue();
      }
    }
    lock.lock();
    waiting_ = true;
    Advance(std::move(lock));
  }

  /// Parses and binds the chunk, once, and admits its results.
  std::optional<Error> Admit(Chunk* chunk) {
    if (!chunk->parsed) {
      chunk->room.ShrinkTo(0);
      auto error = Take(chunk, &chunk->room);
      if (error) return error;
      if (!chunk->batch) {
        chunk->batch.emplace(query_, chunk->reply.mutable_results());
      }
      error = chunk->batch->Bind(FieldsOf(chunk->request.chunk()));
      if (error) return InMessage(*std::move(error), "chunk.");
      chunk->parsed = true;
    }
    return chunk->batch->Admit(
        chunk->number == 0 ? query_->echo_with_wrench.size() : 0,
        context_.limits, &chunk->room);
  }

  JobOptions JobOf(const StateBatch& batch, int max_threads) const {
    return {.cancellation = cancellation_,
            .stop_at_first = batch.query().fail_fast,
            .max_threads = max_threads,
            .group = peer_};
  }

  void Queue() {
    Chunk* const chunk = current_.get();
    Engine& engine = context_.engine;
    bool on_pool = false;
    if (!chunk->error) {
      const StateBatch& batch = *chunk->batch;
      chunk->first_row = rows_read_;
      rows_read_ += static_cast<std::uint64_t>(batch.rows());
      chunk->prepared = Clock::now() - chunk->arrival;
      on_pool = IsForThePool(batch);
      if (!on_pool) {
        chunk->error = OrFault([&] {
          return Complete(chunk, engine.Evaluate(*batch.plan(), batch.outputs(),
                                                 JobOf(batch, 1)));
        });
      }
    }

    Lock lock(mutex_);
    chunk->done = !on_pool;
    line_.push_back(std::move(current_));
    handling_ = false;
    if (on_pool) {
      ++working_;
      lock.unlock();
      try {
        const StateBatch& batch = *chunk->batch;
        engine.Submit(
            batch.plan(), batch.outputs(),
            [this, chunk](const EvaluationReport& report) {
              OnComputed(chunk, report);
            },
            JobOf(batch, batch.most_threads()));
      } catch (...) {
        OnComputed(chunk, {.issues = {}, .failed = true});
      }
      lock.lock();
    }
    Advance(std::move(lock));
  }

  void OnComputed(Chunk* chunk, const EvaluationReport& report) {
    chunk->error = OrFault([&] { return Complete(chunk, report); });
    Lock lock(mutex_);
    chunk->done = true;
    --working_;
    Advance(std::move(lock));
  }

  std::optional<Error> Complete(Chunk* chunk, const EvaluationReport& report) {
    // Without a row to blame the stream is ending for another reason.
    if (report.cancelled && (!query_->fail_fast || report.issues.empty())) {
      return std::nullopt;
    }
    if (report.failed) return FaultOfTheServer();
    const StateBatch& batch = *chunk->batch;
    v1::EvaluateReply& reply = chunk->reply;
    auto error = chunk->batch->Finish(report, chunk->first_row, &reply);
    if (error) return error;
    CountRows(batch.plan()->options().quantities, batch.rows(), report.queue);
    reply.set_first_row(chunk->first_row);
    FillTiming(chunk->prepared + report.queue, report.compute,
               reply.mutable_timing());
    if (chunk->number > 0) {
      SerializeMessage(reply, &chunk->bytes);
    } else {
      const EchoBytes echo{v1::EvaluateReply::kEchoFieldNumber,
                           query_->echo_with_wrench};
      SerializeReply(reply, echo, &chunk->bytes);
    }
    return std::nullopt;
  }

  void OnWritten() override {
    std::unique_ptr<Chunk> chunk = std::move(line_.front());
    line_.erase(line_.begin());
    ++volume_->chunks;
    volume_->rows += chunk->batch->rows();
    Recycle(std::move(chunk));
  }

  /// Keeps a chunk's memory for the next one, unless much of it is in use.
  void Recycle(std::unique_ptr<Chunk> chunk) {
    chunk->bytes.Clear();
    // By capacity; what the batch has beside its results is small.
    const auto bytes = static_cast<std::int64_t>(
        chunk->request.SpaceUsedLong() + chunk->reply.SpaceUsedLong());
    const Admission& all = context_.admission;
    Reservation& room = chunk->room;
    room.ShrinkTo(bytes);
    const std::int64_t more = bytes - room.bytes();
    if (spare_ || bytes > kMaxKeptBytes ||
        all.bytes() + more > all.limit().bytes / kKeptPart ||
        OrFault([&] { return room.Grow(more); })) {
      return;
    }
    spare_ = std::move(chunk);
  }

  Steps NextSteps() override {
    Steps steps;
    if (writing_) {
      // What comes next is seen when that is done.
    } else if (!line_.empty()) {
      // Who is first in line stays there while it is written.
      Chunk& first = *line_.front();
      if (first.done && first.error) {
        first.error->metadata.emplace_back("chunk",
                                           std::to_string(first.number));
        EndWith(*std::move(first.error));
      } else if (first.done) {
        steps.write = &first.bytes;
      }
    } else if (std::exchange(waiting_, false)) {
      steps.work = true;
    } else if (!handling_ && input_ended_) {
      Succeed();
    } else if (!handling_ && draining_) {
      EndWith(Draining());
    }
    if (ending()) return {};
    if (!reading_ && !handling_ && !input_ended_ && !draining_ &&
        line_.size() < kWindow) {
      current_ = spare_ ? std::move(spare_) : std::make_unique<Chunk>(*this);
      steps.read = &current_->bytes;
    }
    return steps;
  }

  void OnEnding() override {
    cancellation_->Cancel();
    if (std::exchange(waiting_, false)) {
      handling_ = false;
      current_.reset();
    }
  }

  void OnEnd(Error* error) override {
    if (error != nullptr && query_) {
      error->metadata.emplace_back("next_row", std::to_string(volume_->rows));
    }
  }

  QueryPtr query_;  // before the first chunk is read

  // Of whoever handles a message.
  std::uint64_t chunks_read_ = 0;
  std::uint64_t rows_read_ = 0;
  std::unique_ptr<Chunk> current_;  // being read or handled

  // Guarded by the lock.
  bool waiting_ = false;  // the current chunk, until the line is empty
  std::vector<std::unique_ptr<Chunk>> line_;  // read and not yet written
  std::unique_ptr<Chunk> spare_;              // for the next message
};

}  // namespace

std::shared_ptr<StreamCall> NewEvaluateStream(grpc::CallbackServerContext* call,
                                              ServiceContext& context) {
  return std::make_shared<EvaluateStream>(call, context);
}

}  // namespace torqued::server
