// How much slower a trajectory must run to keep its limits.
#pragma once

#include <cstdint>
#include <optional>

#include "core/trajectory/forbidden_intervals.h"
#include "core/trajectory/torque_limit.h"

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

/// The slowest and the fastest that pass. Times are stretched by `factor` >= 1.
struct SlowDown {
  double factor = 1;
  /// What stands in the way of less; nowhere where the factor is 1.
  SamplePlace limited_by;
};

/// Takes the samples one by one. Limits are exact: their quadratic inequalities
/// in u are solved; with smooth friction their roots are bracketed one by one,
/// between the zeros of the derivatives, so that none is missed.
class SlowDownSearch {
 public:
  /// |tau(u)| <= limit(u v).
  void AddTorque(const ScaledTorque& torque, double v, const TorqueLimit& limit,
                 const SamplePlace& place);
  /// u |v| <= limit.
  void AddVelocity(double v, double limit, const SamplePlace& place);

  /// The smallest factor of at least 1 that keeps all that was added; nothing
  /// where no factor does: at every pace down to rest something is over its
  /// limit, or nothing may move.
  std::optional<SlowDown> Find();

 private:
  ForbiddenIntervals forbidden_;  // of u
};

}  // namespace torqued
