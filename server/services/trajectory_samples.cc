#include "server/services/trajectory_samples.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/text.h"
#include "core/trajectory/check_options.h"
#include "server/wire/array_codec.h"

namespace torqued::server {
namespace {

/// Of a pass over the samples, after which a check can be cancelled.
constexpr std::int64_t kRowsOfAStep = 8192;
constexpr std::int64_t kNumbersOfAStep = 8 * kRowsOfAStep;

/// Vectors double when they grow.
constexpr std::int64_t kBytesOfNumber = 2 * sizeof(double);

void Widen(const InputArray& array, std::vector<double>* numbers) {
  const auto count = static_cast<std::size_t>(array.rows * array.columns);
  const std::size_t before = numbers->size();
  numbers->resize(before + count);
  double* to = numbers->data() + before;
  if (array.type == NumberType::kF64) {
    std::memcpy(to, array.data, count * sizeof(double));
    return;
  }
  const auto* from = static_cast<const char*>(array.data);
  for (std::size_t k = 0; k < count; ++k) {
    float number = 0;
    std::memcpy(&number, from + k * sizeof(float), sizeof(float));
    to[k] = static_cast<double>(number);
  }
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
          " are too uneven for this spline, which holds a ratio "
          "of " +
          RoundedText(MostUneven(method)));
  error.metadata.emplace_back("row", row);
  return error;
}

}  // namespace

struct TrajectorySamples::Column {
  const v1::Array& array;
  std::string_view field;
  int columns;
  bool required;
  std::vector<double>* numbers;
};

std::optional<Error> TrajectorySamples::Append(
    const v1::TrajectorySamples& message) {
  const Column columns[] = {{message.time(), "time", 1, true, &time_},
                            {message.q(), "q", joints_, joints_ > 0, &q_},
                            {message.v(), "v", joints_, false, &v_},
                            {message.a(), "a", joints_, false, &a_},
                            {message.tip_wrench_on_environment(),
                             "tip_wrench_on_environment", 6, false, &wrench_}};
  const std::int64_t before = rows();
  std::int64_t rows = 0;
  std::vector<InputArray> read;
  for (const Column& column : columns) {
    const std::string field(column.field);
    auto array = ReadArray(column.array, column.field);
    if (auto* error = std::get_if<Error>(&array)) return std::move(*error);
    const InputArray& input = read.emplace_back(std::get<InputArray>(array));
    if (!input.present()) {
      if (column.required) {
        return FieldError(v1::MISSING_INPUT, field,
                          "every message of samples needs it");
      }
      if (!column.numbers->empty()) {
        return FieldError(v1::MISSING_INPUT, field,
                          "the messages before this one have it");
      }
      continue;
    }
    if (input.columns != column.columns) {
      return FieldError(v1::WRONG_COLUMN_COUNT, field,
                        "needs " + std::to_string(column.columns) +
                            " columns, has " + std::to_string(input.columns));
    }
    if (rows == 0) rows = input.rows;
    if (input.rows != rows) {
      return FieldError(v1::WRONG_ROW_COUNT, field,
                        "has " + std::to_string(input.rows) +
                            " rows where time has " + std::to_string(rows));
    }
    if (before > 0 && column.numbers->empty()) {
      return FieldError(v1::INVALID_FIELD, field,
                        "the messages before this one do not have it");
    }
  }
  std::int64_t numbers = 0;
  for (const InputArray& array : read) numbers += array.rows * array.columns;
  if (auto error = AdmitMore(numbers)) return error;
  for (std::size_t k = 0; k < read.size(); ++k) {
    if (read[k].present()) Widen(read[k], columns[k].numbers);
  }
  return std::nullopt;
}

std::optional<Error> TrajectorySamples::AdmitMore(std::int64_t numbers) {
  return AdmitBytes(numbers * kBytesOfNumber);
}

std::optional<Error> TrajectorySamples::AdmitBytes(std::int64_t bytes) {
  auto admitted = admission_.Admit({.bytes = bytes}, reservation_.load());
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  reservation_.Add(std::get<Admission::Reservation>(std::move(admitted)));
  return std::nullopt;
}

std::optional<Error> TrajectorySamples::Complete(
    std::optional<SplineMethod> derive, std::span<const std::string> joints) {
  if (rows() == 0) {
    return FieldError(v1::MISSING_INPUT, "samples", "there are no samples");
  }
  if (joints_ == 0) return std::nullopt;
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
  return BeginToDerive(*derive, joints);
}

std::optional<Error> TrajectorySamples::BeginToDerive(
    SplineMethod method, std::span<const std::string> joints) {
  if (rows() < FewestSamples(method)) {
    return FieldError(v1::MISSING_INPUT, "samples.q",
                      "the spline needs at least " +
                          std::to_string(FewestSamples(method)) +
                          " samples, there are " + std::to_string(rows()));
  }
  const SampleView q = Table(q_, joints_);
  auto problem = ProblemOfTimes(time_);
  if (!problem) problem = ProblemOfNumbers("q", q, joints);
  if (problem) return ToError(*problem);
  if (const auto steps = TooUneven(time_, method)) {
    return UnevenTimes(*steps, time_, method);
  }
  // The spline has its own rows of coefficients, beside v and a.
  if (auto error = AdmitMore(4 * rows() * joints_ + 32 * rows())) return error;
  derivatives_.emplace(time_, q, method);
  derived_ = method;
  return std::nullopt;
}

std::optional<Error> TrajectorySamples::DeriveRows() {
  if (!derivatives_->Advance(std::clamp<std::int64_t>(kNumbersOfAStep / joints_,
                                                      1, kRowsOfAStep))) {
    return std::nullopt;
  }
  const auto rates = derivatives_->Finish();
  derivatives_.reset();
  if (!rates) {
    return FieldError(v1::INVALID_OPTION, "start.derive",
                      "the derivatives of these positions overflow");
  }
  v_.assign(rates->v.data(), rates->v.data() + rates->v.size());
  a_.assign(rates->a.data(), rates->a.data() + rates->a.size());
  return std::nullopt;
}

SampleView TrajectorySamples::Table(const std::vector<double>& numbers,
                                    int columns) const {
  const bool present = !numbers.empty() || columns == 0;
  return {numbers.data(), present ? rows() : 0, columns};
}

Trajectory TrajectorySamples::View() const {
  return {time_,
          Table(q_, joints_),
          Table(v_, joints_),
          Table(a_, joints_),
          Table(wrench_, 6),
          derived_};
}

}  // namespace torqued::server
