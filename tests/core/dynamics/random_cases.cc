#include "tests/core/dynamics/random_cases.h"

#include "core/dynamics/crba-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {

std::vector<RandomCase> MakeRandomCases(const RandomCaseOptions& options) {
  std::vector<RandomCase> cases;
  for (int seed = 0; seed < options.count; ++seed) {
    RandomRobotOptions robot_options;
    robot_options.shape = seed % 2 == 0 ? RandomRobotOptions::Shape::kTree
                                        : RandomRobotOptions::Shape::kChain;
    robot_options.dof = 1 + seed % 12;
    robot_options.friction = options.friction;
    const RandomRobot robot =
        MakeRandomRobot(static_cast<std::uint64_t>(seed), robot_options);
    RandomCase c;
    c.model = LoadModel(robot.urdf, robot.tip);
    if (c.model == nullptr) continue;
    const Tree tree = c.model->tree();
    c.bodies.assign(tree.bodies, tree.bodies + tree.n);
    if (options.armature) {
      for (int i = 0; i < tree.n; ++i) c.bodies[i].armature = 0.1 + 0.05 * i;
    }
    c.tip = c.model->frames()[*c.model->tip_frame()].placement;
    Random random(static_cast<std::uint64_t>(seed) + 1000);
    c.state = MakeRandomState(*c.model, random);
    c.name = "seed " + std::to_string(seed);
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<Dual> Along(const Eigen::VectorXd& x, const Eigen::VectorXd& rate) {
  std::vector<Dual> numbers;
  numbers.reserve(static_cast<std::size_t>(x.size()));
  for (int i = 0; i < x.size(); ++i) numbers.emplace_back(x[i], rate[i]);
  return numbers;
}

Eigen::MatrixXd Rates(const std::vector<Dual>& numbers, int rows, int columns) {
  Eigen::MatrixXd rates(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) rates(i, j) = numbers[i * columns + j].d;
  }
  return rates;
}

Vector6d ToEigen(const Twist<double>& V) {
  Vector6d vector;
  vector << V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z;
  return vector;
}

Vector6d ToEigen(const Wrench<double>& F) {
  return ToEigen(Twist<double>{F.m, F.f});
}

RowMajor MassMatrixOf(const RandomCase& c) {
  Configured<double> at = At(c.tree(), c.state.q);
  RowMajor M(c.n(), c.n());
  MassMatrix(c.tree(), at.scratch(), M.data());
  return M;
}

Eigen::MatrixXd MassRate(const RandomCase& c, const Eigen::VectorXd& rate) {
  Configured<Dual> at(c.tree(), Along(c.state.q, rate));
  std::vector<Dual> M(static_cast<std::size_t>(c.n() * c.n()));
  MassMatrix(c.tree(), at.scratch(), M.data());
  return Rates(M, c.n(), c.n());
}

Eigen::VectorXd Torques(const Tree& tree, const DynamicsTerms& terms,
                        const Eigen::VectorXd& q, const double* v,
                        const double* a) {
  Configured<double> at = At(tree, q);
  Eigen::VectorXd tau(tree.n);
  InverseDynamics(tree, terms, v, a, at.scratch(), tau.data());
  return tau;
}

}  // namespace torqued::testing_support
