#include "server/services/evaluate_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/errors/mapping.h"
#include "server/services/admitted_work.h"
#include "server/wire/echo.h"
#include "server/wire/reply_bytes.h"

namespace torqued::server {
namespace {

/// Chunks that are larger give their memory back: what is kept for others to
/// come is not admitted.
constexpr std::size_t kMaxKeptBytes = 1 << 20;

/// What takes less, by estimate, is computed where it was parsed: its numbers
/// stand in the caches there. Others wait for the thread meanwhile: rows that
/// leave the lanes may make it ten times as long.
constexpr double kInPlaceNanoseconds = 120'000;

bool IsForThePool(const StateBatch& batch) {
  const EvaluationPlan& plan = *batch.plan();
  // Singular values are computed row by row, which the estimate leaves out.
  if (batch.sigma_min()) return !Engine::IsSmall(plan);
  return plan.nanoseconds_per_row() * static_cast<double>(plan.rows()) >
         kInPlaceNanoseconds;
}

bool Parse(grpc::ByteBuffer* bytes, v1::EvaluateRequest* request) {
  return grpc::SerializationTraits<v1::EvaluateRequest>::Deserialize(bytes,
                                                                     request)
      .ok();
}

void Serialize(const v1::EvaluateReply& reply, grpc::ByteBuffer* bytes) {
  bool own = false;
  // Cannot fail: the sizes were checked before computing.
  grpc::SerializationTraits<v1::EvaluateReply>::Serialize(reply, bytes, &own);
}

Error WrongMessage(std::string field, std::string message) {
  return FieldError(v1::INVALID_FIELD, std::move(field), std::move(message));
}

Error NoRequest() {
  Error error;
  error.reason = v1::INVALID_FIELD;
  error.message = "The bytes are no EvaluateRequest.";
  return error;
}

/// Paths from the stream's message on. What a chunk meets in the options is
/// the start's.
Error InMessage(Error error, std::string_view message) {
  for (Violation& violation : error.violations) {
    const bool option = violation.field.starts_with("options.");
    violation.field.insert(0, option ? "start." : message);
  }
  return error;
}

Error InChunk(Error error, std::uint64_t number) {
  error.metadata.emplace_back("chunk", std::to_string(number));
  return error;
}

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
EvaluateStream::Start(grpc::CallbackServerContext* call,
                      ServiceContext& context) {
  const std::shared_ptr<EvaluateStream> stream(
      new EvaluateStream(call, context));
  stream->self_ = stream;
  std::optional<Error> refusal = stream->Enter();
  // Only now may the gate call back.
  if (!refusal && !context.gate.Listen(stream)) refusal = Draining();
  if (refusal) {
    stream->finished_ = true;
    stream->Finish(stream->record_.Fail(*std::move(refusal)));
    return stream.get();
  }
  stream->Advance(Lock(stream->mutex_));
  return stream.get();
}

std::optional<Error> EvaluateStream::Enter() {
  if (!record_.entered()) return Draining();
  auto admitted = context_.admission.Admit({.streams = 1});
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  open_ = std::get<Admission::Ticket>(std::move(admitted));
  return std::nullopt;
}

void EvaluateStream::OnReadDone(bool ok) {
  std::unique_ptr<Chunk> message;
  {
    Lock lock(mutex_);
    message = std::move(incoming_);
    reading_ = false;
    if (!ok) input_ended_ = true;
    // From here on a chunk is accepted and will be answered.
    handling_ = ok && !draining_ && !ending_;
    if (!handling_) return Advance(std::move(lock));
  }
  message->arrival = Clock::now();
  if (setup_) {
    OnChunk(std::move(message));
  } else {
    OnStart(std::move(message));
  }
}

void EvaluateStream::OnStart(std::unique_ptr<Chunk> message) {
  try {
    v1::EvaluateRequest& request = message->request;
    if (!Parse(&message->bytes, &request)) return FailStart(NoRequest());
    if (!request.has_start()) {
      return FailStart(
          WrongMessage("start", "The first message must be the start."));
    }
    if (request.has_chunk()) {
      return FailStart(
          WrongMessage("chunk", "A message is either the start or a chunk."));
    }
    start_.Swap(request.mutable_start());
    record_.set_model(start_.model());
    if (const auto entry = context_.registry.ResolveLoaded(start_.model())) {
      return OnModel(*entry);
    }
    const auto bytes = static_cast<std::int64_t>(start_.ByteSizeLong());
    auto error =
        SubmitAdmitted(context_, bytes, &looking_up_, [this] { LookUp(); });
    if (error) FailStart(*std::move(error));
  } catch (...) {
    FailStart(FaultOfTheServer());
  }
}

void EvaluateStream::LookUp() {
  try {
    const auto resolved = context_.registry.Resolve(start_.model());
    looking_up_ = Admission::Ticket();
    if (const auto* error = std::get_if<RegistryError>(&resolved)) {
      return FailStart(InMessage(ToError(*error), "start."));
    }
    OnModel(std::get<ModelEntry>(resolved));
  } catch (...) {
    FailStart(FaultOfTheServer());
  }
}

void EvaluateStream::OnModel(const ModelEntry& entry) {
  auto setup =
      context_.setups.SetUp(ViewOf(start_), entry, context_.engine.target());
  if (auto* error = std::get_if<Error>(&setup)) {
    return FailStart(InMessage(std::move(*error), "start."));
  }
  auto made = std::get<std::shared_ptr<const ComputeSetup>>(std::move(setup));
  auto admitted = context_.admission.Admit({.bytes = made->plan.bytes()});
  if (auto* error = std::get_if<Error>(&admitted)) {
    return FailStart(std::move(*error));
  }
  held_ = std::get<Admission::Ticket>(std::move(admitted));
  // May be large, and the stream may be long; Clear would keep the memory.
  v1::EvaluateStart().Swap(&start_);
  Lock lock(mutex_);
  setup_ = std::move(made);
  handling_ = false;
  Advance(std::move(lock));
}

void EvaluateStream::FailStart(Error error) {
  Lock lock(mutex_);
  handling_ = false;
  EndWith(std::move(error));
  Advance(std::move(lock));
}

void EvaluateStream::OnChunk(std::unique_ptr<Chunk> message) {
  Chunk* chunk = message.get();
  chunk->done = false;
  chunk->number = chunks_read_++;
  try {
    chunk->error = Prepare(chunk);
  } catch (...) {
    chunk->error = FaultOfTheServer();
  }
  if (chunk->error) return Queue(std::move(message));
  Admit(std::move(message));
}

void EvaluateStream::Admit(std::unique_ptr<Chunk> message) {
  Chunk* chunk = message.get();
  const auto echo_bytes =
      static_cast<std::int64_t>(setup_->echo_with_wrench.size());
  while (true) {
    chunk->waiting = {};
    Lock lock(mutex_);
    const bool first = line_size_ == 0;
    lock.unlock();
    try {
      chunk->error = chunk->batch->Admit(
          chunk->number == 0 ? echo_bytes : 0, context_.limits,
          context_.admission,
          first ? Admission::Reach::kLimit : Admission::Reach::kHalfTheLimit);
    } catch (...) {
      chunk->error = FaultOfTheServer();
    }
    if (!chunk->error) break;
    const bool may_wait = !first && chunk->error->reason == v1::OVERLOADED;
    if (!may_wait || !TakeRoomToWait(chunk)) {
      chunk->error = InMessage(*std::move(chunk->error), "chunk.");
      break;
    }
    chunk->error.reset();
    lock.lock();
    // Without anybody left to wait for, it is first now.
    if (line_size_ == 0) continue;
    waiting_chunk_ = std::move(message);
    return Advance(std::move(lock));
  }
  Queue(std::move(message));
}

bool EvaluateStream::TakeRoomToWait(Chunk* chunk) {
  auto room = context_.waiting.Admit(
      {.bytes = static_cast<std::int64_t>(chunk->request.ByteSizeLong())});
  auto* ticket = std::get_if<Admission::Ticket>(&room);
  if (ticket != nullptr) chunk->waiting = std::move(*ticket);
  return ticket != nullptr;
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
  if (!Parse(&chunk->bytes, &chunk->request)) return NoRequest();
  chunk->bytes.Clear();
  if (chunk->request.has_start()) {
    return WrongMessage("start", "Only the first message may be a start.");
  }
  if (!chunk->request.has_chunk()) {
    return WrongMessage("chunk", "The message has no chunk.");
  }
  if (!chunk->batch) {
    chunk->batch.emplace(*setup_, chunk->reply.mutable_results());
  }
  std::optional<Error> error =
      chunk->batch->Bind(ViewOf(chunk->request.chunk()));
  if (error) return InMessage(*std::move(error), "chunk.");
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
        CancellationOf(*chunk), batch.fail_fast());
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
  reply.clear_row_status();
  chunk->error = chunk->batch->Finish(report, chunk->first_row,
                                      reply.mutable_row_status());
  if (chunk->error) return;
  reply.set_first_row(chunk->first_row);
  reply.set_rows(static_cast<std::uint64_t>(chunk->batch->rows()));
  reply.set_rows_not_ok(static_cast<std::uint64_t>(report.rows_not_ok));
  FillTiming(before + report.queue, report.compute, reply.mutable_timing());
  if (chunk->number == 0) {
    const EchoBytes echo{v1::EvaluateReply::kEchoFieldNumber,
                         setup_->echo_with_wrench};
    SerializeReply(reply, echo, &chunk->bytes);
  } else {
    Serialize(reply, &chunk->bytes);
  }
}

void EvaluateStream::OnWriteDone(bool ok) {
  Lock lock(mutex_);
  writing_ = false;
  std::unique_ptr<Chunk> chunk = std::move(line_[line_begin_]);
  line_begin_ = (line_begin_ + 1) % kWindow;
  --line_size_;
  if (ok) {
    ++answered_.chunks;
    answered_.rows += chunk->batch->rows();
  } else {
    record_.Cancel();
  }
  Recycle(std::move(chunk));
  std::unique_ptr<Chunk> next = std::move(waiting_chunk_);
  Advance(std::move(lock));
  // Is still being handled, so the stream has not come to its end.
  if (next) Admit(std::move(next));
}

void EvaluateStream::OnClose() {
  Lock lock(mutex_);
  draining_ = true;
  Advance(std::move(lock));
}

void EvaluateStream::OnDone() {
  context_.gate.Forget(this);
  // A message over the limit ends the input like a client that is through; only
  // now gRPC tells that it has failed the call.
  if (ending_ == Ending::kSucceed) {
    if (call_->IsCancelled()) {
      record_.Abandon();
    } else {
      record_.Succeed();
    }
  }
  const std::shared_ptr<EvaluateStream> last = std::move(self_);
}

void EvaluateStream::GiveUpBehind(const Chunk& failed) {
  input_ended_ = true;
  for (std::size_t k = 0; k < line_size_; ++k) {
    Chunk& chunk = *line_[(line_begin_ + k) % kWindow];
    if (chunk.number > failed.number && chunk.stop) chunk.stop->Cancel();
  }
}

void EvaluateStream::EndWith(Error error) {
  if (ending_) return;
  ending_ = Ending::kFail;
  error_ = std::move(error);
}

void EvaluateStream::Conclude() {
  if (ending_) return;
  if (record_.cancelled()) {
    ending_ = Ending::kAbandon;
    return;
  }
  if (writing_) return;
  if (line_size_ > 0) {
    Chunk& first = *line_[line_begin_];
    if (!first.done || !first.error) return;
    EndWith(InChunk(*std::move(first.error), first.number));
  } else if (handling_) {
    return;
  } else if (input_ended_ && setup_) {
    ending_ = Ending::kSucceed;
  } else if (input_ended_) {
    EndWith(WrongMessage("start", "The stream ended before its start."));
  } else if (draining_) {
    EndWith(Draining());
  }
}

grpc::Status EvaluateStream::EndStatus() {
  record_.set_volume(answered_);
  switch (*ending_) {
    case Ending::kSucceed:
      return grpc::Status::OK;  // logged by OnDone
    case Ending::kFail:
      break;
    case Ending::kAbandon:
      return record_.Abandon();
  }
  if (setup_) {
    error_.metadata.emplace_back("next_row", std::to_string(answered_.rows));
  }
  return record_.Fail(std::move(error_));
}

void EvaluateStream::Advance(Lock lock) {
  while (!finished_) {
    Conclude();
    if (ending_) {
      record_.cancellation()->Cancel();
      if (waiting_chunk_) {
        waiting_chunk_.reset();
        handling_ = false;
      }
      // Each of these comes here again.
      if (computing_ > 0 || writing_ || handling_ || starting_ > 0) return;
      finished_ = true;
      lock.unlock();
      const grpc::Status status = EndStatus();
      // Who hears of the end finds room and place free again.
      held_ = {};
      open_ = {};
      return Finish(status);
    }
    const bool write = !writing_ && line_size_ > 0 && line_[line_begin_]->done;
    const bool read = !reading_ && !handling_ && !input_ended_ && !draining_ &&
                      line_size_ < kWindow;
    if (!write && !read) return;
    if (read) {
      try {
        incoming_ = TakeChunk();
      } catch (...) {
        EndWith(FaultOfTheServer());
        continue;
      }
    }
    // Who is first in line stays there while it is written.
    const grpc::ByteBuffer* reply =
        write ? &line_[line_begin_]->bytes : nullptr;
    writing_ = writing_ || write;
    reading_ = reading_ || read;
    // gRPC may send here and now: not under the lock, but before the end.
    grpc::ByteBuffer* request = read ? &incoming_->bytes : nullptr;
    ++starting_;
    lock.unlock();
    if (reply != nullptr) StartWrite(reply);
    if (request != nullptr) StartRead(request);
    lock.lock();
    --starting_;
  }
}

std::unique_ptr<EvaluateStream::Chunk> EvaluateStream::TakeChunk() {
  if (spare_.empty()) return std::make_unique<Chunk>();
  std::unique_ptr<Chunk> chunk = std::move(spare_.back());
  spare_.pop_back();
  return chunk;
}

void EvaluateStream::Recycle(std::unique_ptr<Chunk> chunk) {
  chunk->batch->Release();
  chunk->bytes.Clear();
  // By capacity, and with fields that nobody asked for; what the batch has
  // beside its results is small.
  const std::size_t bytes =
      chunk->request.SpaceUsedLong() + chunk->reply.SpaceUsedLong();
  if (bytes <= kMaxKeptBytes) spare_.push_back(std::move(chunk));
  const std::size_t most = std::max<std::size_t>(1, line_size_);
  if (spare_.size() > most) spare_.resize(most);
}

}  // namespace torqued::server
