// What the rows of a task are held against: the size of the whole Jacobian of
// their frame.
#pragma once

#include <limits>

#include "core/model/tree.h"

namespace torqued {

/// The whole Jacobian of a frame is made free of units: its linear rows are
/// divided by the reach of the frame, and the columns of prismatic joints
/// multiplied by it. The column of a revolute joint then has an angular half of
/// length 1 and a linear half of length 1 at most, in every reference frame and
/// at every state; that of a prismatic joint has length 1. So with k joints on
/// the way, √k ≤ norm ≤ √(2 k).
struct FrameScale {
  /// m: what lies between the base's origin and the frame, joint by joint, were
  /// it laid out in one line; 1 where that is nothing.
  double reach = 1;
  /// Frobenius norm of the scaled Jacobian, 6 x n.
  double norm = 0;
  /// Share of the norm up to which a singular value is round-off.
  double round_off = 0;
};

/// Of a frame with so many joints between it and the base, in numbers with this
/// ε. Each joint adds a product of rotations and the rounding of its constants.
constexpr double RoundOffOfJacobian(
    int joints, double epsilon = std::numeric_limits<double>::epsilon()) {
  return 8 * epsilon * joints;
}

/// The part of the reach, m, that is the same at every state. Of a prismatic
/// joint |q| comes on top.
double ConstantReach(const Tree& tree, const BodyFrame& frame);

/// At q[n], with the Jacobian J (6 x n, row-major) there, in any reference
/// frame.
FrameScale ScaleOfFrame(const Tree& tree, const BodyFrame& frame,
                        const double* q, const double* J);

}  // namespace torqued
