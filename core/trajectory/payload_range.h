// Which payloads a trajectory's torques allow.
#pragma once

#include <limits>
#include <optional>

#include "core/trajectory/sample_place.h"

namespace torqued {

/// Payloads from `least` to `most` pass, kg. A robot whose torques a payload
/// balances may need some.
struct PayloadRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// What stands in the way of more; nowhere where nothing does.
  SamplePlace limited_by;
};

/// The torque of one joint at one sample with a payload of mass m:
/// without + m per_kg.
struct LoadedTorque {
  double without = 0;  // N m or N
  /// 0 where no payload moves this torque. What is left of a difference after
  /// rounding must not stand here: any mass might follow from it.
  double per_kg = 0;
};

/// Takes the samples one by one. Torques are affine in a payload of given shape
/// (Lynch & Park 2017, section 8.1: linear in inertial parameters), so the
/// limits are solved, not searched.
class PayloadSearch {
 public:
  /// |without + m per_kg| <= limit.
  void Add(const LoadedTorque& torque, double limit, const SamplePlace& place);

  /// Nothing where no payload, and not doing without one either, passes.
  std::optional<PayloadRange> Find() const;

 private:
  PayloadRange range_;
  bool possible_ = true;
};

}  // namespace torqued
