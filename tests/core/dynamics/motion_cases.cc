#include "tests/core/dynamics/motion_cases.h"

#include <cstdint>
#include <utility>

#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"
#include "tests/support/with_armature.h"

namespace torqued {

using Eigen::VectorXd;
using testing_support::Random;

namespace {

MotionCase InMotion(std::string name, std::shared_ptr<const Model> model,
                    std::uint64_t seed) {
  Random random(seed);
  MotionCase c;
  c.name = std::move(name);
  c.model = std::move(model);
  const int n = c.n();
  c.q = random.Vector(n, -3, 3);
  c.v = random.Vector(n, -2, 2);
  c.a = random.Vector(n, -2, 2);
  c.tau = random.Vector(n, -20, 20);
  const VectorXd g = random.Vector(3, -10, 10);
  c.terms = {{g[0], g[1], g[2]},
             random.Chance(0.5),
             random.Chance(0.5),
             random.Chance(0.5)};
  for (int i = 0; i < n; ++i) c.wrenches.push_back(random.Vector(6, -20, 20));
  return c;
}

}  // namespace

std::vector<MotionCase> MotionCases() {
  std::vector<MotionCase> cases;
  std::uint64_t seed = 0;
  for (const char* name : {"panda", "planar_2r", "ur5e"}) {
    cases.push_back(
        InMotion(name, testing_support::ShippedModel(name), seed++));
  }
  for (int k = 0; k < 60; ++k) {
    const auto robot = testing_support::MakeRandomRobot(
        seed, {.dof = k < 56 ? 1 + k % 12 : 30,
               .right_angle_share = k % 3 * 0.5,
               .friction = true});
    auto model = testing_support::LoadModel(robot.urdf, robot.tip);
    if (k % 2 == 0) model = testing_support::WithArmature(*model, 1);
    cases.push_back(
        InMotion("robot " + std::to_string(seed), std::move(model), seed));
    ++seed;
  }
  return cases;
}

}  // namespace torqued
