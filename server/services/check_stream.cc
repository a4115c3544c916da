#include "server/services/check_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "server/errors/mapping.h"
#include "server/services/admitted_work.h"
#include "server/wire/echo.h"

namespace torqued::server {
namespace {

/// Of the tables in one reply.
constexpr std::int64_t kReplyBytes = 512 << 10;

Error WrongMessage(std::string field, std::string message) {
  return FieldError(v1::INVALID_FIELD, std::move(field), std::move(message));
}

/// Paths from the stream's message on, also where the sentence begins with one.
Error InMessage(Error error, std::string_view message) {
  for (Violation& violation : error.violations) {
    if (error.message.starts_with(violation.field + ": ")) {
      error.message.insert(0, message);
    }
    violation.field.insert(0, message);
  }
  return error;
}

void Serialize(const v1::CheckTrajectoryReply& reply, grpc::ByteBuffer* bytes) {
  bytes->Clear();
  bool own = false;
  grpc::SerializationTraits<v1::CheckTrajectoryReply>::Serialize(reply, bytes,
                                                                 &own);
}

v1::Differentiation ToWire(std::optional<SplineMethod> method) {
  if (!method) return v1::DIFFERENTIATION_UNSPECIFIED;
  return *method == SplineMethod::kCubic ? v1::DIFFERENTIATION_CUBIC_SPLINE
                                         : v1::DIFFERENTIATION_QUINTIC_SPLINE;
}

/// The place of the first number that does not fit, or `count`.
std::int64_t CopyNumbers(const double* numbers, std::int64_t count,
                         const OutputArray& to) {
  if (to.type == NumberType::kF64) {
    std::copy_n(numbers, count, static_cast<double*>(to.data));
    return count;
  }
  auto* const floats = static_cast<float*>(to.data);
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isfinite(numbers[i]) &&
        std::abs(numbers[i]) >
            static_cast<double>(std::numeric_limits<float>::max())) {
      return i;
    }
    floats[i] = static_cast<float>(numbers[i]);
  }
  return count;
}

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CheckStream::Start(
    grpc::CallbackServerContext* call, ServiceContext& context) {
  const std::shared_ptr<CheckStream> stream(new CheckStream(call, context));
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

std::optional<Error> CheckStream::Enter() {
  if (!record_.entered()) return Draining();
  auto admitted = context_.admission.Admit({.streams = 1});
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  open_ = std::get<Admission::Ticket>(std::move(admitted));
  return std::nullopt;
}

void CheckStream::OnReadDone(bool ok) {
  {
    Lock lock(mutex_);
    reading_ = false;
    if (!ok) input_ended_ = true;
    handling_ = ok && !draining_ && !ending_;
    if (!handling_) return Advance(std::move(lock));
  }
  OnMessage();
}

bool CheckStream::OnMessage() {
  std::optional<Error> error;
  try {
    const bool parsed =
        grpc::SerializationTraits<v1::CheckTrajectoryRequest>::Deserialize(
            &incoming_, &request_)
            .ok();
    incoming_.Clear();
    if (!parsed) {
      Error none;
      none.reason = v1::INVALID_FIELD;
      none.message = "The bytes are no CheckTrajectoryRequest.";
      error = std::move(none);
    } else if (request_.has_start() == request_.has_samples()) {
      error = WrongMessage(request_.has_start() ? "samples" : "start",
                           "A message is either the start or samples.");
    } else if (request_.has_start()) {
      return OnStart(std::move(*request_.mutable_start()));
    } else if (!samples_) {
      error = WrongMessage("start", "The first message must be the start.");
    } else {
      error = OnSamples(request_.samples());
    }
  } catch (...) {
    error = FaultOfTheServer();
  }
  Handled(std::move(error));
  return true;
}

bool CheckStream::OnStart(v1::CheckTrajectoryStart&& start) {
  if (samples_) {
    Handled(WrongMessage("start", "Only the first message may be a start."));
    return true;
  }
  start_ = std::move(start);
  record_.set_model(start_.model());
  if (const auto entry = context_.registry.ResolveLoaded(start_.model())) {
    Handled(OnModel(*entry));
    return true;
  }
  const auto bytes = static_cast<std::int64_t>(start_.ByteSizeLong());
  auto error =
      SubmitAdmitted(context_, bytes, &looking_up_, [this] { LookUp(); });
  if (error) Handled(std::move(error));
  return false;
}

void CheckStream::LookUp() {
  std::optional<Error> error;
  try {
    const auto resolved = context_.registry.Resolve(start_.model());
    looking_up_ = Admission::Ticket();
    if (const auto* refusal = std::get_if<RegistryError>(&resolved)) {
      error = InMessage(ToError(*refusal), "start.");
    } else {
      error = OnModel(std::get<ModelEntry>(resolved));
    }
  } catch (...) {
    error = FaultOfTheServer();
  }
  Handled(std::move(error));
}

std::optional<Error> CheckStream::OnModel(const ModelEntry& entry) {
  if (entry.loaded->model == nullptr) return BrokenModel(entry);
  model_ = entry.loaded->model;
  model_name_ = entry.name;
  revision_ = entry.loaded->revision;
  auto decoded = DecodeCheck(start_, *model_);
  if (auto* error = std::get_if<Error>(&decoded)) {
    return InMessage(std::move(*error), "start.");
  }
  decoded_ = std::get<DecodedCheck>(std::move(decoded));
  // Before the samples travel: what is wrong with the options shows now.
  if (const auto problem = ProblemOf(model_, decoded_->options)) {
    return InMessage(ToError(*problem, "tip_wrench_on_environment"), "start.");
  }
  samples_.emplace(model_->nv(), context_.admission);
  return std::nullopt;
}

std::optional<Error> CheckStream::OnSamples(
    const v1::TrajectorySamples& samples) {
  if (auto error = samples_->Append(samples)) {
    return InMessage(*std::move(error), "samples.");
  }
  return std::nullopt;
}

void CheckStream::Handled(std::optional<Error> error) {
  Lock lock(mutex_);
  handling_ = false;
  if (error) EndWith(*std::move(error));
  Advance(std::move(lock));
}

TrajectoryTables CheckStream::RoomForTables() {
  TrajectoryTables tables;
  tables_.resize(decoded_->tables.size());
  for (std::size_t k = 0; k < tables_.size(); ++k) {
    const v1::TrajectoryTable table = decoded_->tables[k];
    const auto reserve = [&](double** to) {
      tables_[k].resize(static_cast<std::size_t>(
          samples_->rows() * ColumnsOf(table, model_->nv())));
      *to = tables_[k].data();
    };
    switch (table) {
      case v1::TRAJECTORY_TABLE_TAU:
        reserve(&tables.tau);
        break;
      case v1::TRAJECTORY_TABLE_PATH_A:
        reserve(&tables.a);
        break;
      case v1::TRAJECTORY_TABLE_PATH_B:
        reserve(&tables.b);
        break;
      case v1::TRAJECTORY_TABLE_PATH_C:
        reserve(&tables.c);
        break;
      case v1::TRAJECTORY_TABLE_PATH_D:
        reserve(&tables.d);
        break;
      case v1::TRAJECTORY_TABLE_PATH_E:
        reserve(&tables.e);
        break;
      case v1::TRAJECTORY_TABLE_TORQUE_LIMIT:
        reserve(&tables.torque_limit);
        break;
      case v1::TRAJECTORY_TABLE_SIGMA_MIN:
        reserve(&tables.sigma_min);
        break;
      case v1::TRAJECTORY_TABLE_CONDITION:
        reserve(&tables.condition);
        break;
      default:  // v and a are there already
        break;
    }
  }
  return tables;
}

std::optional<Error> CheckStream::BeginCheck() {
  if (auto error = samples_->Complete(decoded_->derive, decoded_->joints))
    return error;
  std::int64_t columns = 0;
  for (const v1::TrajectoryTable table : decoded_->tables) {
    columns += ColumnsOf(table, model_->nv());
  }
  if (auto error = samples_->AdmitMore(columns * samples_->rows())) {
    return error;
  }
  auto created = TrajectoryCheck::Create(model_, samples_->View(),
                                         decoded_->options, RoomForTables());
  if (const auto* problem = std::get_if<ArgumentError>(&created)) {
    return ToError(*problem, "tip_wrench_on_environment");
  }
  check_ = std::get<TrajectoryCheck>(std::move(created));
  return std::nullopt;
}

std::optional<Error> CheckStream::TakeStep() {
  if (!check_) return BeginCheck();
  if (const auto problem =
          check_->Advance(context_.engine, CheckThreads::kTheCaller)) {
    return ToError(*problem);
  }
  if (check_->done() < check_->total()) return std::nullopt;
  v1::TrajectoryVerdict* verdict = verdict_.mutable_verdict();
  FillVerdict(check_->Finish(), *decoded_, samples_->time(), verdict);
  if (samples_->derived()) verdict->set_derived(ToWire(decoded_->derive));
  *verdict->mutable_asked() = start_;
  FillEcho(check_->plan(), false, model_name_, revision_,
           context_.engine.target(), verdict->mutable_echo());
  FillTipFrameOfAnyStates(check_->plan(), verdict->mutable_echo());
  return std::nullopt;
}

void CheckStream::Step() {
  std::optional<Error> error;
  try {
    if (!record_.cancelled()) error = TakeStep();
  } catch (...) {
    error = FaultOfTheServer();
  }
  Lock lock(mutex_);
  stepping_ = false;
  if (error) {
    EndWith(*std::move(error));
  } else if (check_) {
    done_ = check_->done();
    if (verdict_.has_verdict()) phase_ = Phase::kAnswering;
  }
  Advance(std::move(lock));
}

bool CheckStream::NextReply() {
  v1::CheckTrajectoryReply reply;
  if (phase_ == Phase::kChecking) {
    if (done_ == told_) return false;
    told_ = done_;
    reply.mutable_progress()->set_samples_done(
        static_cast<std::uint64_t>(done_));
    reply.mutable_progress()->set_samples(
        static_cast<std::uint64_t>(check_->total()));
    Serialize(reply, &outgoing_);
    return true;
  }
  if (phase_ != Phase::kAnswering) return false;
  if (!verdict_sent_) {
    verdict_sent_ = true;
    Serialize(verdict_, &outgoing_);
    return true;
  }
  if (decoded_->tables.empty() || rows_sent_ == samples_->rows()) return false;
  if (auto error = FillRows(reply.mutable_rows())) {
    EndWith(InMessage(*std::move(error), "start."));
    return false;
  }
  Serialize(reply, &outgoing_);
  return true;
}

std::optional<Error> CheckStream::FillRows(v1::TrajectoryRows* rows) {
  std::int64_t columns = 0;
  for (const v1::TrajectoryTable table : decoded_->tables) {
    columns += ColumnsOf(table, model_->nv());
  }
  const std::int64_t bytes_per_row =
      std::max<std::int64_t>(1, columns) * std::int64_t{sizeof(double)};
  const std::int64_t count =
      std::min(samples_->rows() - rows_sent_,
               std::max<std::int64_t>(1, kReplyBytes / bytes_per_row));
  rows->set_first_sample(static_cast<std::uint64_t>(rows_sent_));
  const Trajectory trajectory = samples_->View();
  for (std::size_t k = 0; k < tables_.size(); ++k) {
    const v1::TrajectoryTable table = decoded_->tables[k];
    const int width = ColumnsOf(table, model_->nv());
    if (width == 0) continue;
    const double* numbers =
        table == v1::TRAJECTORY_TABLE_V   ? trajectory.v.data()
        : table == v1::TRAJECTORY_TABLE_A ? trajectory.a.data()
                                          : tables_[k].data();
    numbers += rows_sent_ * width;
    const OutputArray to =
        AllocateArray(decoded_->encoding, count, width, ArrayOf(table, rows));
    const std::int64_t overflow = CopyNumbers(numbers, count * width, to);
    if (overflow < count * width) {
      return FieldError(v1::INVALID_OPTION, "options.encoding",
                        v1::TrajectoryTable_Name(table) + " of sample " +
                            std::to_string(rows_sent_ + overflow / width) +
                            " is too large for single precision.");
    }
  }
  rows_sent_ += count;
  return std::nullopt;
}

void CheckStream::OnWriteDone(bool ok) {
  Lock lock(mutex_);
  writing_ = false;
  if (!ok) record_.Cancel();
  Advance(std::move(lock));
}

void CheckStream::OnCancel() {
  record_.Cancel();
  Advance(Lock(mutex_));
}

void CheckStream::OnClose() {
  Lock lock(mutex_);
  draining_ = true;
  Advance(std::move(lock));
}

void CheckStream::OnDone() {
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
  const std::shared_ptr<CheckStream> last = std::move(self_);
}

void CheckStream::EndWith(Error error) {
  if (ending_) return;
  ending_ = Ending::kFail;
  error_ = std::move(error);
}

void CheckStream::Conclude() {
  if (ending_) return;
  if (record_.cancelled()) {
    ending_ = Ending::kAbandon;
  } else if (phase_ == Phase::kReading && !handling_) {
    if (input_ended_ && !samples_) {
      EndWith(WrongMessage("start", "The stream ended before its start."));
    } else if (draining_ && !input_ended_) {
      EndWith(Draining());
    }
  } else if (phase_ == Phase::kAnswering && !writing_ && verdict_sent_ &&
             (decoded_->tables.empty() || rows_sent_ == samples_->rows())) {
    ending_ = Ending::kSucceed;
  }
}

grpc::Status CheckStream::EndStatus() {
  const std::int64_t rows = samples_ ? samples_->rows() : 0;
  record_.set_volume({.chunks = 0, .rows = rows});
  switch (*ending_) {
    case Ending::kSucceed:
      return grpc::Status::OK;  // logged by OnDone
    case Ending::kFail:
      break;
    case Ending::kAbandon:
      return record_.Abandon();
  }
  return record_.Fail(std::move(error_));
}

void CheckStream::Advance(Lock lock) {
  while (!finished_) {
    Conclude();
    if (ending_) {
      // Each of these comes here again.
      if (stepping_ || writing_ || handling_ || starting_ > 0) return;
      finished_ = true;
      lock.unlock();
      const grpc::Status status = EndStatus();
      // Who hears of the end finds room and place free again.
      check_.reset();
      samples_.reset();
      tables_ = {};
      open_ = {};
      return Finish(status);
    }
    if (phase_ == Phase::kReading && input_ended_ && !handling_) {
      phase_ = Phase::kChecking;
      // Keeps the memory of the last message otherwise.
      v1::CheckTrajectoryRequest().Swap(&request_);
    }
    const bool step = phase_ == Phase::kChecking && !stepping_;
    const bool read = phase_ == Phase::kReading && !reading_ && !handling_ &&
                      !input_ended_ && !draining_;
    bool write = false;
    if (!writing_) {
      try {
        write = NextReply();
      } catch (...) {
        EndWith(FaultOfTheServer());
      }
      if (ending_) continue;
    }
    if (!step && !read && !write) return;
    stepping_ = stepping_ || step;
    reading_ = reading_ || read;
    writing_ = writing_ || write;
    // gRPC may send here and now: not under the lock, but before the end.
    ++starting_;
    lock.unlock();
    if (write) StartWrite(&outgoing_);
    if (read) StartRead(&incoming_);
    bool submitted = true;
    if (step) {
      try {
        context_.engine.scheduler().Submit([this] { Step(); });
      } catch (...) {
        submitted = false;
      }
    }
    lock.lock();
    --starting_;
    if (!submitted) {
      stepping_ = false;
      EndWith(FaultOfTheServer());
    }
  }
}

}  // namespace torqued::server
