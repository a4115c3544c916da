// The arm with three joints in the documentation of the public Modern Robotics
// library (Lynch & Park, github.com/NxRLab/ModernRobotics, functions
// InverseDynamics, MassMatrix, ...), whose printed results are repeated here.
//
// The library states an arm by home poses M of link frames at the centres of
// mass, spatial inertias G in them, and screws S in base coordinates. What is
// odd in the example stays, for the printed numbers depend on it: S_1 turns
// about (1, 0, 1), which is no unit vector, and S_2, S_3 pass 0.089 m above the
// base where the link frames pass at 0.089159 m, so that no axis goes through
// the origin of its link frame.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/engine/robot.h"
#include "tests/oracles/golden_data.h"
#include "tests/support/compare.h"
#include "tests/support/screw_arm.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using enum ReferenceFrame;

Eigen::Matrix4d Placement(const Vector3d& position) {
  Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
  T.topRightCorner<3, 1>() = position;
  return T;
}

ScrewArm Description() {
  ScrewArm arm;
  arm.name = "modern_robotics_3r";
  arm.home = {Placement({0, 0, 0.089159}), Placement({0.28, 0.13585, 0}),
              Placement({0, -0.1197, 0.395}), Placement({0, 0, 0.14225})};
  arm.home[1].topLeftCorner<3, 3>() << 0, 0, 1,  //
      0, 1, 0,                                   //
      -1, 0, 0;
  arm.screws = {Vector6d{{1, 0, 1, 0, 1, 0}}, Vector6d{{0, 1, 0, -0.089, 0, 0}},
                Vector6d{{0, 1, 0, -0.089, 0, 0.425}}};
  const auto body = [](double mass, const Vector3d& moments) {
    return SpatialInertiaMatrix(mass, Vector3d::Zero(), moments.asDiagonal());
  };
  arm.inertias = {body(3.7, {0.010267, 0.010267, 0.00666}),
                  body(8.393, {0.22689, 0.22689, 0.0151074}),
                  body(2.275, {0.0494433, 0.0494433, 0.004095})};
  return arm;
}

/// What we say, under the names of the library's functions and in its joint
/// variables: ours are angles, the library's turn by |ω| of the screw.
std::map<std::string, MatrixXd> Ours(const nlohmann::json& state,
                                     double sign = 1,
                                     ReferenceFrame frame = kLocal) {
  static const ScrewArm arm = Description();
  static const LoadResult loaded = LoadScrewArm(arm);
  Vector3d scale;  // q_ours = scale q_library, τ_library = scale τ_ours
  for (int i = 0; i < 3; ++i) scale[i] = arm.screws[i].head<3>().norm();
  const auto S = scale.asDiagonal();
  const auto given = [&](const char* field) -> VectorXd {
    return ToMatrix(state.at(field));
  };
  const VectorXd q = S * given("thetalist"), v = S * given("dthetalist"),
                 a = S * given("ddthetalist"), zero = VectorXd::Zero(3),
                 tau = S.inverse() * given("taulist"), F = sign * given("Ftip"),
                 g = given("g");
  Robot::Options options;
  options.reference_frame = frame;
  options.terms.gravity = {0, 0, 0};
  Robot weightless(loaded.model, options);
  options.terms.gravity = {g[0], g[1], g[2]};
  Robot robot(loaded.model, options);
  options.reference_frame = kWorld;
  Robot in_base(loaded.model, options);
  return {
      {"InverseDynamics", S * robot.InverseDynamics(q, v, a, F)},
      {"MassMatrix", S * robot.MassMatrix(q) * S},
      {"VelQuadraticForces", S * weightless.BiasForces(q, v)},
      {"GravityForces", S * robot.BiasForces(q, zero)},
      {"EndEffectorForces", S * weightless.InverseDynamics(q, zero, zero, F)},
      {"ForwardDynamics", S.inverse() * robot.ForwardDynamics(q, v, tau, F)},
      {"JacobianSpace", in_base.Jacobian(q) * S},
      {"FKinSpace", robot.FramePose(q)}};
}

TEST(ModernRobotics3RTest, EqualsThePrintedExample) {
  const nlohmann::json printed = {
      {"thetalist", {0.1, 0.1, 0.1}},
      {"dthetalist", {0.1, 0.2, 0.3}},
      {"ddthetalist", {2, 1.5, 1}},
      {"taulist", {0.5, 0.6, 0.7}},
      {"g", {0, 0, -9.8}},
      {"Ftip", {1, 1, 1, 1, 1, 1}},
      {"InverseDynamics", {74.69616155, -33.06766016, -3.23057314}},
      {"VelQuadraticForces", {0.26453118, -0.05505157, -0.00689132}},
      {"GravityForces", {28.40331262, -37.64094817, -5.4415892}},
      {"EndEffectorForces", {1.40954608, 1.85771497, 1.392409}},
      {"ForwardDynamics", {-0.97392907, 25.58466784, -32.91499212}},
      {"MassMatrix",
       {{22.5433380, -0.307146754, -0.00718426391},
        {-0.307146754, 1.96850717, 0.432157368},
        {-0.00718426391, 0.432157368, 0.191630858}}}};
  const auto distance = [&](auto& ours, const char* what) {
    const MatrixXd theirs = ToMatrix(printed.at(what));
    return (ours.at(what) - theirs).cwiseAbs().eval();
  };
  const auto ours = Ours(printed), reversed = Ours(printed, -1);
  for (const char* what :
       {"InverseDynamics", "VelQuadraticForces", "GravityForces",
        "EndEffectorForces", "ForwardDynamics"}) {
    // Half a unit of the eighth decimal, which is the last that is printed.
    EXPECT_LE(distance(ours, what).maxCoeff(), 0.5e-8) << what;
  }
  // Nine digits of numbers of very different size.
  const MatrixXd M = ToMatrix(printed.at("MassMatrix")).cwiseAbs();
  EXPECT_LE(distance(ours, "MassMatrix").cwiseQuotient(M).maxCoeff(), 3e-9);
  for (const char* what : {"InverseDynamics", "ForwardDynamics"}) {
    EXPECT_GE(distance(reversed, what).maxCoeff(), 1) << what;
  }
  const auto aligned = Ours(printed, 1, kLocalWorldAligned);
  EXPECT_GE(distance(aligned, "EndEffectorForces").maxCoeff(), 0.1);
}

TEST(ModernRobotics3RTest, EqualsTheLibraryAtRandomStates) {
  if (!HasSharedData()) GTEST_SKIP() << kNoSharedData;
  // Torques may cancel in the sum of inverse dynamics. Accelerations are per
  // condition number of M.
  const std::map<std::string, double> bounds = {
      {"InverseDynamics", 8e-14},    {"MassMatrix", 4e-15},
      {"VelQuadraticForces", 1e-14}, {"GravityForces", 1e-14},
      {"EndEffectorForces", 1e-14},  {"ForwardDynamics", 2e-16},
      {"JacobianSpace", 1e-14},      {"FKinSpace", 8e-15}};
  LargestErrors errors;
  const auto data =
      nlohmann::json::parse(ReadShared("golden/modern_robotics.json"));
  int index = 0;
  for (const auto& state : data.at("random")) {
    const double condition = ConditionNumber(ToMatrix(state.at("MassMatrix")));
    const std::string where = "state " + std::to_string(index++);
    for (const auto& [what, ours] : Ours(state)) {
      const double error = RelativeError(ours, ToMatrix(state.at(what)));
      errors.Add(what, what == "ForwardDynamics" ? error / condition : error,
                 where);
    }
  }
  for (const auto& [what, bound] : bounds) errors.ExpectBelow(what, bound);
}

}  // namespace
}  // namespace torqued::testing_support
