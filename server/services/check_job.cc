#include "server/services/check_job.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "core/base/text.h"
#include "core/engine/evaluate_rows.h"
#include "core/trajectory/check_options.h"
#include "server/wire/array_codec.h"
#include "server/wire/reply.h"
#include "server/wire/verdict_words.h"

namespace torqued::server {
namespace {

constexpr char kWrenches[] = "tip_wrench_on_environment";

/// A start is kept as it came, decoded and by the check; the verdict repeats
/// it, tells its curves as limits and in words, is copied and serialized.
constexpr std::int64_t kCopiesOfStart = 20;
/// What a verdict tells of a joint, and of a violation or remark, likewise.
constexpr std::int64_t kBytesOfJoint = 4096;
constexpr std::int64_t kBytesOfFinding = 1024;
/// Vectors double when they grow.
constexpr std::int64_t kBytesOfNumber = 2 * sizeof(double);

/// Of a pass over the samples, after which a check can be cancelled.
constexpr std::int64_t kRowsOfAStep = 8192;
constexpr std::int64_t kNumbersOfAStep = 8 * kRowsOfAStep;
/// Of the tables in one message.
constexpr std::int64_t kMessageBytes = 512 << 10;

/// The tables that the check fills in, all but v and a.
constexpr std::pair<v1::TrajectoryTable, double * TrajectoryTables::*>
    kFilledIn[] = {
        {v1::TRAJECTORY_TABLE_TAU, &TrajectoryTables::tau},
        {v1::TRAJECTORY_TABLE_PATH_A, &TrajectoryTables::a},
        {v1::TRAJECTORY_TABLE_PATH_B, &TrajectoryTables::b},
        {v1::TRAJECTORY_TABLE_PATH_C, &TrajectoryTables::c},
        {v1::TRAJECTORY_TABLE_PATH_D, &TrajectoryTables::d},
        {v1::TRAJECTORY_TABLE_PATH_E, &TrajectoryTables::e},
        {v1::TRAJECTORY_TABLE_TORQUE_LIMIT, &TrajectoryTables::torque_limit},
        {v1::TRAJECTORY_TABLE_SIGMA_MIN, &TrajectoryTables::sigma_min},
        {v1::TRAJECTORY_TABLE_CONDITION, &TrajectoryTables::condition}};

template <class Number>
void Widen(const InputArray& array, std::vector<double>* numbers) {
  const auto* from = static_cast<const char*>(array.data);
  for (std::int64_t k = 0; k < array.rows * array.columns; ++k) {
    Number number = 0;
    std::memcpy(&number, from + k * sizeof(Number), sizeof(Number));
    numbers->push_back(static_cast<double>(number));
  }
}

/// The place of the first number that does not fit, or `count`.
std::int64_t CopyNumbers(const double* numbers, std::int64_t count,
                         const OutputArray& to) {
  if (to.type == NumberType::kF64) {
    std::copy_n(numbers, count, static_cast<double*>(to.data));
    return count;
  }
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  auto* const floats = static_cast<float*>(to.data);
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isfinite(numbers[i]) && std::abs(numbers[i]) > kMost) return i;
    floats[i] = static_cast<float>(numbers[i]);
  }
  return count;
}

Error UnevenTimes(const UnevenSteps& steps, std::span<const double> time,
                  SplineMethod method) {
  const auto told = [&](std::size_t row) {
    return RoundedText(time[row] - time[row - 1]) + " s before sample " +
           std::to_string(row);
  };
  const std::string row = std::to_string(steps.shortest);
  Error error = FieldError(
      v1::INVALID_SAMPLE, "time[" + row + "]",
      "steps from " + told(steps.shortest) + " to " + told(steps.longest) +
          " are too uneven for this spline, which holds a ratio of " +
          RoundedText(MostUneven(method)));
  error.metadata.emplace_back("row", row);
  return error;
}

}  // namespace

std::optional<Error> CheckJob::Start(v1::CheckTrajectoryStart&& start,
                                     const ModelEntry& entry) {
  if (entry.loaded->model == nullptr) return BrokenModel(entry);
  model_ = entry.loaded->model;
  if (auto error = room_->Grow(
          kCopiesOfStart * static_cast<std::int64_t>(start.SpaceUsedLong()) +
          kBytesOfJoint * model_->nv())) {
    return error;
  }
  start_ = std::move(start);
  entry_ = entry;
  auto decoded = DecodeCheck(start_, *model_);
  if (auto* error = std::get_if<Error>(&decoded)) {
    return InMessage(std::move(*error), "start.");
  }
  decoded_ = std::get<DecodedCheck>(std::move(decoded));
  for (const v1::TrajectoryTable table : decoded_.tables) {
    table_columns_ += ColumnsOf(table, model_->nv());
  }
  // Before the samples travel: are the options right, is there room to compute?
  const auto bytes = BytesToCheck(model_, decoded_.options, engine_.kernels());
  if (const auto* problem = std::get_if<ArgumentError>(&bytes)) {
    return InMessage(ToError(*problem, kWrenches), "start.");
  }
  const auto wanted = std::get<std::int64_t>(bytes);
  return wanted > RowWorkspace::kMaxRetainedBytes ? room_->Grow(wanted)
                                                  : std::nullopt;
}

std::optional<Error> CheckJob::Append(const v1::TrajectorySamples& samples) {
  const int joints = model_->nv();
  const auto& profile = decoded_.wrench_profile;
  struct Column {
    const v1::Array& array;
    std::string field;
    int columns;
    bool required;
    std::vector<double>* numbers;
    InputArray read = {};
  };
  Column columns[] = {
      {samples.time(), "samples.time", 1, true, &time_},
      {samples.q(), "samples.q", joints, joints > 0, &q_},
      {samples.v(), "samples.v", joints, false, &v_},
      {samples.a(), "samples.a", joints, false, &a_},
      {samples.tip_wrench_on_environment(), std::string("samples.") + kWrenches,
       6, false, &wrench_}};
  std::int64_t rows = 0, numbers = 0;
  for (Column& column : columns) {
    auto array = ReadArray(column.array, column.field);
    if (auto* error = std::get_if<Error>(&array)) return std::move(*error);
    const InputArray& input = column.read = std::get<InputArray>(array);
    if (column.numbers == &wrench_ && !profile.empty()) {
      if (!input.present()) continue;
      return FieldError(v1::INVALID_OPTION, column.field,
                        "excludes start.tip_wrench_profile; give one of them");
    }
    if (!input.present()) {
      if (!column.required && column.numbers->empty()) continue;
      return FieldError(v1::MISSING_INPUT, column.field,
                        column.required
                            ? "every message of samples needs it"
                            : "the messages before this one have it");
    }
    if (input.columns != column.columns) {
      return FieldError(v1::WRONG_COLUMN_COUNT, column.field,
                        "needs " + std::to_string(column.columns) +
                            " columns, has " + std::to_string(input.columns));
    }
    if (rows == 0) rows = input.rows;
    if (input.rows != rows) {
      return FieldError(v1::WRONG_ROW_COUNT, column.field,
                        "has " + std::to_string(input.rows) +
                            " rows where time has " + std::to_string(rows));
    }
    if (!time_.empty() && column.numbers->empty()) {
      return FieldError(v1::INVALID_FIELD, column.field,
                        "the messages before this one do not have it");
    }
    numbers += input.rows * input.columns;
  }
  if (!profile.empty()) numbers += 6 * rows;
  if (auto error = room_->Grow(kBytesOfNumber * numbers)) return error;
  for (const Column& column : columns) {
    if (!column.read.present()) continue;
    column.read.type == NumberType::kF64
        ? Widen<double>(column.read, column.numbers)
        : Widen<float>(column.read, column.numbers);
  }
  if (!profile.empty()) {
    for (auto row = time_.size() - static_cast<std::size_t>(rows);
         row < time_.size(); ++row) {
      if (auto error = AddWrenchAt(row)) return error;
    }
  }
  return std::nullopt;
}

std::optional<Error> CheckJob::AddWrenchAt(std::size_t row) {
  const auto& profile = decoded_.wrench_profile;
  const double time = time_[row];
  const auto right =
      std::ranges::lower_bound(profile, time, {}, &WrenchAtTime::time);
  if (profile.size() == 1 || (right != profile.end() && right->time == time)) {
    const auto& wrench =
        profile.size() == 1 ? profile[0].wrench : right->wrench;
    wrench_.insert(wrench_.end(), wrench.begin(), wrench.end());
    return std::nullopt;
  }
  if (!(time > profile.front().time && time < profile.back().time)) {
    Error error = FieldError(
        v1::INVALID_SAMPLE, "time[" + std::to_string(row) + "]",
        NumberText(time) + " s is outside tip_wrench_profile, from " +
            NumberText(profile.front().time) + " s to " +
            NumberText(profile.back().time) + " s");
    error.metadata.emplace_back("row", std::to_string(row));
    return error;
  }
  const auto left = std::prev(right);
  const double share = (time - left->time) / (right->time - left->time);
  for (std::size_t k = 0; k < left->wrench.size(); ++k) {
    wrench_.push_back((1 - share) * left->wrench[k] + share * right->wrench[k]);
  }
  return std::nullopt;
}

std::optional<Error> CheckJob::Step() {
  if (!std::exchange(completed_, true)) return Complete();
  if (derivatives_) return DeriveRows();
  if (!check_) return MakeReady();
  if (const auto problem = check_->Advance(
          engine_, {.cancellation = cancellation_, .max_threads = 1})) {
    return ToError(*problem);
  }
  return check_->done() == check_->total() ? Conclude() : std::nullopt;
}

std::optional<Error> CheckJob::Complete() {
  const auto& derive = decoded_.derive;
  if (rows() == 0) {
    return FieldError(v1::MISSING_INPUT, "samples", "there are no samples");
  }
  // The tables, and of a spline the coefficients beside v and a.
  const std::int64_t columns =
      table_columns_ + (derive ? 4 * model_->nv() + 32 : 0);
  if (auto error = room_->Grow(kBytesOfNumber * columns * rows())) return error;
  if (model_->nv() == 0) return std::nullopt;
  if (v_.empty() != a_.empty()) {
    return FieldError(v1::MISSING_INPUT, v_.empty() ? "samples.v" : "samples.a",
                      "give both velocities and accelerations, or neither");
  }
  if (!v_.empty()) {
    if (!derive) return std::nullopt;
    return FieldError(v1::INVALID_OPTION, "start.derive",
                      "there is nothing to derive: v and a were given");
  }
  if (!derive) {
    return FieldError(v1::MISSING_INPUT, "samples.v",
                      "v and a are absent: set derive to a spline, or give "
                      "them");
  }
  const SplineMethod method = *derive;
  if (rows() < FewestSamples(method)) {
    return FieldError(v1::MISSING_INPUT, "samples.q",
                      "the spline needs at least " +
                          std::to_string(FewestSamples(method)) +
                          " samples, there are " + std::to_string(rows()));
  }
  const SampleView q = View().q;
  try {
    CheckTimes(time_);
    CheckNumbers("q", q, decoded_.joints);
  } catch (const ArgumentError& problem) {
    return ToError(problem);
  }
  if (const auto steps = TooUneven(time_, method)) {
    return UnevenTimes(*steps, time_, method);
  }
  derivatives_ = SplineDerivatives::Create(time_, q, method);
  derived_ = method;
  return std::nullopt;
}

std::optional<Error> CheckJob::DeriveRows() {
  if (!derivatives_->Advance(std::clamp<std::int64_t>(
          kNumbersOfAStep / model_->nv(), 1, kRowsOfAStep))) {
    return std::nullopt;
  }
  auto rates = derivatives_->Finish();
  derivatives_.reset();
  if (!rates) {
    return FieldError(v1::INVALID_OPTION, "start.derive",
                      "the derivatives of these positions overflow");
  }
  v_ = std::move(rates->v);
  a_ = std::move(rates->a);
  return std::nullopt;
}

std::optional<Error> CheckJob::MakeReady() {
  TrajectoryTables tables;
  for (const v1::TrajectoryTable asked : decoded_.tables) {
    std::vector<double>& numbers = tables_.emplace_back();
    if (asked == v1::TRAJECTORY_TABLE_V) numbers = v_;
    if (asked == v1::TRAJECTORY_TABLE_A) numbers = a_;
    for (const auto& [table, place] : kFilledIn) {
      if (table != asked) continue;
      numbers.resize(
          static_cast<std::size_t>(rows() * ColumnsOf(table, model_->nv())));
      tables.*place = numbers.data();
    }
  }
  auto created =
      TrajectoryCheck::Create(model_, View(), decoded_.options, tables);
  if (const auto* problem = std::get_if<ArgumentError>(&created)) {
    return ToError(*problem, kWrenches);
  }
  check_ = std::get<std::unique_ptr<TrajectoryCheck>>(std::move(created));
  return room_->Grow(check_->step_bytes());
}

std::optional<Error> CheckJob::Conclude() {
  const TrajectoryVerdict finished = check_->Finish();
  const std::size_t findings =
      finished.violations.gravest.size() + finished.remarks.gravest.size();
  if (auto error =
          room_->Grow(kBytesOfFinding * static_cast<std::int64_t>(findings))) {
    return error;
  }
  v1::TrajectoryVerdict& verdict = verdict_.emplace();
  FillVerdict(finished, decoded_, time_, &verdict);
  if (derived_) {
    verdict.set_derived(*derived_ == SplineMethod::kCubic
                            ? v1::DIFFERENTIATION_CUBIC_SPLINE
                            : v1::DIFFERENTIATION_QUINTIC_SPLINE);
  }
  verdict.set_judged_between(derived_.has_value());
  *verdict.mutable_asked() = start_;
  FillEcho(check_->plan(), false, entry_.name, entry_.loaded->revision,
           entry_.loaded->options->validation, engine_.target(),
           verdict.mutable_echo());
  FillTipFrameOfAnyStates(check_->plan(), verdict.mutable_echo());
  if (decoded_.options.path_inertia) {
    EncodeTask(decoded_.options.evaluation.task,
               verdict.mutable_echo()->mutable_operational_space());
  }
  PutIntoWords(&verdict);
  std::vector<std::string> joints;
  for (const Joint& joint : model_->joints()) joints.push_back(joint.name);
  PutAskedIntoWords(wrench_, joints, &verdict);
  return std::nullopt;
}

std::optional<Error> CheckJob::FillNext(v1::TrajectoryRows* to,
                                        std::int64_t max_message_bytes) {
  // Half: names and lengths take a part of a small message.
  const std::int64_t bytes = std::min(kMessageBytes, max_message_bytes / 2);
  const std::int64_t bytes_per_row =
      std::max<std::int64_t>(1, table_columns_) * std::int64_t{sizeof(double)};
  const std::int64_t count = std::min(
      rows() - rows_filled_, std::max<std::int64_t>(1, bytes / bytes_per_row));
  to->set_first_sample(static_cast<std::uint64_t>(rows_filled_));
  for (std::size_t k = 0; k < tables_.size(); ++k) {
    const v1::TrajectoryTable table = decoded_.tables[k];
    const int width = ColumnsOf(table, model_->nv());
    if (width == 0) continue;
    const std::int64_t overflow = CopyNumbers(
        tables_[k].data() + rows_filled_ * width, count * width,
        AllocateArray(decoded_.encoding, count, width, ArrayOf(table, to)));
    if (overflow < count * width) {
      return FieldError(v1::INVALID_OPTION, "start.options.encoding",
                        v1::TrajectoryTable_Name(table) + " of sample " +
                            std::to_string(rows_filled_ + overflow / width) +
                            " is too large for single precision.");
    }
  }
  rows_filled_ += count;
  return std::nullopt;
}

Trajectory CheckJob::View() const {
  const auto table = [this](const std::vector<double>& numbers, int columns) {
    const bool present = !numbers.empty() || columns == 0;
    return SampleView{numbers.data(), present ? rows() : 0, columns};
  };
  const int joints = model_->nv();
  return {time_,
          table(q_, joints),
          table(v_, joints),
          table(a_, joints),
          table(wrench_, 6),
          derived_};
}

}  // namespace torqued::server
