#include <bit>
#include <numbers>

#include "core/trajectory/verdict.h"

namespace torqued {
namespace {

/// Share of the rate that a contradiction must exceed.
constexpr double kShare = 0.01;

/// With fewer decimals or digits numbers are round, not rounded; decimals
/// beyond are noise. 10^n stands for n of them.
constexpr double kFewestDecimals = 1e3, kMostDecimals = 1e12;
constexpr double kFewestDigits = 1e4;

/// Rates are inconsistent if the squares of the differences exceed this share
/// of those of the changes or integrals, whichever is larger, and the
/// differences this mean in rad/s or m/s. A rate that is 3.4 times too large or
/// too small, zero or reversed does; a delay of an eighth of a period does not.
constexpr double kInconsistentShare = 0.5, kInconsistentRate = 0.02;

/// Relative rounding of numbers of single and of double precision.
constexpr double kSingle = 0x1p-24, kDouble = 0x1p-52;

/// The power of ten that makes so many digits of a number above 0 whole.
double ScaleOf(double size, double digits) {
  return digits / std::pow(10, std::floor(std::log10(size)) + 1);
}

}  // namespace

void SampleResolution::Add(Eigen::Index column, double number) {
  const double size = std::abs(number);
  largest(column) = std::max(largest(column), size);
  if (size == 0) return;
  // All are, at some scale, and where they overflow.
  const auto is_whole = [this](double scaled) {
    return !(std::abs(scaled - std::round(scaled)) > 2 * rounding * scaled);
  };
  decimals = std::max(decimals, 1.0);
  while (!is_whole(size * decimals)) decimals *= 10;
  // All have so many digits.
  if (size * decimals < digits || 2 * rounding * digits > 5) return;
  while (!is_whole(size * ScaleOf(size, digits))) digits *= 10;
}

double SampleResolution::QuantumOf(Eigen::Index column) const {
  double quantum = 1 / std::clamp(decimals, kFewestDecimals, kMostDecimals);
  // Where the last digit of the largest number is not the last decimal of all,
  // it is digits that they have in common.
  if (largest(column) > 0 &&
      ScaleOf(largest.maxCoeff(), digits) < decimals / 2) {
    quantum = std::max(
        quantum, 1 / ScaleOf(largest(column), std::max(digits, kFewestDigits)));
  }
  return quantum + Rounding();
}

void SampleRemarkFinder::Span::Prepend(const Span& before) {
  steps += before.steps;
  time += before.time;
  change += before.change;
  integral += before.integral;
  distance += before.distance;
  curvature += before.curvature;
  variation += before.variation;
  contradicts = contradicts || before.contradicts;
}

SampleRemarkFinder::SampleRemarkFinder(const Trajectory& samples,
                                       std::vector<bool> turns)
    : time_(samples.time),
      tables_{samples.q, samples.v, samples.a},
      turns_(std::move(turns)) {
  const bool single = std::ranges::all_of(time_, [](double t) {
    return static_cast<double>(static_cast<float>(t)) == t;
  });
  resolution_.fill({Eigen::VectorXd::Zero(samples.q.columns), kSingle});
  resolution_[3] = {Eigen::VectorXd::Zero(1), single ? kSingle : kDouble};
  found_.counts.resize(turns_.size());
}

void SampleRemarkFinder::Prepare(std::int64_t rows) {
  const auto end = looked_at_ + std::min(rows, std::ssize(time_) - looked_at_);
  for (; looked_at_ < end; ++looked_at_) {
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      for (Eigen::Index j = 0; j < tables_[k].columns; ++j) {
        resolution_[k].Add(j, tables_[k](looked_at_, j));
      }
    }
    resolution_[3].Add(0, time_[looked_at_]);
  }
  if (!ready()) return;
  const Eigen::Index n = std::ssize(time_) - 1;
  long_span_ = static_cast<std::int64_t>(std::bit_floor(
      static_cast<std::uint64_t>(std::max<Eigen::Index>(n / 16, 1))));
  const Eigen::Map<const Eigen::VectorXd> time(time_.data(), n + 1);
  const auto steps = time.tail(n) - time.head(n);
  // Even times are exact, however few digits they have.
  const double rounding = resolution_[3].Rounding();
  const bool even =
      n < 2 || steps.maxCoeff() - steps.minCoeff() <= 2 * rounding;
  time_quantum_ = even ? rounding : resolution_[3].QuantumOf(0);
  for (Eigen::Index j = 0; j < tables_[0].columns; ++j) {
    for (std::size_t k = 0; k < 2; ++k) {
      const SampleResolution &of = resolution_[k], &rate = resolution_[k + 1];
      Track& track =
          tracks_.emplace_back(static_cast<RemarkKind>(k), static_cast<int>(j),
                               tables_[k], tables_[k + 1]);
      track.turns = k == 0 && turns_[j];
      track.of_quantum = of.QuantumOf(j);
      // Zeros have the digits of what they are the rates of.
      track.rate_quantum = (rate.decimals > 0 ? rate : of).QuantumOf(j);
      track.largest_rate = rate.largest(j);
      track.spans.resize(std::bit_width(static_cast<std::size_t>(n)));
    }
  }
}

SampleRemarkFinder::Span SampleRemarkFinder::StepFrom(const Track& track,
                                                      std::int64_t row) const {
  const int j = track.joint;
  const auto slope = [&](std::int64_t from) {
    if (from < 0 || from + 1 == std::ssize(time_)) return 0.0;
    return (track.rate(from + 1, j) - track.rate(from, j)) /
           (time_[from + 1] - time_[from]);
  };
  const double here = slope(row);
  double before = std::abs(here - slope(row - 1));
  double after = std::abs(slope(row + 1) - here);
  // Beside the samples it may change as much.
  if (row == 0) before = std::max(before, after);
  if (row + 2 == std::ssize(time_)) after = std::max(before, after);
  Span step{.steps = 1, .time = time_[row + 1] - time_[row]};
  step.integral =
      (track.rate(row, j) / 2 + track.rate(row + 1, j) / 2) * step.time;
  step.distance = std::abs(step.integral);
  step.change = track.of(row + 1, j) - track.of(row, j);
  if (track.turns && std::abs(step.change) > std::numbers::pi) {
    const double turn = 2 * std::numbers::pi;
    step.change -= turn * std::round((step.change - step.integral) / turn);
  }
  step.curvature = (before + after) * step.time * step.time / 4;
  step.variation = std::abs(here) * step.time;
  return step;
}

void SampleRemarkFinder::Judge(Track& track, Span& span, std::int64_t end) {
  if (span.contradicts) return;
  const double size = span.steps == 1 ? kShare * track.largest_rate
                                      : kShare / 2 * span.distance / span.time;
  SampleRemark remark{.kind = track.kind, .joint = track.joint};
  remark.given.value = span.integral / span.time;
  remark.expected = span.change / span.time;
  remark.tolerance =
      size + track.rate_quantum +
      (span.curvature + track.of_quantum +
       time_quantum_ * (std::abs(remark.given.value) + 2 * span.variation)) /
          span.time;
  const double difference = std::abs(remark.given.value - remark.expected);
  remark.severity = difference / remark.tolerance;
  // A span whose numbers overflow is not judged.
  span.contradicts =
      difference > remark.tolerance && std::isfinite(remark.severity);
  if (!span.contradicts) return;

  SampleRemark& open = track.open;
  const std::int64_t first = end - span.steps, pause = first - open.last_row;
  // A pause shorter than what is beside it does not part two remarks.
  if (open.steps > 0 && pause >= std::max(open.steps, span.steps)) {
    AddTo(found_, std::exchange(open, {}));
  }
  remark.given.row = end - (span.steps + 1) / 2;
  remark.first_row = open.steps > 0 ? open.first_row : first;
  remark.last_row = open.last_row = end;
  remark.steps = open.steps += span.steps;
  // The first of equals, up to rounding.
  if (remark.severity > (1 + 1e-9) * open.severity) open = remark;
}

void SampleRemarkFinder::AddStep(std::int64_t row) {
  for (Track& track : tracks_) {
    Span span = StepFrom(track, row);
    for (Span& beside : track.spans) {
      Judge(track, span, row + 1);
      if (span.steps == long_span_) {
        const double difference = span.change - span.integral;
        track.changes += span.change * span.change;
        track.integrals += span.integral * span.integral;
        track.squares += difference * difference;
        track.differences += std::abs(difference);
      }
      if (beside.steps == 0) {
        beside = span;
        break;
      }
      span.Prepend(std::exchange(beside, {}));
    }
  }
}

SampleRemarks SampleRemarkFinder::Finish() {
  for (Track& track : tracks_) {
    // All that are left end side by side at the last row.
    Span tail;
    for (const Span& span : track.spans) {
      if (span.steps == 0) continue;
      tail.Prepend(span);
      Judge(track, tail, std::ssize(time_) - 1);
    }
    if (track.open.steps > 0) AddTo(found_, track.open);
  }
  Trim(found_);
  return std::move(found_);
}

std::vector<InconsistentRate> SampleRemarkFinder::Inconsistent() const {
  std::vector<InconsistentRate> found;
  const double least = kInconsistentRate * (time_.back() - time_.front());
  for (const Track& track : tracks_) {
    const auto [changes, integrals] = std::pair(track.changes, track.integrals);
    if (track.kind != RemarkKind::kVelocity || !std::isfinite(track.squares) ||
        track.squares <= kInconsistentShare * std::max(changes, integrals) ||
        track.differences <= least) {
      continue;
    }
    const double factor = std::sqrt(integrals / changes);
    const bool reversed = track.squares > changes + integrals;
    found.push_back({track.joint, reversed ? -factor : factor});
  }
  return found;
}

}  // namespace torqued
