#include "server/services/evaluate_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/errors/error.h"
#include "server/observability/metrics.h"
#include "server/services/receive.h"
#include "server/wire/message_bytes.h"
#include "server/wire/reply.h"

namespace torqued::server {
namespace {

/// Chunks that are larger give their memory back.
constexpr std::int64_t kMaxKeptBytes = 1 << 20;
/// Of what may be in flight: idle streams leave the rest to calls.
constexpr std::int64_t kKeptPart = 8;

/// What takes less, by estimate, is computed where it was parsed: its numbers
/// stand in the caches there. Others wait for the thread meanwhile: rows that
/// leave the lanes may make it ten times as long.
constexpr double kInPlaceNanoseconds = 120'000;

bool IsForThePool(const StateBatch& batch) {
  const EvaluationPlan& plan = *batch.plan();
  // Singular values are computed row by row, which the estimate leaves out.
  if (batch.sigma_min()) return !Engine::IsSmall(plan);
  return plan.Nanoseconds(plan.rows()) > kInPlaceNanoseconds;
}

Error InChunk(Error error, std::uint64_t number) {
  error.metadata.emplace_back("chunk", std::to_string(number));
  return error;
}

}  // namespace

void EvaluateStream::OnMessage() {
  std::unique_ptr<Chunk> message = std::move(incoming_);
  message->arrival = Clock::now();
  if (query_) {
    OnChunk(std::move(message));
  } else {
    OnStart(message.get());
  }
}

void EvaluateStream::OnStart(Chunk* message) {
  std::optional<Error> error;
  try {
    v1::EvaluateRequest& request = message->request;
    error = Receive(&message->bytes, {context_.admission, record_.peer()},
                    &request, &start_reservation_);
    if (error) {
      // As it is.
    } else if (!request.has_start()) {
      error = WrongMessage("start", "The first message must be the start.");
    } else if (request.has_chunk()) {
      error =
          WrongMessage("chunk", "A message is either the start or a chunk.");
    } else {
      start_.Swap(request.mutable_start());
      return FindModel(start_.model());
    }
  } catch (...) {
    error = FaultOfTheServer();
  }
  Handled(std::move(error));
}

std::optional<Error> EvaluateStream::OnModel(const ModelEntry& entry) {
  auto query = context_.queries.Prepare(FieldsOf(start_), entry,
                                        context_.engine.target());
  if (auto* error = std::get_if<Error>(&query)) {
    return InMessage(std::move(*error), "start.");
  }
  auto made = std::get<QueryPtr>(std::move(query));
  auto admitted = context_.admission.Admit(
      {.bytes = made->bytes()}, record_.peer(), start_reservation_.load());
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  held_ = std::get<Admission::Reservation>(std::move(admitted));
  // May be large, and the stream may be long; Clear would keep the memory.
  v1::EvaluateStart().Swap(&start_);
  start_reservation_ = {};
  query_ = std::move(made);
  return std::nullopt;
}

void EvaluateStream::OnChunk(std::unique_ptr<Chunk> message) {
  message->done = false;
  message->parsed = false;
  message->number = chunks_read_++;
  AdmitOrWait(std::move(message));
}

void EvaluateStream::AdmitOrWait(std::unique_ptr<Chunk> message) {
  Chunk* chunk = message.get();
  while (true) {
    const bool first = IsFirst();
    if (first || MayReadAhead()) {
      try {
        chunk->error = Admit(chunk);
      } catch (...) {
        chunk->error = FaultOfTheServer();
      }
      if (first || !chunk->error || chunk->error->reason != v1::OVERLOADED) {
        return Queue(std::move(message));
      }
    }
    Lock lock(mutex_);
    // Without anybody left to wait for, it is first now.
    if (line_size_ == 0) continue;
    waiting_chunk_ = std::move(message);
    return Advance(std::move(lock));
  }
}

std::optional<Error> EvaluateStream::Admit(Chunk* chunk) {
  if (!chunk->parsed) {
    if (auto error = Prepare(chunk)) return error;
  }
  const auto echo_bytes =
      static_cast<std::int64_t>(query_->echo_with_wrench.size());
  auto error = chunk->batch->Admit(0, chunk->number == 0 ? echo_bytes : 0,
                                   context_.limits, AdmissionOf(*chunk));
  if (error) error = InMessage(*std::move(error), "chunk.");
  return error;
}

bool EvaluateStream::MayReadAhead() const {
  const Admission& all = context_.admission;
  return all.bytes() <= all.limit().bytes / 2;
}

bool EvaluateStream::IsFirst() {
  const Lock lock(mutex_);
  return line_size_ == 0;
}

void EvaluateStream::Queue(std::unique_ptr<Chunk> message) {
  Chunk* chunk = message.get();
  bool on_pool = false;
  if (chunk->error) {
    chunk->done = true;
  } else {
    chunk->first_row = rows_read_;
    rows_read_ += static_cast<std::uint64_t>(chunk->batch->rows());
    on_pool = IsForThePool(*chunk->batch);
    if (!on_pool) ComputeHere(chunk);
  }

  Lock lock(mutex_);
  line_[(line_begin_ + line_size_++) % kWindow] = std::move(message);
  handling_ = false;
  if (chunk->error) GiveUpBehind(*chunk);
  if (on_pool && !input_ended_) {
    ++computing_;
    lock.unlock();
    ComputeOnPool(chunk);
    lock.lock();
  }
  Advance(std::move(lock));
}

std::optional<Error> EvaluateStream::Prepare(Chunk* chunk) {
  chunk->kept = {};
  auto error = Receive(&chunk->bytes, AdmissionOf(*chunk), &chunk->request,
                       &chunk->input);
  if (error) return InMessage(*std::move(error), "chunk.");
  if (chunk->request.has_start()) {
    return WrongMessage("start", "Only the first message may be a start.");
  }
  if (!chunk->request.has_chunk()) {
    return WrongMessage("chunk", "The message has no chunk.");
  }
  if (!chunk->batch) {
    chunk->batch.emplace(query_, chunk->reply.mutable_results());
  }
  error = chunk->batch->Bind(FieldsOf(chunk->request.chunk()));
  if (error) return InMessage(*std::move(error), "chunk.");
  chunk->parsed = true;
  if (chunk->batch->fail_fast()) {
    chunk->stop = std::make_shared<CancellationToken>(record_.cancellation());
  }
  return std::nullopt;
}

const std::shared_ptr<CancellationToken>& EvaluateStream::CancellationOf(
    const Chunk& chunk) const {
  return chunk.stop ? chunk.stop : record_.cancellation();
}

void EvaluateStream::ComputeHere(Chunk* chunk) {
  const StateBatch& batch = *chunk->batch;
  const auto before = Clock::now() - chunk->arrival;
  try {
    Complete(
        chunk,
        context_.engine.EvaluateHere(*batch.plan(), batch.outputs(),
                                     CancellationOf(*chunk), batch.fail_fast()),
        before);
  } catch (...) {
    chunk->error = FaultOfTheServer();
  }
  chunk->done = true;
}

void EvaluateStream::ComputeOnPool(Chunk* chunk) {
  const StateBatch& batch = *chunk->batch;
  const auto before = Clock::now() - chunk->arrival;
  try {
    context_.engine.Submit(
        batch.plan(), batch.outputs(),
        [this, chunk, before](const EvaluationReport& report) {
          OnComputed(chunk, report, before);
        },
        CancellationOf(*chunk), batch.fail_fast(), record_.peer(),
        batch.most_threads());
  } catch (...) {
    EvaluationReport report;
    report.failed = true;
    OnComputed(chunk, report, before);
  }
}

void EvaluateStream::OnComputed(Chunk* chunk, const EvaluationReport& report,
                                std::chrono::nanoseconds before) {
  try {
    Complete(chunk, report, before);
  } catch (...) {
    chunk->error = FaultOfTheServer();
  }
  Lock lock(mutex_);
  chunk->done = true;
  if (chunk->error) GiveUpBehind(*chunk);
  --computing_;
  Advance(std::move(lock));
}

void EvaluateStream::Complete(Chunk* chunk, const EvaluationReport& report,
                              std::chrono::nanoseconds before) {
  // Without a row to blame the stream is ending for another reason.
  if (report.cancelled && (!chunk->stop || report.issues.empty())) return;
  if (report.failed) {
    chunk->error = FaultOfTheServer();
    return;
  }
  v1::EvaluateReply& reply = chunk->reply;
  chunk->error = chunk->batch->Finish(report, chunk->first_row, &reply);
  if (chunk->error) return;
  CountRows(chunk->batch->plan()->options().quantities, chunk->batch->rows(),
            report.queue);
  reply.set_first_row(chunk->first_row);
  FillTiming(before + report.queue, report.compute, reply.mutable_timing());
  if (chunk->number == 0) {
    const EchoBytes echo{v1::EvaluateReply::kEchoFieldNumber,
                         query_->echo_with_wrench};
    SerializeReply(reply, echo, &chunk->bytes);
  } else {
    // The sizes were checked before computing.
    SerializeMessage(reply, &chunk->bytes);
  }
}

bool EvaluateStream::OnWritten(bool ok) {
  std::unique_ptr<Chunk> chunk = std::move(line_[line_begin_]);
  line_begin_ = (line_begin_ + 1) % kWindow;
  --line_size_;
  if (ok) {
    ++answered_.chunks;
    answered_.rows += chunk->batch->rows();
  }
  Recycle(std::move(chunk));
  if (!waiting_chunk_) return false;
  resumed_ = std::move(waiting_chunk_);
  return true;
}

void EvaluateStream::Resume() { AdmitOrWait(std::move(resumed_)); }

void EvaluateStream::GiveUpBehind(const Chunk& failed) {
  input_ended_ = true;
  for (std::size_t k = 0; k < line_size_; ++k) {
    Chunk& chunk = *line_[(line_begin_ + k) % kWindow];
    if (chunk.number > failed.number && chunk.stop) chunk.stop->Cancel();
  }
}

void EvaluateStream::Conclude() {
  if (writing_) return;
  if (line_size_ > 0) {
    Chunk& first = *line_[line_begin_];
    if (!first.done || !first.error) return;
    EndWith(InChunk(*std::move(first.error), first.number));
  } else if (handling_) {
    return;
  } else if (input_ended_ && query_) {
    Succeed();
  } else if (input_ended_) {
    EndWith(WrongMessage("start", "The stream ended before its start."));
  } else if (draining_) {
    EndWith(Draining());
  }
}

void EvaluateStream::OnEnding() {
  record_.cancellation()->Cancel();
  if (waiting_chunk_) {
    waiting_chunk_.reset();
    handling_ = false;
  }
}

void EvaluateStream::DescribeEnd(Error* error) {
  record_.set_volume(answered_);
  if (query_) {
    error->metadata.emplace_back("next_row", std::to_string(answered_.rows));
  }
}

StreamCall::Steps EvaluateStream::NextSteps() {
  Steps steps;
  // Who is first in line stays there while it is written.
  if (!writing_ && line_size_ > 0 && line_[line_begin_]->done) {
    steps.write = &line_[line_begin_]->bytes;
  }
  if (!reading_ && !handling_ && !input_ended_ && !draining_ &&
      line_size_ < kWindow) {
    incoming_ = TakeChunk();
    steps.read = &incoming_->bytes;
  }
  return steps;
}

std::unique_ptr<EvaluateStream::Chunk> EvaluateStream::TakeChunk() {
  if (spare_.empty()) return std::make_unique<Chunk>();
  std::unique_ptr<Chunk> chunk = std::move(spare_.back());
  spare_.pop_back();
  return chunk;
}

void EvaluateStream::Recycle(std::unique_ptr<Chunk> chunk) {
  chunk->batch->Release();
  chunk->input = {};
  chunk->bytes.Clear();
  // By capacity, and with fields that nobody asked for; what the batch has
  // beside its results is small.
  const auto bytes = static_cast<std::int64_t>(chunk->request.SpaceUsedLong() +
                                               chunk->reply.SpaceUsedLong());
  const std::size_t most = std::max<std::size_t>(1, line_size_);
  if (spare_.size() > most) spare_.resize(most);
  const Admission& all = context_.admission;
  if (bytes > kMaxKeptBytes || spare_.size() == most ||
      all.bytes() + bytes > all.limit().bytes / kKeptPart) {
    return;
  }
  try {
    auto kept = AdmissionOf(*chunk).Admit({.bytes = bytes});
    if (auto* ticket = std::get_if<Admission::Reservation>(&kept)) {
      chunk->kept = std::move(*ticket);
      spare_.push_back(std::move(chunk));
    }
  } catch (const std::bad_alloc&) {
    chunk.reset();  // nobody waits for it
  }
}

}  // namespace torqued::server
