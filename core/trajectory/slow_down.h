// How much slower a trajectory must run to keep its limits, or how much faster
// it may.
#pragma once

#include <limits>
#include <map>
#include <utility>

#include "core/trajectory/verdict.h"

namespace torqued {

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

struct SlowDown {
  /// False: at every pace down to rest something is over its limit, or nothing
  /// may move.
  bool possible = true;
  /// The smallest of at least 1 by which times are stretched so that all limits
  /// are kept; 1 also where it is not possible.
  double factor = 1;
  /// What stands in the way of less, and where it is not possible of any pace;
  /// nowhere where the factor is 1.
  SamplePlace limited_by = {};
  /// Where the factor is 1: up to so many times as fast all limits are kept; at
  /// least 1, infinite where nothing is in the way of kFastestPace. 1
  /// elsewhere.
  double fastest = 1;
  /// What stands in the way of more than `fastest`.
  SamplePlace fastest_limited_by = {};
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

}  // namespace torqued
