// Which payloads a trajectory's torques allow.
#pragma once

#include <limits>
#include <optional>

#include "core/trajectory/sample_place.h"

namespace torqued {

/// Payloads from `least` to `most` pass; both count the payload that was looked
/// at as 1. A robot whose torques a payload balances may need some.
struct PayloadShares {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// What stands in the way of more; nowhere where nothing does.
  SamplePlace limited_by;
};

/// Takes the samples one by one. Torques are affine in a payload of given shape
/// (Lynch & Park 2017, section 8.1: linear in inertial parameters), so the
/// limits are solved, not searched.
class PayloadSearch {
 public:
  /// |without + share (with - without)| <= limit.
  void Add(double without, double with, double limit, const SamplePlace& place);

  /// Nothing where no payload, and not doing without one either, passes.
  std::optional<PayloadShares> Find() const;

 private:
  PayloadShares shares_;
  bool possible_ = true;
};

}  // namespace torqued
