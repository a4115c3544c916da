// Random robots whose mass matrices come near to being singular: light, thin
// and aligned links, of any size.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/model.h"
#include "tests/support/textbook.h"

namespace torqued::testing_support {

struct ThinRobot {
  std::shared_ptr<const Model> model;
  std::vector<double> q;
};

struct ThinRobotOptions {
  int most_joints = 10;
  /// Factors of all masses and of all lengths.
  double mass = 1, length = 1;
  /// Whether each joint's frame slides along its axis and turns about it.
  bool move_frames = false;
};

/// The same robot and state for a seed, whatever the factors; no request of
/// single precision is computed in double as a whole. Null where its joints
/// move no mass in any state.
ThinRobot MakeThinRobot(std::uint64_t seed,
                        const ThinRobotOptions& options = {});

using Wide = long double;

/// Of M in long double: M⁻¹, and the pivots of M = Lᵀ D L from the last joint
/// to the first. Not positive: a pivot is not.
struct WideInverse {
  bool positive;
  textbook::MatrixX<Wide> inverse;
  textbook::VectorX<Wide> pivots;
};

WideInverse InvertMassMatrix(const Tree& tree, const std::vector<double>& q);

}  // namespace torqued::testing_support
