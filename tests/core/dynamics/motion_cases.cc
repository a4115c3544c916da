#include "tests/core/dynamics/motion_cases.h"

#include <cstdint>
#include <utility>

#include "tests/support/random_robot.h"

namespace torqued {

using Eigen::VectorXd;
using testing_support::Random;

std::vector<MotionCase> MotionCases() {
  std::vector<MotionCase> cases;
  std::vector<TestTree> trees = ReasonableTrees();
  for (std::uint64_t seed = 100; seed < 104; ++seed) {
    trees.push_back(RandomTree(seed, 30, 0.3, 0.4));
  }
  std::uint64_t seed = 0;
  for (TestTree& tree : trees) {
    Random random(seed++);
    if (tree.bodies.empty()) continue;
    MotionCase c;
    const int n = tree.tree().n;
    c.name = tree.name;
    c.tree = std::move(tree);
    c.q = random.Vector(n, -3, 3);
    c.v = random.Vector(n, -2, 2);
    c.a = random.Vector(n, -2, 2);
    c.tau = random.Vector(n, -20, 20);
    const VectorXd g = random.Vector(3, -10, 10);
    c.terms = {{g[0], g[1], g[2]},
               random.Chance(0.5),
               random.Chance(0.5),
               random.Chance(0.5)};
    for (int i = 0; i < n; ++i) {
      c.wrenches.push_back(random.Vector(6, -20, 20));
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace torqued
