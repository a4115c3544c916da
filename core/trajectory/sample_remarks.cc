#include "core/trajectory/sample_remarks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/trajectory/gravest.h"

namespace torqued {
namespace {

/// Of the largest rate: below that nothing depends on it.
constexpr double kShare = 0.01;

constexpr std::array kKinds = {RemarkKind::kVelocity,
                               RemarkKind::kAcceleration};

bool IsGraver(const SampleRemark& a, const SampleRemark& b) {
  return std::tuple(-a.severity, a.first_row, a.kind, a.joint) <
         std::tuple(-b.severity, b.first_row, b.kind, b.joint);
}

}  // namespace

SampleRemarkFinder::SampleRemarkFinder(std::span<const double> time,
                                       const SampleView& q, const SampleView& v,
                                       const SampleView& a,
                                       std::vector<bool> turns)
    : time_(time),
      turns_(std::move(turns)),
      q_(q),
      v_(v),
      a_(a),
      readers_(Readers{SampleDigits::Reader::OfTimes(time),
                       SampleDigits::Reader(q), SampleDigits::Reader(v),
                       SampleDigits::Reader(a)}),
      pairs_{Pair{q_, v_, q_digits_, v_digits_, {}},
             Pair{v_, a_, v_digits_, a_digits_, {}}},
      windows_(turns_.size()),
      open_(turns_.size()) {
  found_.counts.resize(turns_.size());
  for (Pair& pair : pairs_) pair.largest.resize(turns_.size());
}

bool SampleRemarkFinder::Prepare(std::int64_t rows) {
  if (ready()) return true;
  Readers& readers = *readers_;
  const std::int64_t end =
      looked_at_ + std::min<std::int64_t>(rows, q_.rows() - looked_at_);
  for (; looked_at_ < end; ++looked_at_) {
    for (auto* reader : {&readers.time, &readers.q, &readers.v, &readers.a}) {
      reader->AddRow(looked_at_);
    }
    if (looked_at_ + 1 < q_.rows()) FindLargest(looked_at_);
  }
  if (looked_at_ < q_.rows()) return false;
  time_digits_ = readers.time.Finish();
  q_digits_ = readers.q.Finish();
  v_digits_ = readers.v.Finish();
  a_digits_ = readers.a.Finish();
  readers_.reset();
  return true;
}

void SampleRemarkFinder::FindLargest(std::int64_t row) {
  for (std::size_t j = 0; j < turns_.size(); ++j) {
    for (const RemarkKind kind : kKinds) {
      const Step step = StepAt(kind, row, static_cast<int>(j));
      double& largest = pairs_[static_cast<std::size_t>(kind)].largest[j];
      largest =
          std::max({largest, std::abs(step.mean), std::abs(step.quotient)});
    }
  }
}

SampleRemarkFinder::Step SampleRemarkFinder::StepAt(RemarkKind kind,
                                                    std::int64_t row,
                                                    int joint) const {
  if (row + 1 >= q_.rows()) return {};
  const Pair& pair = pairs_[static_cast<std::size_t>(kind)];
  const auto at = static_cast<std::size_t>(row);
  Step step;
  step.time = time_[at + 1] - time_[at];
  const double begin = pair.rate(row, joint), end = pair.rate(row + 1, joint);
  step.mean = begin / 2 + end / 2;
  step.bend = std::abs(end - begin) / step.time;
  step.change = pair.of(row + 1, joint) - pair.of(row, joint);
  if (kind == RemarkKind::kVelocity &&
      std::abs(step.change) > std::numbers::pi &&
      turns_[static_cast<std::size_t>(joint)]) {
    const double turn = 2 * std::numbers::pi;
    step.change -=
        turn * std::round((step.change - step.mean * step.time) / turn);
  }
  step.quotient = step.change / step.time;
  return step;
}

double SampleRemarkFinder::Distance(const Pair& pair, std::int64_t row,
                                    int joint, const Step& step) const {
  const auto quantum = [row, joint](const SampleDigits& digits,
                                    const SampleView& table) {
    return std::max(digits.QuantumOf(table(row, joint)),
                    digits.QuantumOf(table(row + 1, joint)));
  };
  const double of = quantum(pair.of_digits, pair.of);
  const double of_time = time_digits_.QuantumOf(
      std::max(std::abs(time_[static_cast<std::size_t>(row)]),
               std::abs(time_[static_cast<std::size_t>(row + 1)])));
  // Rounded times do not come much nearer to each other than they say.
  const double shortest = std::max(step.time - of_time, step.time / 4);
  const double longest = step.time + of_time;
  const double low = step.change - of, high = step.change + of;
  const double below = low / (low > 0 ? longest : shortest) - step.mean;
  const double above = step.mean - high / (high > 0 ? shortest : longest);
  return std::max(below, above) - quantum(pair.rate_digits, pair.rate);
}

void SampleRemarkFinder::Hold(RemarkKind kind, std::int64_t row, int joint) {
  const Pair& pair = pairs_[static_cast<std::size_t>(kind)];
  Window& window =
      windows_[static_cast<std::size_t>(joint)][static_cast<std::size_t>(kind)];
  window.before = window.here;
  window.here = row == 0 ? StepAt(kind, row, joint) : window.after;
  window.after = StepAt(kind, row + 1, joint);
  const Step& step = window.here;
  double bend = step.bend, change = 0;
  for (const Step* other : {&window.before, &window.after}) {
    if (other->time == 0) continue;
    bend = std::max(bend, other->bend);
    change = std::max(change, std::abs(other->quotient - step.quotient));
  }
  const double curvature = bend * step.time / 2 + change / 4;
  const double share = kShare * pair.largest[static_cast<std::size_t>(joint)];
  const double difference = std::abs(step.mean - step.quotient);
  // Also where a number overflows there is nothing to say.
  if (!(difference > curvature + share)) return;
  const double distance = Distance(pair, row, joint, step);
  if (!(distance > curvature + share)) return;
  SampleRemark remark;
  remark.kind = kind;
  remark.joint = joint;
  remark.worst_row = row;
  remark.given = step.mean;
  remark.expected = step.quotient;
  remark.tolerance = curvature + share + std::max(difference - distance, 0.0);
  remark.severity = difference / remark.tolerance;
  if (std::isfinite(remark.severity)) Add(remark);
}

void SampleRemarkFinder::AddStep(std::int64_t row) {
  for (int j = 0; j < static_cast<int>(turns_.size()); ++j) {
    for (const RemarkKind kind : kKinds) Hold(kind, row, j);
  }
}

void SampleRemarkFinder::Add(const SampleRemark& remark) {
  SampleRemark& open = open_[static_cast<std::size_t>(remark.joint)]
                            [static_cast<std::size_t>(remark.kind)];
  const std::int64_t first = open.first_row, steps = open.steps;
  if (steps > 0 && open.last_row == remark.worst_row) {
    if (remark.severity > open.severity) open = remark;
    open.first_row = first;
    open.steps = steps + 1;
  } else {
    Close(open);
    open = remark;
    open.first_row = remark.worst_row;
    open.steps = 1;
  }
  open.last_row = remark.worst_row + 1;
}

void SampleRemarkFinder::Close(const SampleRemark& remark) {
  if (remark.steps == 0) return;
  ++found_.count;
  ++found_.counts[static_cast<std::size_t>(remark.joint)]
                 [static_cast<std::size_t>(remark.kind)];
  KeepGravest(remark, SampleRemarks::kMostListed, IsGraver, &found_.gravest);
}

SampleRemarks SampleRemarkFinder::Finish() {
  for (auto& of_joint : open_) {
    for (SampleRemark& open : of_joint) {
      Close(open);
      open = {};
    }
  }
  std::sort_heap(found_.gravest.begin(), found_.gravest.end(), IsGraver);
  return std::move(found_);
}

}  // namespace torqued
