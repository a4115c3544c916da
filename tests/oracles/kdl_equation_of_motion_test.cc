// The matrices and forces of the equation of motion, and forward dynamics,
// against Orocos KDL. Largest errors seen: 2.4e-14 for Coriolis forces, 1.2e-14
// for gravity, 8e-15 for torques by the regressor.
#include <gtest/gtest.h>

#include <string>

#include "tests/oracles/kdl_comparison.h"
#include "tests/oracles/quantities.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(KdlTest, MassMatrixEqualsKdlOnChains) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    Robot ours = MakeRobot(robot);
    const KdlChain theirs = MakeChain(robot);
    errors.Add("mass matrix", ours.MassMatrix(s.q), theirs.MassMatrix(s.q),
               where);
    const VectorXd other = s.q.array() + 0.1;
    errors.Add("at another state", ours.MassMatrix(other),
               theirs.MassMatrix(s.q), where);
  });
  errors.ExpectBelow("mass matrix", 3e-14);
  errors.ExpectAbove("at another state", 1e-6);
}

// KDL has no mass matrix of trees; its columns are inverse dynamics without
// gravity and motion.
TEST(KdlTest, MassMatrixHasTheColumnsOfKdlOnRandomTrees) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const KdlTree theirs(robot.urdf, JointNames(*robot.model), {0, 0, 0});
    const int n = robot.model->nv();
    MatrixXd M(n, n);
    for (int j = 0; j < n; ++j) {
      M.col(j) =
          theirs.InverseDynamics(s.q, VectorXd::Zero(n), VectorXd::Unit(n, j));
    }
    errors.Add("mass matrix", MakeRobot(robot).MassMatrix(s.q), M, where);
  });
  errors.ExpectBelow("mass matrix", 3e-14);
}

TEST(KdlTest, BiasIsKdlsGravityAndCoriolisTorque) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd gravity = theirs.GravityTorque(s.q);
    const VectorXd coriolis = theirs.CoriolisTorque(s.q, s.v);
    const VectorXd zero = VectorXd::Zero(robot.model->nv());
    Robot ours = MakeRobot(robot);
    Robot weightless = MakeRobot(robot, ReferenceFrame::kLocal, {0, 0, 0});
    errors.Add("gravity torque", ours.BiasForces(s.q, zero), gravity, where);
    errors.Add("Coriolis torque", weightless.BiasForces(s.q, s.v), coriolis,
               where);
    errors.Add("bias", ours.BiasForces(s.q, s.v), gravity + coriolis, where);
    // Quadratic in v: a reversed motion has the same.
    errors.Add("Coriolis torque of a reversed motion",
               weightless.BiasForces(s.q, -s.v), coriolis, where);
    errors.Add("Coriolis torque of half the rate",
               weightless.BiasForces(s.q, 0.5 * s.v), coriolis, where);
  });
  errors.ExpectBelow("gravity torque", 1e-13);
  errors.ExpectBelow("Coriolis torque", 2e-13);
  errors.ExpectBelow("bias", 1e-13);
  errors.ExpectBelow("Coriolis torque of a reversed motion", 2e-13);
  errors.ExpectAbove("Coriolis torque of half the rate", 0.7);
}

TEST(KdlTest, GravityAndCoriolisForcesEqualKdl) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd gravity = theirs.GravityTorque(s.q);
    const VectorXd coriolis = theirs.CoriolisTorque(s.q, s.v);
    const Quantities ours(robot, s, ReferenceFrame::kLocal);
    const Eigen::Index n = s.v.size();
    const MatrixXd C = ours.Matrix(Output::kCoriolisMatrix, n);
    errors.Add("gravity", ours[Output::kGravity], gravity, where);
    errors.Add("c", ours[Output::kCoriolis], coriolis, where);
    errors.Add("C v", C * s.v, coriolis, where);
    errors.Add("C^T v", C.transpose() * s.v, coriolis, where);
    errors.Add("M M^-1 / cond M",
               RelativeError(ours.Matrix(Output::kMassMatrixInverse, n) *
                                 theirs.MassMatrix(s.q),
                             MatrixXd::Identity(n, n)) /
                   ConditionNumber(theirs.MassMatrix(s.q)),
               where);
  });
  errors.ExpectBelow("gravity", 6e-14);
  errors.ExpectBelow("c", 1.2e-13);
  errors.ExpectBelow("C v", 1.2e-13);
  errors.ExpectBelow("M M^-1 / cond M", 2e-15);
  errors.ExpectAbove("C^T v", 1e-3);
}

TEST(KdlTest, ForwardDynamicsEqualsKdlOnChains) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd a = theirs.ForwardDynamics(s.q, s.v, s.tau);
    const VectorXd pushed = theirs.ForwardDynamics(s.q, s.v, s.tau, s.wrench);
    const double condition = ConditionNumber(theirs.MassMatrix(s.q));
    Robot ours = MakeRobot(robot);
    const double error =
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau), a);
    errors.Add("forward dynamics", error, where);
    errors.Add("forward dynamics / cond M", error / condition, where);
    errors.Add(
        "forward dynamics with a wrench / cond M",
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau, s.wrench), pushed) /
            condition,
        where);
    errors.Add("with the wrench on the robot",
               ours.ForwardDynamics(s.q, s.v, s.tau, -s.wrench), pushed, where);
    errors.Add("with the torques of the other sign",
               ours.ForwardDynamics(s.q, s.v, -s.tau), a, where);
  });
  errors.ExpectBelow("forward dynamics", 1e-13);
  errors.ExpectBelow("forward dynamics / cond M", 2e-15);
  errors.ExpectBelow("forward dynamics with a wrench / cond M", 2e-15);
  errors.ExpectAbove("with the wrench on the robot", 1e-3);
  errors.ExpectAbove("with the torques of the other sign", 1e-3);
}

// With KDL's own inertias of links, summed by KDL over what is fixed to them.
TEST(KdlTest, RegressorTimesKdlsInertiasIsKdlsInverseDynamics) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd tau = theirs.InverseDynamics(s.q, s.v, s.a);
    const VectorXd parameters = theirs.InertialParameters();
    const MatrixXd Y = Quantities(robot, s, ReferenceFrame::kLocal)
                           .Matrix(Output::kRegressor, s.v.size());
    errors.Add("Y p", Y * parameters, tau, where);
    VectorXd mirrored = parameters;
    for (Eigen::Index at = 0; at < mirrored.size(); at += 10) {
      mirrored.segment<3>(at + 1) *= -1;  // first moments
    }
    errors.Add("with mirrored centres of mass", Y * mirrored, tau, where);
  });
  errors.ExpectBelow("Y p", 4e-14);
  errors.ExpectAbove("with mirrored centres of mass", 1e-3);
}

}  // namespace
}  // namespace torqued::testing_support
