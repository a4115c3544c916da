// Trees in motion, for tests of derivatives.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/dynamics/rnea.h"
#include "core/model/model.h"

namespace torqued {

/// A tree in motion, with all that may act on it.
struct MotionCase {
  std::string name;
  std::shared_ptr<const Model> model;
  Eigen::VectorXd q, v, a, tau;
  DynamicsTerms terms;
  std::vector<Eigen::VectorXd> wrenches;  // on the bodies, each in {i}

  Tree tree() const { return model->tree(); }
  int n() const { return tree().n; }
};

/// Shipped robots and random ones of 1 to 12 joints and of 30; half of them
/// with rotors; terms are on or off by chance.
std::vector<MotionCase> MotionCases();

}  // namespace torqued
