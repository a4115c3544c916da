// The robots on which speed is measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace torqued::bench {

struct BenchRobot {
  std::string name;
  std::string urdf;
  std::string tip;
  std::shared_ptr<const Model> model;
};

/// A 6-axis arm, a 7-axis arm, the same with a gripper of two fingers, and a
/// humanoid of 36 joints. Throws std::runtime_error where a description cannot
/// be read.
std::vector<BenchRobot> BenchRobots();

/// A humanoid of 44 joints with light links, on which single precision is
/// measured beside double.
BenchRobot LightLinkedRobot();

}  // namespace torqued::bench
