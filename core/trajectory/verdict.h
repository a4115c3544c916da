// The parts of a verdict on a trajectory, sample by sample.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/trajectory/trajectory_check.h"

namespace torqued {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The most severe comes first, of the same severity the earliest.
template <class Finding>
auto Order(const Finding& finding) {
  double after = 0;
  if constexpr (requires { finding.first_after; }) after = finding.first_after;
  return std::tuple(-finding.severity, finding.first_row, after, finding.kind,
                    finding.joint);
}

/// Leaves the most severe, in order.
void Trim(auto& summary) {
  auto& gravest = summary.gravest;
  std::ranges::sort(gravest, {}, [](const auto& of) { return Order(of); });
  gravest.resize(std::min(gravest.size(), summary.kMaxListed));
}

/// Until Trim, the list has no order and too many entries.
void AddTo(auto& summary, const auto& finding) {
  ++summary.count;
  ++summary.counts[finding.joint][static_cast<std::size_t>(finding.kind)];
  summary.gravest.push_back(finding);
  if (summary.gravest.size() == 2 * summary.kMaxListed) Trim(summary);
}

/// The torque of one joint at one sample with a payload of mass m:
/// without + m per_kg.
struct LoadedTorque {
  double without = 0;  // N m or N
  /// 0 if no payload changes this torque. A difference that is rounding alone
  /// must be 0 here: any mass might follow from it.
  double per_kg = 0;
};

/// Leaves |without + m per_kg| <= limit. Torques are affine in a payload of
/// given shape (Lynch & Park 2017, section 8.1: linear in inertial parameters),
/// so the limits are solved, not searched.
void Restrict(PayloadRange& range, const LoadedTorque& torque, double limit,
              const SamplePlace& place);

/// Puts samples together as they come, row by row, and extrema between two of
/// them after the first and before the second.
class ViolationTracker {
 public:
  /// Samples up to `gap` seconds apart belong together, and so do neighbours.
  ViolationTracker(int joints, std::span<const double> time, double gap)
      : time_(time), gap_(gap), open_(joints) {
    found_.counts.resize(open_.size());
  }

  void Add(LimitKind kind, const SamplePlace& place, double value, double limit,
           double severity);

  Violations Finish();

 private:
  void Close(const LimitViolation& violation);

  std::span<const double> time_;
  double gap_;
  /// By joint and kind, what may still grow; no severity: none.
  std::vector<std::array<LimitViolation, 3>> open_;
  Violations found_;
};

/// The first of equals stays.
inline void KeepLargest(PeakValue& peak, const PeakValue& candidate) {
  if (!peak.present() || candidate.value > peak.value) peak = candidate;
}
inline void KeepSmallest(PeakValue& peak, const PeakValue& candidate) {
  if (!peak.present() || candidate.value < peak.value) peak = candidate;
}

/// |value| / limit; 0 / 0 is 0.
double UseOf(double value, double limit);

/// Takes the samples of a joint in order.
class JointTally {
 public:
  /// `step`: seconds since the sample before; of the first one 0. Here and
  /// below an absent limit is infinite.
  void Add(std::int64_t row, double step, double v, double tau, double limit);

  /// At a sample, or an extremum after it.
  void AddPosition(const PeakValue& q);
  void AddVelocity(const PeakValue& v, double limit);

  /// Whether an integral of finite numbers has left the range of numbers.
  bool overflows() const;

  /// `duration`: seconds from the first sample to the last.
  JointDemand Finish(double duration) const;

 private:
  /// By trapezoids. Takes infinity, which stays.
  struct Integral {
    double sum = 0;
    double last = 0;

    void Add(double step, double value);
    bool overflows() const {
      return !std::isfinite(sum) || !std::isfinite(last);
    }
    /// The root of the mean over time; of a single sample of its square.
    double RootMean(double duration) const;
  };

  JointDemand demand_;
  Integral square_of_torque_, square_of_use_;
  double last_power_ = 0;
};

/// Position, velocity and acceleration at a sample.
struct SplineNode {
  double q = 0, v = 0, a = 0;
};

struct SplineExtremum {
  double after = 0;  // s, since the sample before it
  double value = 0;
};

/// Extrema that lie beyond the values at both samples, by more than rounding;
/// in order of time.
struct ExtremaBetween {
  std::vector<SplineExtremum> positions;
  std::vector<SplineExtremum> velocities;
};

/// Extrema of the piece between two samples `step` seconds apart: the
/// polynomial of the spline's degree that the numbers at both of them determine
/// (of a cubic, q and v do).
ExtremaBetween FindExtremaBetween(SplineMethod method, double step,
                                  const SplineNode& begin,
                                  const SplineNode& end);

/// The torque of one joint at one sample, by what becomes of it when time runs
/// slower by 1 / u: v becomes u v and a becomes u² a, so
///   tau(u) = still + u viscous + u² moving + smooth tanh(u sharpness).
struct ScaledTorque {
  double still = 0;      // gravity, wrenches, Coulomb friction: N m or N
  double viscous = 0;    // viscous friction
  double moving = 0;     // M a + c
  double smooth = 0;     // Coulomb friction F_s with a smoothing of epsilon
  double sharpness = 0;  // v / epsilon
};

/// Beyond, no limit is looked for.
inline constexpr double kFastestPace = 1e6;

/// Takes the samples one by one. Limits are exact: their quadratic inequalities
/// in u are solved; with smooth friction their roots are bracketed one by one,
/// between the zeros of the derivatives, so that none is missed.
class SlowDownSearch {
 public:
  /// |tau(u)| <= limit(u v).
  void AddTorque(const ScaledTorque& torque, double v, const TorqueLimit& limit,
                 SamplePlace place);
  /// u |v| <= limit.
  void AddVelocity(double v, double limit, SamplePlace place);

  /// The answer for everything that was added.
  SlowDown Find() const;

 private:
  void Forbid(double low, double high, SamplePlace place);
  void LimitPace(double u, const SamplePlace& place);

  /// Ranges of u apart from each other: by where each begins where it ends, and
  /// what begins to rule out there.
  std::map<double, std::pair<double, SamplePlace>> forbidden_;
  // From u = 1 up to here nothing is forbidden.
  double fastest_ = std::numeric_limits<double>::infinity();
  SamplePlace fastest_place_;
};

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
/// over spans of 2, 4, 8, ... steps, by the tolerances of docs/trajectories.md
/// (of the last digit of a rate half for rounding, half for curvature that
/// rounding hides). A span is skipped if a part of it contradicts.
class SampleRemarkFinder {
 public:
  /// `turns`: of each joint whether whole turns change nothing. The memory of
  /// the samples outlives this.
  SampleRemarkFinder(const Trajectory& samples, std::vector<bool> turns);

  /// Looks at the next rows, at most so many, for their digits and the largest
  /// rates.
  void Prepare(std::int64_t rows);
  bool ready() const { return looked_at_ == std::ssize(time_); }

  /// The step from this row to the next; every one, in order. Needs ready().
  void AddStep(std::int64_t row);

  SampleRemarks Finish();

  /// Joints whose v and q disagree, over 16 to 31 spans of the whole motion.
  std::vector<InconsistentRate> Inconsistent() const;

 private:
  /// Sums over steps side by side.
  struct Span {
    std::int64_t steps = 0;
    double time = 0;       // s
    double change = 0;     // of the quantity, but for whole turns
    double integral = 0;   // of the rate
    double distance = 0;   // integrals of the steps without their signs
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
    /// Over spans of `long_span_` steps: squares of changes and of integrals,
    /// squares and magnitudes of their differences.
    double changes = 0, integrals = 0, squares = 0, differences = 0;
  };

  Span StepFrom(const Track& track, std::int64_t row) const;
  /// Looks at a span that ends at this row.
  void Judge(Track& track, Span& span, std::int64_t end);

  std::span<const double> time_;
  std::array<SampleView, 3> tables_;            // q, v, a
  std::array<SampleResolution, 4> resolution_;  // likewise, and of time
  std::vector<bool> turns_;
  std::int64_t looked_at_ = 0;  // rows
  std::int64_t long_span_ = 1;  // steps, a power of 2
  double time_quantum_ = 0;
  std::vector<Track> tracks_;  // once ready
  SampleRemarks found_;
};

}  // namespace torqued
