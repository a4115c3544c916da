// Laws of rigid-body dynamics on random robots, each with a twin that shows
// that the check can fail.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <string>

#include "core/batch/robot.h"
#include "core/dynamics/kinematics.h"
#include "core/dynamics/ldlt.h"
#include "core/model/model_builder.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

using Case = RandomCase;

std::vector<Case> Cases(bool friction = false) {
  return MakeRandomCases({.friction = friction});
}

TEST(DynamicsLaws, ForwardOfInverseIsIdentity) {
  for (const Case& c : Cases()) {
    Robot robot(c.model);
    const VectorXd tau = robot.InverseDynamics(c.state.q, c.state.v, c.state.a);
    const VectorXd a = robot.ForwardDynamics(c.state.q, c.state.v, tau);
    const double condition = ConditionNumber(robot.MassMatrix(c.state.q));
    EXPECT_LT(RelativeError(a, c.state.a), 200 * kEpsilon * condition)
        << c.name;
    // Twin: another torque is another acceleration.
    const VectorXd other =
        robot.ForwardDynamics(c.state.q, c.state.v, 1.01 * tau);
    EXPECT_GT(RelativeError(other, c.state.a), 1e-6) << c.name;
  }
}

TEST(DynamicsLaws, ForwardOfInverseIsIdentityWithFrictionAndTipWrench) {
  for (const ReferenceFrame frame :
       {ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned,
        ReferenceFrame::kWorld}) {
    for (const Case& c : Cases(/*friction=*/true)) {
      Robot::Options options;
      options.terms.gravity = {1, -2, 3};
      options.terms.viscous_friction = true;
      options.terms.coulomb_friction = true;
      options.reference_frame = frame;
      Robot robot(c.model, options);
      const VectorXd tau = robot.InverseDynamics(c.state.q, c.state.v,
                                                 c.state.a, c.state.wrench);
      const VectorXd a =
          robot.ForwardDynamics(c.state.q, c.state.v, tau, c.state.wrench);
      const double condition = ConditionNumber(robot.MassMatrix(c.state.q));
      EXPECT_LT(RelativeError(a, c.state.a, tau.norm()),
                200 * kEpsilon * condition)
          << c.name;
      // Twins: friction and wrench do take part.
      EXPECT_GT(RelativeError(robot.ForwardDynamics(c.state.q, c.state.v, tau),
                              c.state.a),
                1e-6)
          << c.name;
      Robot frictionless(c.model);
      EXPECT_GT((frictionless.BiasForces(c.state.q, c.state.v) -
                 robot.BiasForces(c.state.q, c.state.v))
                    .norm(),
                1e-6)
          << c.name;
    }
  }
}

TEST(DynamicsLaws, TipWrenchEntersByTheTransposedJacobian) {
  for (const ReferenceFrame frame :
       {ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned,
        ReferenceFrame::kWorld}) {
    for (const Case& c : Cases()) {
      Robot::Options options;
      options.reference_frame = frame;
      Robot robot(c.model, options);
      const State& s = c.state;
      const VectorXd with = robot.InverseDynamics(s.q, s.v, s.a, s.wrench);
      const VectorXd without = robot.InverseDynamics(s.q, s.v, s.a);
      const VectorXd expected = robot.Jacobian(s.q).transpose() * s.wrench;
      const double scale = without.cwiseAbs().maxCoeff();
      EXPECT_LT(RelativeError(with - without, expected, scale), 1e-13)
          << c.name;
      // Twin: the sign matters.
      EXPECT_GT(RelativeError(without - with, expected), 0.1) << c.name;
    }
  }
}

TEST(DynamicsLaws, MassMatrixIsSymmetricPositiveDefinite) {
  for (const Case& c : Cases()) {
    Robot robot(c.model);
    const MatrixXd M = robot.MassMatrix(c.state.q);
    EXPECT_EQ(M, M.transpose()) << c.name;
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(M).eigenvalues()[0], 0)
        << c.name;
  }
}

/// Σ J_iᵀ G_i J_i over the bodies, from Jacobians alone.
MatrixXd MassMatrixFromJacobians(const Model& model, const VectorXd& q) {
  const Tree tree = model.tree();
  Workspace<double> workspace(tree.n);
  ComputePlacements(tree, q.data(), workspace.scratch());
  const Scratch<double>& scratch = workspace.scratch();
  MatrixXd M = MatrixXd::Zero(tree.n, tree.n);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    // Body Jacobian of link i: joint screws moved down the chain.
    MatrixXd J = MatrixXd::Zero(6, tree.n);
    for (int j = i; j != kBase; j = tree.bodies[j].parent) {
      const double* x = tree.bodies[j].axis;
      const Vec3<double> axis = {x[0], x[1], x[2]}, zero = {0, 0, 0};
      Twist<double> A = tree.bodies[j].motion == JointMotion::kRevolute
                            ? Twist<double>{axis, zero}
                            : Twist<double>{zero, axis};
      std::vector<int> path;
      for (int k = i; k != j; k = tree.bodies[k].parent) path.push_back(k);
      for (auto k = path.rbegin(); k != path.rend(); ++k) {
        A = ToChild(scratch.X[*k], A);
      }
      J.col(j) << A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z;
    }
    const double* I = body.I;
    const double* h = body.h;
    Eigen::Matrix<double, 6, 6> G;
    G << I[0], I[1], I[2], 0, -h[2], h[1],  //
        I[1], I[3], I[4], h[2], 0, -h[0],   //
        I[2], I[4], I[5], -h[1], h[0], 0,   //
        0, h[2], -h[1], body.mass, 0, 0,    //
        -h[2], 0, h[0], 0, body.mass, 0,    //
        h[1], -h[0], 0, 0, 0, body.mass;
    M += J.transpose() * G * J;
    M(i, i) += body.armature;
  }
  return M;
}

TEST(DynamicsLaws, MassMatrixIsTheSameByThreeRoutes) {
  for (const Case& c : Cases()) {
    Robot::Options weightless;
    weightless.terms.gravity = {0, 0, 0};
    Robot robot(c.model, weightless);
    const MatrixXd M = robot.MassMatrix(c.state.q);
    const int n = c.model->nv();
    MatrixXd columns(n, n);
    for (int j = 0; j < n; ++j) {
      columns.col(j) = robot.InverseDynamics(c.state.q, VectorXd::Zero(n),
                                             VectorXd::Unit(n, j));
    }
    EXPECT_LT(RelativeError(columns, M), 1e-13) << c.name;
    EXPECT_LT(RelativeError(MassMatrixFromJacobians(*c.model, c.state.q), M),
              1e-13)
        << c.name;
    // Twin: with gravity on, the columns are something else.
    Robot::Options skew;
    skew.terms.gravity = {3, 4, -9.81};
    Robot heavy(c.model, skew);
    columns.col(0) = heavy.InverseDynamics(c.state.q, VectorXd::Zero(n),
                                           VectorXd::Unit(n, 0));
    EXPECT_GT(RelativeError(columns, M), 1e-6) << c.name;
  }
}

TEST(DynamicsLaws, InverseDynamicsIsAffineInTheAcceleration) {
  for (const Case& c : Cases()) {
    Robot robot(c.model);
    const State& s = c.state;
    const VectorXd tau = robot.InverseDynamics(s.q, s.v, s.a);
    const VectorXd expected =
        robot.MassMatrix(s.q) * s.a + robot.BiasForces(s.q, s.v);
    EXPECT_LT(RelativeError(tau, expected), 1e-12) << c.name;
  }
}

TEST(DynamicsLaws, ArticulatedBodiesAgreeWithCholesky) {
  for (const Case& c : Cases()) {
    Robot robot(c.model);
    const State& s = c.state;
    const MatrixXd M = robot.MassMatrix(s.q);
    VectorXd a = s.tau - robot.BiasForces(s.q, s.v);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>
        factors = M;
    const int n = c.model->nv();
    FactorLdlt(n, factors.data());
    SolveLdlt(n, factors.data(), a.data());
    EXPECT_LT(RelativeError(robot.ForwardDynamics(s.q, s.v, s.tau), a),
              100 * kEpsilon * ConditionNumber(M))
        << c.name;
  }
}

TEST(DynamicsLaws, GravityTorqueIsTheGradientOfThePotential) {
  // Without gravity torque the work of a slow displacement would be zero; with
  // it, dP = gᵀ dq. P is read off the poses of the bodies.
  for (const Case& c : Cases()) {
    const Tree tree = c.model->tree();
    const auto potential = [&](const VectorXd& q) {
      Workspace<double> workspace(tree.n);
      ComputePlacements(tree, q.data(), workspace.scratch());
      ComputeWorldPlacements(tree, workspace.scratch());
      double P = 0;
      for (int i = 0; i < tree.n; ++i) {
        const TreeBody& b = tree.bodies[i];
        const Transform<double>& T = workspace.scratch().X_world[i];
        const Vec3<double> mc =
            T.R * Vec3<double>{b.h[0], b.h[1], b.h[2]} + T.p * b.mass;
        P += 9.81 * mc.z;
      }
      return P;
    };
    Robot robot(c.model);
    const int n = c.model->nv();
    const VectorXd g = robot.BiasForces(c.state.q, VectorXd::Zero(n));
    const double step = 1e-5;
    for (int j = 0; j < n; ++j) {
      const VectorXd dq = step * VectorXd::Unit(n, j);
      const double slope =
          (potential(c.state.q + dq) - potential(c.state.q - dq)) / (2 * step);
      EXPECT_NEAR(g[j], slope, 1e-6 * std::max(1.0, g.norm())) << c.name;
    }
  }
}

TEST(DynamicsLaws, KineticPowerIsTheWorkOfTheTorques) {
  // d/dt (½ vᵀ M v) = vᵀ (τ − g) along the motion (q, v, a); this is where a
  // wrong Coriolis term shows.
  for (const Case& c : Cases()) {
    Robot::Options weightless;
    weightless.terms.gravity = {0, 0, 0};
    Robot robot(c.model, weightless);
    const State& s = c.state;
    const auto kinetic = [&](double t) {
      const VectorXd q = s.q + t * s.v + 0.5 * t * t * s.a;
      const VectorXd v = s.v + t * s.a;
      return 0.5 * v.dot(robot.MassMatrix(q) * v);
    };
    const double step = 1e-5;
    const double slope = (kinetic(step) - kinetic(-step)) / (2 * step);
    const VectorXd tau = robot.InverseDynamics(s.q, s.v, s.a);
    EXPECT_NEAR(s.v.dot(tau), slope, 1e-6 * std::max(1.0, tau.norm()))
        << c.name;
  }
}

TEST(DynamicsLaws, BiasIsQuadraticInTheVelocity) {
  for (const Case& c : Cases()) {
    Robot::Options weightless;
    weightless.terms.gravity = {0, 0, 0};
    Robot robot(c.model, weightless);
    const VectorXd once = robot.BiasForces(c.state.q, c.state.v);
    const VectorXd twice = robot.BiasForces(c.state.q, 2 * c.state.v);
    EXPECT_LT(RelativeError(twice, 4 * once), 1e-12) << c.name;
  }
}

TEST(DynamicsLaws, FrictionAddsItsTermsAndNothingElse) {
  for (const Case& c : Cases(/*friction=*/true)) {
    Robot plain(c.model);
    const State& s = c.state;
    for (const bool viscous : {false, true}) {
      for (const bool coulomb : {false, true}) {
        Robot::Options options;
        options.terms.viscous_friction = viscous;
        options.terms.coulomb_friction = coulomb;
        Robot robot(c.model, options);
        VectorXd expected = plain.InverseDynamics(s.q, s.v, s.a);
        for (const Joint& joint : c.model->joints()) {
          const double v = s.v[joint.v_index];
          if (viscous) expected[joint.v_index] += joint.damping * v;
          if (coulomb) {
            expected[joint.v_index] += joint.friction * (v > 0 ? 1 : -1);
          }
        }
        EXPECT_LT(RelativeError(robot.InverseDynamics(s.q, s.v, s.a), expected),
                  1e-14)
            << c.name;
        EXPECT_EQ(robot.MassMatrix(s.q), plain.MassMatrix(s.q)) << c.name;
      }
    }
  }
}

/// A chain about alternating axes; joints named in `fixed` do not move.
std::shared_ptr<const Model> ChainWith(const std::vector<int>& fixed,
                                       double armature = 0) {
  ModelBuilder builder("chain");
  builder.AddLink({"base", std::nullopt, 0});
  std::string parent = "base";
  for (int i = 0; i < 6; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    LinkInertial inertial;
    inertial.origin =
        Pose::FromXyzRpy({0.1, -0.05 * i, 0.2}, {0.3, i * 0.2, 1});
    inertial.mass = 1.5 + i;
    inertial.inertia = {0.02, 0.001, -0.002, 0.03, 0.003, 0.025};
    link.inertial = inertial;
    builder.AddLink(link);
    JointDescription joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointDescription::Type::kContinuous;
    for (const int f : fixed) {
      if (f == i) joint.type = JointDescription::Type::kFixed;
    }
    joint.parent = parent;
    joint.child = link.name;
    joint.origin = Pose::FromXyzRpy({0.1 * i, 0.2, -0.1}, {0.5, -0.4 * i, 0.7});
    joint.axis = i % 2 == 0 ? std::array<double, 3>{0, 0, 1}
                            : std::array<double, 3>{0, 0.6, 0.8};
    joint.armature = armature;
    builder.AddJoint(joint);
    parent = link.name;
  }
  LoadResult result = builder.Build();
  EXPECT_TRUE(result.report.ok());
  return result.model;
}

TEST(DynamicsLaws, MergedFixedJointsEqualLockedOnes) {
  // The joints that are fixed in one robot stand still at zero in the other.
  const std::vector<int> fixed = {1, 3, 4, 5};
  const auto merged = ChainWith(fixed);
  const auto whole = ChainWith({});
  ASSERT_EQ(merged->nv(), 2);
  Random random(5);
  Robot small(merged), large(whole);
  for (int k = 0; k < 20; ++k) {
    const VectorXd q = random.Vector(2, -3, 3), v = random.Vector(2, -2, 2),
                   a = random.Vector(2, -2, 2), F = random.Vector(6, -5, 5);
    VectorXd Q = VectorXd::Zero(6), V = Q, A = Q;
    Q[0] = q[0], Q[2] = q[1], V[0] = v[0], V[2] = v[1], A[0] = a[0],
    A[2] = a[1];
    const VectorXd tau = small.InverseDynamics(q, v, a, F);
    const VectorXd Tau = large.InverseDynamics(Q, V, A, F);
    EXPECT_LT(RelativeError(tau, Eigen::Vector2d(Tau[0], Tau[2])), 1e-13);
    EXPECT_LT(RelativeError(small.FramePose(q), large.FramePose(Q)), 1e-14);
    const MatrixXd M = small.MassMatrix(q), Mw = large.MassMatrix(Q);
    Eigen::Matrix2d expected;
    expected << Mw(0, 0), Mw(0, 2), Mw(2, 0), Mw(2, 2);
    EXPECT_LT(RelativeError(M, expected), 1e-13);
    // Twin: a locked joint elsewhere is another robot.
    Q[1] = 0.1;
    EXPECT_GT((small.FramePose(q) - large.FramePose(Q)).norm(), 1e-3);
  }
}

TEST(DynamicsLaws, ArmatureAddsToTheDiagonalEverywhere) {
  const auto plain = ChainWith({}), geared = ChainWith({}, 0.25);
  Random random(6);
  const VectorXd q = random.Vector(6, -3, 3), v = random.Vector(6, -2, 2),
                 a = random.Vector(6, -2, 2), tau = random.Vector(6, -9, 9);
  Robot p(plain), g(geared);
  const MatrixXd M = p.MassMatrix(q) + 0.25 * MatrixXd::Identity(6, 6);
  EXPECT_LT(RelativeError(g.MassMatrix(q), M), 1e-15);
  const VectorXd with_armature = p.InverseDynamics(q, v, a) + 0.25 * a;
  EXPECT_LT(RelativeError(g.InverseDynamics(q, v, a), with_armature), 1e-15);
  const VectorXd expected = M.llt().solve(tau - p.BiasForces(q, v));
  EXPECT_LT(RelativeError(g.ForwardDynamics(q, v, tau), expected), 1e-12);
  EXPECT_EQ(g.BiasForces(q, v), p.BiasForces(q, v));
}

}  // namespace
}  // namespace torqued::testing_support
