// Whether the rates of samples are rates of what they stand beside.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/trajectory/sample_digits.h"
#include "core/trajectory/spline.h"

namespace torqued {

enum class RemarkKind : std::uint8_t {
  kVelocity,      // v is not the rate of q
  kAcceleration,  // a is not the rate of v
};

/// Steps side by side in which the samples of one joint contradict each other.
/// Steps are those from a row to the next one.
struct SampleRemark {
  RemarkKind kind = RemarkKind::kVelocity;
  int joint = -1;  // in the caller's order
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;  // where the last of the steps ends
  std::int64_t steps = 0;
  /// The worst step: the mean of the rate at its ends, the difference quotient
  /// over it, and by how much the two may differ.
  std::int64_t worst_row = 0;
  double given = 0;
  double expected = 0;
  double tolerance = 0;
  /// By how many tolerances they differ there.
  double severity = 0;
};

/// What is known of any number of remarks, in little memory.
struct SampleRemarks {
  static constexpr std::size_t kMostListed = 100;
  /// By joint and RemarkKind.
  using Counts = std::array<std::int64_t, 2>;

  /// The gravest first, of the same severity the earliest.
  std::vector<SampleRemark> gravest;
  std::vector<Counts> counts;
  std::int64_t count = 0;
};

/// Holds v against the differences of q, and a against those of v. With the
/// mean m of a rate at both ends of a step of h seconds and the difference
/// quotient d, the rate bends by |m - d| within the step. It may by
///   - max |dv_k| / h_k h / 2 of the step and its neighbours, and a quarter of
///     the change of d to these: what the curvature of the motion allows;
///   - what the digits of positions, rates and times leave open;
///   - a hundredth of the largest rate of the joint, by m or by d.
/// A quarter of the first is the most by which a rate can bend whose own rate
/// is nowhere larger than at the neighbours; where it jumps, d is between the
/// values at both ends, which is half of it.
class SampleRemarkFinder {
 public:
  /// `turns`: of each joint whether whole turns change nothing. The memory of
  /// the tables and of the times outlives this.
  SampleRemarkFinder(std::span<const double> time, const SampleView& q,
                     const SampleView& v, const SampleView& a,
                     std::vector<bool> turns);
  SampleRemarkFinder(const SampleRemarkFinder&) = delete;
  SampleRemarkFinder& operator=(const SampleRemarkFinder&) = delete;

  /// Looks at the next rows, at most so many, for their digits and the largest
  /// rates. True: at all of them; AddStep may begin.
  bool Prepare(std::int64_t rows);
  bool ready() const { return !readers_; }

  /// The step from this row to the next; every one, in order. Needs ready().
  void AddStep(std::int64_t row);

  SampleRemarks Finish();

 private:
  /// A quantity and its rate.
  struct Pair {
    const SampleView& of;
    const SampleView& rate;
    const SampleDigits& of_digits;
    const SampleDigits& rate_digits;
    std::vector<double> largest;  // rate, by joint
  };
  struct Readers {
    SampleDigits::Reader time, q, v, a;
  };
  /// A rate over a step.
  struct Step {
    double time = 0;      // s
    double change = 0;    // of the quantity, but for whole turns
    double quotient = 0;  // that by the time
    double mean = 0;      // of the rate at both ends
    double bend = 0;      // |change of the rate| / time
  };

  /// A step and those beside it; of no time: there is none.
  struct Window {
    Step before, here, after;
  };

  /// Among the rates of the step from this row on.
  void FindLargest(std::int64_t row);
  /// Of no time behind the last step.
  Step StepAt(RemarkKind kind, std::int64_t row, int joint) const;
  void Hold(RemarkKind kind, std::int64_t row, int joint);
  /// How far the mean is from the quotients that the digits allow.
  double Distance(const Pair& pair, std::int64_t row, int joint,
                  const Step& step) const;
  void Add(const SampleRemark& remark);
  void Close(const SampleRemark& remark);

  std::span<const double> time_;
  std::vector<bool> turns_;
  const SampleView q_, v_, a_;
  SampleDigits time_digits_, q_digits_, v_digits_, a_digits_;
  std::optional<Readers> readers_;              // until all rows are looked at
  std::int64_t looked_at_ = 0;                  // rows
  std::array<Pair, 2> pairs_;                   // by RemarkKind
  std::vector<std::array<Window, 2>> windows_;  // by joint and kind
  /// By joint and kind, what may still grow; no steps: none.
  std::vector<std::array<SampleRemark, 2>> open_;
  SampleRemarks found_;  // `gravest` is a heap, the least grave on top
};

}  // namespace torqued
