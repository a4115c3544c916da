// Random robots with a state each, and the memory to compute with them.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/dynamics/coriolis.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/model/model.h"
#include "tests/support/dual.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

constexpr double kEpsilon = 2.3e-16;

constexpr ReferenceFrame kReferenceFrames[] = {
    ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned,
    ReferenceFrame::kWorld};

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

struct RandomCase {
  std::shared_ptr<const Model> model;
  /// Those of the model, with rotors where asked for.
  std::vector<TreeBody> bodies;
  BodyFrame tip;
  State state;
  std::string name;

  Tree tree() const { return {static_cast<int>(bodies.size()), bodies.data()}; }
  int n() const { return static_cast<int>(bodies.size()); }
};

struct RandomCaseOptions {
  int count = 40;
  bool friction = false;
  bool armature = false;
};

/// Trees and chains in turn, of 1 to 12 revolute and prismatic joints.
std::vector<RandomCase> MakeRandomCases(const RandomCaseOptions& options = {});

/// A configuration as the algorithm texts find it: X and X_world are there.
template <class T>
class Configured {
 public:
  Configured(const Tree& tree, const std::vector<T>& q) {
    const auto n = static_cast<unsigned long>(tree.n);
    Carver counter(nullptr);
    Carve(n, counter);
    memory_ = std::make_unique<Line[]>(counter.used() / sizeof(Line) + 1);
    Carver carver(memory_.get());
    Carve(n, carver);
    ComputePlacements(tree, q.data(), scratch_);
    ComputeWorldPlacements(tree, scratch_);
  }

  Scratch<T>& scratch() { return scratch_; }
  CoriolisScratch<T>& coriolis() { return coriolis_; }

 private:
  struct alignas(64) Line {
    unsigned char bytes[64];
  };

  void Carve(unsigned long n, Carver& carver) {
    CarveScratch(n, carver, scratch_);
    CarveCoriolisScratch(n, carver, coriolis_);
  }

  std::unique_ptr<Line[]> memory_;
  Scratch<T> scratch_{};
  CoriolisScratch<T> coriolis_{};
};

inline std::vector<double> Numbers(const Eigen::VectorXd& x) {
  return {x.begin(), x.end()};
}

/// x + ε rate.
std::vector<Dual> Along(const Eigen::VectorXd& x, const Eigen::VectorXd& rate);

inline Configured<double> At(const Tree& tree, const Eigen::VectorXd& q) {
  return Configured<double>(tree, Numbers(q));
}

/// The rates of numbers that were computed Along a motion, as a matrix.
Eigen::MatrixXd Rates(const std::vector<Dual>& numbers, int rows, int columns);

Vector6d ToEigen(const Twist<double>& V);
Vector6d ToEigen(const Wrench<double>& F);

/// M of the case's state.
RowMajor MassMatrixOf(const RandomCase& c);

/// Ṁ where q moves with `rate`.
Eigen::MatrixXd MassRate(const RandomCase& c, const Eigen::VectorXd& rate);

/// By recursive Newton-Euler; v and a are zero where null.
Eigen::VectorXd Torques(const Tree& tree, const DynamicsTerms& terms,
                        const Eigen::VectorXd& q, const double* v,
                        const double* a);

}  // namespace torqued::testing_support
