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
  /// m, see FrameReach; 1 where that is nothing.
  double reach = 1;
  /// Frobenius norm of the scaled Jacobian, 6 x n.
  double norm = 0;
  /// Share of the norm up to which a singular value is round-off.
  double round_off = 0;
};

/// What is the same at every state; of each prismatic joint on the way |q|
/// comes on top of both.
struct FrameReach {
  /// m: what lies between the base's origin and the frame, joint by joint, were
  /// it laid out in one line. Placements have round-off in proportion to it.
  double laid_out = 0;
  /// The same, but of the way to the first joint, which moves nothing, no more
  /// than the size of the robot: some base stands kilometres from its origin.
  /// All of it where the reference frame is that origin.
  double reach = 0;

  /// How much larger than for a base nearby round-off is beside the reach.
  double excess() const { return reach > 0 ? laid_out / reach : 1; }
};

/// Of a frame with so many joints between it and the base, in numbers with this
/// ε. Each joint adds a product of rotations and the rounding of its constants.
constexpr double RoundOffOfJacobian(
    int joints, double epsilon = std::numeric_limits<double>::epsilon()) {
  return 8 * epsilon * joints;
}

FrameReach ReachOfFrame(const Tree& tree, const BodyFrame& frame,
                        ReferenceFrame reference);

/// At q[n], with the Jacobian J (6 x n, row-major) there in that reference
/// frame.
FrameScale ScaleOfFrame(const Tree& tree, const BodyFrame& frame,
                        ReferenceFrame reference, const double* q,
                        const double* J);

}  // namespace torqued
