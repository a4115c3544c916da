// Random robots whose mass matrices come near to being singular: light, thin
// and aligned links, of any size.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/model.h"

namespace torqued::testing_support {

struct ThinRobot {
  std::shared_ptr<const Model> model;
  std::vector<double> q;
};

struct ThinRobotOptions {
  int most_joints = 10;
  /// Factors of all masses and of all lengths.
  double mass = 1;
  double length = 1;
  /// Whether each joint's frame slides along its axis and turns about it.
  bool move_frames = false;
};

/// The same robot and state for a seed, whatever the factors; no request of
/// single precision is computed in double as a whole. Null where its joints
/// move no mass in any state.
ThinRobot MakeThinRobot(std::uint64_t seed,
                        const ThinRobotOptions& options = {});

}  // namespace torqued::testing_support
