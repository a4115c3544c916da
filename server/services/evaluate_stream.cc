#include "server/services/evaluate_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/wire/message_bytes.h"
#include "server/wire/reply.h"

namespace torqued::server {
namespace {

/// Chunks that are larger give their memory back.
constexpr std::int64_t kMaxKeptBytes = 1 << 20;
/// Of what may be in flight: idle streams leave the rest to calls.
constexpr std::int64_t kKeptPart = 8;

/// What takes less, by estimate, is computed where it was parsed: its numbers
/// are in the caches there. Rows that leave the lanes may take ten times as
/// long.
constexpr double kInPlaceNanoseconds = 120'000;

bool IsForThePool(const StateBatch& batch) {
  const EvaluationPlan& plan = *batch.plan();
  // Singular values are computed row by row, which the estimate leaves out.
  if (batch.query().sigma_min) return !Engine::IsSmall(plan);
  return plan.Nanoseconds(plan.rows()) > kInPlaceNanoseconds;
}

}  // namespace

void EvaluateStream::OnMessage() {
  current_->arrival = Clock::now();
  if (query_) {
    current_->done = current_->parsed = false;
    current_->number = chunks_read_++;
    return AdmitOrWait();
  }
  const v1::EvaluateRequest& request = current_->request;
  auto error = OrFault([&] {
    auto problem = Receive(&current_->bytes, &current_->request, &room_);
    return problem ? problem
                   : ProblemOfKind(true, request.has_start(),
                                   request.has_chunk(), "chunk");
  });
  if (error) return Handled(std::move(error));
  FindModel(request.start().model());
}

std::optional<Error> EvaluateStream::OnModel(const ModelEntry& entry) {
  auto prepared = context_.queries.Prepare(FieldsOf(current_->request.start()),
                                           entry, context_.engine.kernels());
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

void EvaluateStream::AdmitOrWait() {
  Chunk& chunk = *current_;
  const Admission& all = context_.admission;
  while (true) {
    Lock lock(mutex_);
    const bool first = line_.empty();
    lock.unlock();
    // Half of what may be in flight is left to others.
    if (first || all.bytes() <= all.limit().bytes / 2) {
      chunk.error = OrFault([&] { return Admit(&chunk); });
      if (first || !chunk.error || chunk.error->reason != v1::OVERLOADED) {
        return Queue();
      }
    }
    lock.lock();
    // Without anybody left to wait for, it is first now.
    if (line_.empty()) continue;
    waiting_ = true;
    return Advance(std::move(lock));
  }
}

std::optional<Error> EvaluateStream::Admit(Chunk* chunk) {
  const v1::EvaluateRequest& request = chunk->request;
  if (!chunk->parsed) {
    chunk->room.ShrinkTo(0);
    auto error = Receive(&chunk->bytes, &chunk->request, &chunk->room);
    if (!error) {
      error = ProblemOfKind(false, request.has_start(), request.has_chunk(),
                            "chunk");
    }
    if (error) return error;
    if (!chunk->batch) {
      chunk->batch.emplace(query_, chunk->reply.mutable_results());
    }
    error = chunk->batch->Bind(FieldsOf(request.chunk()));
    if (error) return InMessage(*std::move(error), "chunk.");
    chunk->stop = query_->fail_fast
                      ? std::make_shared<CancellationToken>(cancellation_)
                      : cancellation_;
    chunk->parsed = true;
  }
  const std::size_t echo =
      chunk->number == 0 ? query_->echo_with_wrench.size() : 0;
  return chunk->batch->Admit(0, static_cast<std::int64_t>(echo),
                             context_.limits, &chunk->room);
}

void EvaluateStream::Queue() {
  Chunk* const chunk = current_.get();
  bool on_pool = false;
  if (!chunk->error) {
    const StateBatch& batch = *chunk->batch;
    chunk->first_row = rows_read_;
    rows_read_ += static_cast<std::uint64_t>(batch.rows());
    chunk->prepared = Clock::now() - chunk->arrival;
    on_pool = IsForThePool(batch);
    if (!on_pool) {
      chunk->error = OrFault([&] {
        return Complete(chunk, context_.engine.EvaluateHere(
                                   *batch.plan(), batch.outputs(), chunk->stop,
                                   query_->fail_fast));
      });
    }
  }

  Lock lock(mutex_);
  chunk->done = !on_pool;
  line_.push_back(std::move(current_));
  handling_ = false;
  if (chunk->error) GiveUpBehind(*chunk);
  if (on_pool && !input_ended_) {
    ++working_;
    lock.unlock();
    ComputeOnPool(chunk);
    lock.lock();
  }
  Advance(std::move(lock));
}

void EvaluateStream::ComputeOnPool(Chunk* chunk) {
  const StateBatch& batch = *chunk->batch;
  try {
    context_.engine.Submit(
        batch.plan(), batch.outputs(),
        [this, chunk](const EvaluationReport& report) {
          OnComputed(chunk, report);
        },
        chunk->stop, query_->fail_fast, peer_, batch.most_threads());
  } catch (...) {
    OnComputed(chunk, {.issues = {}, .failed = true});
  }
}

void EvaluateStream::OnComputed(Chunk* chunk, const EvaluationReport& report) {
  chunk->error = OrFault([&] { return Complete(chunk, report); });
  Lock lock(mutex_);
  chunk->done = true;
  if (chunk->error) GiveUpBehind(*chunk);
  --working_;
  Advance(std::move(lock));
}

std::optional<Error> EvaluateStream::Complete(Chunk* chunk,
                                              const EvaluationReport& report) {
  // Without a row to blame the stream is ending for another reason.
  if (report.cancelled && (!query_->fail_fast || report.issues.empty())) {
    return std::nullopt;
  }
  if (report.failed) return FaultOfTheServer();
  v1::EvaluateReply& reply = chunk->reply;
  auto error = chunk->batch->Finish(report, chunk->first_row, &reply);
  if (error) return error;
  CountRows(chunk->batch->plan()->options().quantities, chunk->batch->rows(),
            report.queue);
  reply.set_first_row(chunk->first_row);
  FillTiming(chunk->prepared + report.queue, report.compute,
             reply.mutable_timing());
  if (chunk->number == 0) {
    const EchoBytes echo{v1::EvaluateReply::kEchoFieldNumber,
                         query_->echo_with_wrench};
    SerializeReply(reply, echo, &chunk->bytes);
  } else {
    // The sizes were checked before computing.
    SerializeMessage(reply, &chunk->bytes);
  }
  return std::nullopt;
}

void EvaluateStream::OnWritten(bool ok) {
  std::unique_ptr<Chunk> chunk = std::move(line_.front());
  line_.erase(line_.begin());
  if (ok) {
    ++chunks_answered_;
    rows_answered_ += chunk->batch->rows();
  }
  Recycle(std::move(chunk));
  resuming_ = resuming_ || std::exchange(waiting_, false);
}

void EvaluateStream::GiveUpBehind(const Chunk& failed) {
  input_ended_ = true;
  if (!query_->fail_fast) return;
  for (const auto& chunk : line_) {
    if (chunk->number > failed.number && chunk->stop) chunk->stop->Cancel();
  }
}

void EvaluateStream::OnEnding() {
  cancellation_->Cancel();
  if (waiting_ || resuming_) {
    handling_ = false;
    current_.reset();
  }
  waiting_ = resuming_ = false;
}

void EvaluateStream::OnEnd(Error* error) {
  set_volume(chunks_answered_, rows_answered_);
  if (error != nullptr && query_) {
    error->metadata.emplace_back("next_row", std::to_string(rows_answered_));
  }
}

StreamCall::Steps EvaluateStream::NextSteps() {
  Steps steps;
  if (writing_) {
    // What comes next is seen when that is done.
  } else if (!line_.empty()) {
    // Who is first in line stays there while it is written.
    Chunk& first = *line_.front();
    if (first.done && first.error) {
      first.error->metadata.emplace_back("chunk", std::to_string(first.number));
      EndWith(*std::move(first.error));
    } else if (first.done) {
      steps.write = &first.bytes;
    }
  } else if (!handling_ && input_ended_ && query_) {
    Succeed();
  } else if (!handling_ && input_ended_) {
    EndWith(FieldError(v1::INVALID_FIELD, "start",
                       "The stream ended before its start."));
  } else if (!handling_ && draining_) {
    EndWith(Draining());
  }
  if (ending()) return {};
  steps.work = std::exchange(resuming_, false);
  if (!reading_ && !handling_ && !input_ended_ && !draining_ &&
      line_.size() < kWindow) {
    if (spare_.empty()) {
      current_ = std::make_unique<Chunk>(*this);
    } else {
      current_ = std::move(spare_.back());
      spare_.pop_back();
    }
    steps.read = &current_->bytes;
  }
  return steps;
}

void EvaluateStream::Recycle(std::unique_ptr<Chunk> chunk) {
  chunk->bytes.Clear();
  // By capacity; what the batch has beside its results is small.
  const auto bytes = static_cast<std::int64_t>(chunk->request.SpaceUsedLong() +
                                               chunk->reply.SpaceUsedLong());
  const std::size_t most = std::max<std::size_t>(1, line_.size());
  if (spare_.size() > most) spare_.resize(most);
  const Admission& all = context_.admission;
  if (bytes > kMaxKeptBytes || spare_.size() == most) return;
  Reservation& room = chunk->room;
  room.ShrinkTo(bytes);
  if (all.bytes() - room.bytes() + bytes > all.limit().bytes / kKeptPart) {
    return;
  }
  if (OrFault([&] { return room.Grow(bytes - room.bytes()); })) return;
  spare_.push_back(std::move(chunk));
}

}  // namespace torqued::server
