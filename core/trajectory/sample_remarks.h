// Whether the rates of samples are rates of what they stand beside.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trajectory/spline.h"
#include "core/trajectory/verdict.h"

namespace torqued {

enum class RemarkKind : std::uint8_t {
  kVelocity,      // v is not the rate of q
  kAcceleration,  // a is not the rate of v
};

/// Steps close together in which the samples of one joint contradict each
/// other. Steps are those from a row to the next one.
struct SampleRemark {
  RemarkKind kind = RemarkKind::kVelocity;
  int joint = -1;  // in the caller's order
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;  // where the last of the steps ends
  std::int64_t steps = 0;
  /// The worst step or span of steps: where its middle step begins, the mean of
  /// the rate, the difference quotient, and by how much the two may differ.
  std::int64_t worst_row = 0;
  double given = 0;
  double expected = 0;
  double tolerance = 0;
  /// By how many tolerances they differ there.
  double severity = 0;

  bool IsGraverThan(const SampleRemark& other) const;
};

using SampleRemarks = Summary<SampleRemark, 2, 100>;

/// The last digit of the numbers of a table, which may be rounded to decimals,
/// to significant digits, or to single precision.
struct SampleResolution {
  Eigen::VectorXd largest;  // magnitude, by column; at first 0
  double rounding = 0;      // of a number, as a share of it
  /// With which all make do, 10^n for n; 0: all are 0.
  double decimals = 0;
  double digits = 10;  // significant

  void Add(Eigen::Index column, double number);

  /// Upper bound of the distance between two numbers of the column's
  /// resolution.
  double QuantumOf(Eigen::Index column) const;
  double Rounding() const { return 2 * rounding * largest.maxCoeff(); }
};

/// Compares v with the changes of q, and a with those of v, over each step and
/// over spans of 2, 4, 8, ... steps, by the tolerances of docs/trajectory.md: a
/// share of the largest rate, one last digit of each number (of the rate half
/// for rounding, half for curvature that rounding hides), and the curvature. A
/// span is skipped if a part of it contradicts.
class SampleRemarkFinder {
 public:
  /// `turns`: of each joint whether whole turns change nothing. The memory of
  /// the tables and of the times outlives this.
  SampleRemarkFinder(std::span<const double> time, const SampleView& q,
                     const SampleView& v, const SampleView& a,
                     std::vector<bool> turns);

  /// Looks at the next rows, at most so many, for their digits and the largest
  /// rates. True: at all of them; AddStep may begin.
  bool Prepare(std::int64_t rows);
  bool ready() const { return looked_at_ == time_.rows(); }

  /// The step from this row to the next; every one, in order. Needs ready().
  void AddStep(std::int64_t row);

  SampleRemarks Finish();

 private:
  /// Sums over steps side by side.
  struct Span {
    std::int64_t steps = 0;
    double time = 0;       // s
    double change = 0;     // of the quantity, but for whole turns
    double integral = 0;   // of the rate
    double curvature = 0;  // what that leaves open
    double variation = 0;  // of the rate
    bool contradicts = false;

    void Prepend(const Span& before);
  };
  /// A quantity of a joint and its rate.
  struct Track {
    RemarkKind kind;
    int joint;
    SampleView of, rate;
    bool turns = false;  // whole ones change nothing
    double of_quantum = 0, rate_quantum = 0, largest_rate = 0;
    /// Spans of 1, 2, 4, ... steps that wait for their neighbour; no steps:
    /// none.
    std::vector<Span> spans = {};
    SampleRemark open = {};  // may still grow; no steps: none
  };

  void MakeTracks();
  Span StepFrom(const Track& track, std::int64_t row) const;
  /// Looks at a span that ends at this row.
  void Judge(Track& track, Span& span, std::int64_t end);

  SampleView time_;
  std::array<SampleView, 3> tables_;            // q, v, a
  std::array<SampleResolution, 4> resolution_;  // likewise, and of time
  std::vector<bool> turns_;
  std::int64_t looked_at_ = 0;  // rows
  double time_quantum_ = 0;
  std::vector<Track> tracks_;  // once ready
  SampleRemarks found_;        // `gravest` is a heap, the least grave on top
};

}  // namespace torqued
