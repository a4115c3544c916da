// The limits that a trajectory may leave.
#pragma once

#include <cstdint>

namespace torqued {

enum class LimitKind : std::uint8_t {
  kTorque,    // |tau| over what the drive gives at this speed
  kVelocity,  // |v| over the limit
  kPosition,  // q below the lower or above the upper limit
};

}  // namespace torqued
