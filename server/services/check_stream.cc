#include "server/services/check_stream.h"

#include <utility>

#include "server/errors/mapping.h"
#include "server/wire/echo.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {
namespace {

v1::Differentiation ToWire(std::optional<SplineMethod> method) {
  if (!method) return v1::DIFFERENTIATION_UNSPECIFIED;
  return *method == SplineMethod::kCubic ? v1::DIFFERENTIATION_CUBIC_SPLINE
                                         : v1::DIFFERENTIATION_QUINTIC_SPLINE;
}

}  // namespace

void CheckStream::OnMessage() {
  std::optional<Error> error;
  try {
    const bool parsed = ParseMessage(&incoming_, &request_);
    incoming_.Clear();
    if (!parsed) {
      error = NoRequest("CheckTrajectoryRequest");
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
}

void CheckStream::OnStart(v1::CheckTrajectoryStart&& start) {
  if (samples_) {
    return Handled(
        WrongMessage("start", "Only the first message may be a start."));
  }
  start_ = std::move(start);
  FindModel(start_.model(), static_cast<std::int64_t>(start_.ByteSizeLong()));
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
  tables_.emplace(decoded_->tables, model_->nv());
  return std::nullopt;
}

std::optional<Error> CheckStream::OnSamples(
    const v1::TrajectorySamples& samples) {
  if (auto error = samples_->Append(samples)) {
    return InMessage(*std::move(error), "samples.");
  }
  return std::nullopt;
}

std::optional<Error> CheckStream::BeginCheck() {
  if (auto error = samples_->Complete(decoded_->derive, decoded_->joints)) {
    return error;
  }
  const std::int64_t rows = samples_->rows();
  if (auto error = samples_->AdmitMore(tables_->columns() * rows)) return error;
  auto created = TrajectoryCheck::Create(
      model_, samples_->View(), decoded_->options, tables_->Reserve(rows));
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

std::optional<Error> CheckStream::Work() {
  try {
    context_.engine.scheduler().Submit([this] { Step(); });
    return std::nullopt;
  } catch (...) {
    const Lock lock(mutex_);
    stepping_ = false;
    return FaultOfTheServer();
  }
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
    SerializeMessage(reply, &outgoing_);
    return true;
  }
  if (phase_ != Phase::kAnswering) return false;
  if (!verdict_sent_) {
    verdict_sent_ = true;
    SerializeMessage(verdict_, &outgoing_);
    return true;
  }
  if (tables_->done()) return false;
  if (auto error = tables_->FillNext(samples_->View(), decoded_->encoding,
                                     reply.mutable_rows())) {
    EndWith(InMessage(*std::move(error), "start."));
    return false;
  }
  SerializeMessage(reply, &outgoing_);
  return true;
}

void CheckStream::Conclude() {
  if (phase_ == Phase::kReading && !handling_) {
    if (input_ended_ && !samples_) {
      EndWith(WrongMessage("start", "The stream ended before its start."));
    } else if (draining_ && !input_ended_) {
      EndWith(Draining());
    }
  } else if (phase_ == Phase::kAnswering && !writing_ && verdict_sent_ &&
             tables_->done()) {
    Succeed();
  }
}

StreamCall::Steps CheckStream::NextSteps() {
  if (phase_ == Phase::kReading && input_ended_ && !handling_) {
    phase_ = Phase::kChecking;
    // Keeps the memory of the last message otherwise.
    v1::CheckTrajectoryRequest().Swap(&request_);
  }
  Steps steps;
  if (phase_ == Phase::kReading && !reading_ && !handling_ && !draining_) {
    steps.read = &incoming_;
  }
  if (!writing_ && NextReply()) steps.write = &outgoing_;
  steps.work = phase_ == Phase::kChecking && !stepping_ && !ending();
  stepping_ = stepping_ || steps.work;
  return steps;
}

void CheckStream::DescribeEnd(Error* /*error*/) {
  record_.set_volume({.chunks = 0, .rows = samples_ ? samples_->rows() : 0});
}

void CheckStream::GiveBack() {
  check_.reset();
  samples_.reset();
  tables_.reset();
}

}  // namespace torqued::server
