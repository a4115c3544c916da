#include "server/services/check_job.h"

#include <utility>

#include "core/batch/row_workspace.h"
#include "server/wire/reply.h"

namespace torqued::server {
namespace {

constexpr char kWrenches[] = "tip_wrench_on_environment";

v1::Differentiation ToWire(SplineMethod method) {
  return method == SplineMethod::kCubic ? v1::DIFFERENTIATION_CUBIC_SPLINE
                                        : v1::DIFFERENTIATION_QUINTIC_SPLINE;
}

/// A start is kept as it came, decoded and by the check; the verdict repeats it
/// and tells its curves as limits, is copied into its message and serialized.
constexpr std::int64_t kCopiesOfStart = 10;
/// What a verdict tells of a joint and of a violation or remark; in memory,
/// copied and serialized.
constexpr std::int64_t kBytesOfJoint = 4096;
constexpr std::int64_t kBytesOfFinding = 1024;

/// What a check holds from its start on.
std::int64_t BytesOf(const v1::CheckTrajectoryStart& start,
                     const Model& model) {
  return kCopiesOfStart * static_cast<std::int64_t>(start.SpaceUsedLong()) +
         kBytesOfJoint * model.nv();
}

}  // namespace

std::optional<Error> CheckJob::Start(v1::CheckTrajectoryStart&& start,
                                     const ModelEntry& entry) {
  if (entry.loaded->model == nullptr) return BrokenModel(entry);
  samples_.emplace(entry.loaded->model->nv(), admission_);
  if (auto error = samples_->AdmitBytes(BytesOf(start, *entry.loaded->model))) {
    return error;
  }
  start_ = std::move(start);
  model_ = entry.loaded->model;
  model_name_ = entry.name;
  revision_ = entry.loaded->revision;
  validation_ = entry.loaded->options->validation;
  auto decoded = DecodeCheck(start_, *model_);
  if (auto* error = std::get_if<Error>(&decoded)) {
    return InMessage(std::move(*error), "start.");
  }
  decoded_ = std::get<DecodedCheck>(std::move(decoded));
  // Before the samples travel: what is wrong with the options shows now, and
  // whether there is room to compute in, of which steps take one at a time.
  const auto bytes = BytesToCheck(model_, decoded_->options, engine_.kernels());
  if (const auto* problem = std::get_if<ArgumentError>(&bytes)) {
    return InMessage(ToError(*problem, kWrenches), "start.");
  }
  if (const auto wanted = std::get<std::int64_t>(bytes);
      wanted > RowWorkspace::kMostKept) {
    if (auto error = samples_->AdmitBytes(wanted)) return error;
  }
  tables_.emplace(decoded_->tables, model_->nv());
  return std::nullopt;
}

std::optional<Error> CheckJob::Append(const v1::TrajectorySamples& samples) {
  auto error = samples_->Append(samples);
  if (error) error = InMessage(*std::move(error), "samples.");
  return error;
}

std::optional<Error> CheckJob::Derive() {
  if (completed_) return samples_->DeriveRows();
  completed_ = true;
  return samples_->Complete(decoded_->derive, decoded_->joints);
}

std::optional<Error> CheckJob::MakeReady() {
  if (auto error = samples_->AdmitMore(tables_->columns() * rows())) {
    return error;
  }
  auto created = TrajectoryCheck::Create(
      model_, samples_->View(), decoded_->options, tables_->Reserve(rows()));
  if (const auto* problem = std::get_if<ArgumentError>(&created)) {
    return ToError(*problem, kWrenches);
  }
  check_ = std::get<TrajectoryCheck>(std::move(created));
  return samples_->AdmitBytes(check_->step_bytes());
}

std::optional<Error> CheckJob::Step() {
  if (!completed_ || samples_->deriving()) return Derive();
  if (!check_) return MakeReady();
  if (const auto problem =
          check_->Advance(engine_, CheckThreads::kTheCaller, cancellation_)) {
    return ToError(*problem);
  }
  return check_->done() == check_->total() ? Conclude() : std::nullopt;
}

std::optional<Error> CheckJob::Conclude() {
  const TrajectoryVerdict finished = check_->Finish();
  const std::size_t findings =
      finished.violations.gravest.size() + finished.remarks.gravest.size();
  if (auto error = samples_->AdmitBytes(kBytesOfFinding *
                                        static_cast<std::int64_t>(findings))) {
    return error;
  }
  v1::TrajectoryVerdict& verdict = verdict_.emplace();
  FillVerdict(finished, *decoded_, samples_->time(), &verdict);
  if (samples_->derived()) verdict.set_derived(ToWire(*decoded_->derive));
  verdict.set_judged_between(samples_->derived());
  *verdict.mutable_asked() = start_;
  FillEcho(check_->plan(), false, model_name_, revision_, validation_,
           engine_.target(), verdict.mutable_echo());
  FillTipFrameOfAnyStates(check_->plan(), verdict.mutable_echo());
  return std::nullopt;
}

std::optional<Error> CheckJob::FillNext(v1::TrajectoryRows* rows) {
  auto error = tables_->FillNext(samples_->View(), decoded_->encoding, rows);
  if (error) error = InMessage(*std::move(error), "start.");
  return error;
}

}  // namespace torqued::server
