// Trees in motion, for tests of derivatives.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/dynamics/rnea.h"
#include "tests/core/model/test_trees.h"

namespace torqued {

/// A tree in motion, with all that may act on it.
struct MotionCase {
  std::string name;
  TestTree tree;
  Eigen::VectorXd q, v, a, tau;
  DynamicsTerms terms;
  std::vector<Eigen::VectorXd> wrenches;  // on the bodies, each in {i}

  int n() const { return tree.tree().n; }
};

/// All ReasonableTrees with at least one joint, and a few of 30 joints; terms
/// are on or off by chance.
std::vector<MotionCase> MotionCases();

}  // namespace torqued
