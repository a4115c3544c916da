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
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/batch/robot.h"
#include "core/formats/screw_axes.h"
#include "tests/oracles/golden_data.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kJoints = 3;

Eigen::Matrix4d Placement(const Vector3d& position) {
  Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
  T.topRightCorner<3, 1>() = position;
  return T;
}

ScrewAxes Description() {
  ScrewAxes arm;
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

/// The arm, and the factors between our joint variables and the library's:
/// ours are angles, the library's turn by |ω| of the screw.
struct Arm {
  std::shared_ptr<const Model> model;
  VectorXd scale;  // q_ours = scale q_library, τ_library = scale τ_ours
};

Arm BuildArm() {
  const ScrewAxes description = Description();
  Arm arm;
  arm.scale.resize(kJoints);
  for (int i = 0; i < kJoints; ++i) {
    arm.scale[i] = description.screws[i].head<3>().norm();
  }
  const LoadResult result = LoadScrewAxes(description);
  for (const Finding& finding : result.report.findings()) {
    if (finding.severity == Severity::kError) ADD_FAILURE() << finding.message;
  }
  arm.model = result.model;
  return arm;
}

/// Speaks in the library's joint variables.
class Library {
 public:
  explicit Library(const Vector3d& gravity,
                   ReferenceFrame frame = ReferenceFrame::kLocal)
      : arm_(BuildArm()), robot_(arm_.model, MakeOptions(gravity, frame)) {}

  VectorXd InverseDynamics(const VectorXd& q, const VectorXd& v,
                           const VectorXd& a, const VectorXd& tip_wrench) {
    return Scaled(
        robot_.InverseDynamics(Scaled(q), Scaled(v), Scaled(a), tip_wrench));
  }
  VectorXd ForwardDynamics(const VectorXd& q, const VectorXd& v,
                           const VectorXd& tau, const VectorXd& tip_wrench) {
    const VectorXd a = robot_.ForwardDynamics(
        Scaled(q), Scaled(v), tau.cwiseQuotient(arm_.scale), tip_wrench);
    return a.cwiseQuotient(arm_.scale);
  }
  VectorXd Bias(const VectorXd& q, const VectorXd& v) {
    return Scaled(robot_.BiasForces(Scaled(q), Scaled(v)));
  }
  MatrixXd MassMatrix(const VectorXd& q) {
    const auto scale = arm_.scale.asDiagonal();
    return scale * robot_.MassMatrix(Scaled(q)) * scale;
  }
  MatrixXd Jacobian(const VectorXd& q) {
    return robot_.Jacobian(Scaled(q)) * arm_.scale.asDiagonal();
  }
  Eigen::Matrix4d FramePose(const VectorXd& q) {
    return robot_.FramePose(Scaled(q));
  }

 private:
  static Robot::Options MakeOptions(const Vector3d& gravity,
                                    ReferenceFrame frame) {
    Robot::Options options;
    options.terms.gravity = {gravity[0], gravity[1], gravity[2]};
    options.reference_frame = frame;
    return options;
  }

  VectorXd Scaled(const VectorXd& values) const {
    return values.cwiseProduct(arm_.scale);
  }

  Arm arm_;
  Robot robot_;
};

const Vector3d kGravity(0, 0, -9.8);
const Vector3d kNoGravity(0, 0, 0);
const Vector3d kQ(0.1, 0.1, 0.1);
const Vector3d kV(0.1, 0.2, 0.3);
const Vector3d kA(2, 1.5, 1);
const Vector3d kTau(0.5, 0.6, 0.7);
const Vector3d kZero(0, 0, 0);
const Vector6d kWrench = Vector6d::Ones();

/// Half a unit of the eighth decimal, which is the last that is printed.
constexpr double kPrinted = 0.5e-8;

double Distance(const MatrixXd& ours, const MatrixXd& printed) {
  return (ours - printed).cwiseAbs().maxCoeff();
}

TEST(ModernRobotics3RTest, InverseDynamicsIsThePrintedOne) {
  const Vector3d printed(74.69616155, -33.06766016, -3.23057314);
  Library library(kGravity);
  EXPECT_LE(Distance(library.InverseDynamics(kQ, kV, kA, kWrench), printed),
            kPrinted);
  EXPECT_GE(Distance(library.InverseDynamics(kQ, kV, kA, -kWrench), printed),
            1);
}

TEST(ModernRobotics3RTest, MassMatrixIsThePrintedOne) {
  Eigen::Matrix3d printed;
  printed << 22.5433380, -0.307146754, -0.00718426391,  //
      -0.307146754, 1.96850717, 0.432157368,            //
      -0.00718426391, 0.432157368, 0.191630858;
  // Nine digits of numbers of very different size.
  const Eigen::Matrix3d M = Library(kGravity).MassMatrix(kQ);
  EXPECT_LE(((M - printed).array() / printed.array()).abs().maxCoeff(), 3e-9);
}

TEST(ModernRobotics3RTest, VelocityAndGravityTorquesAreThePrintedOnes) {
  EXPECT_LE(Distance(Library(kNoGravity).Bias(kQ, kV),
                     Vector3d(0.26453118, -0.05505157, -0.00689132)),
            kPrinted);
  EXPECT_LE(Distance(Library(kGravity).Bias(kQ, kZero),
                     Vector3d(28.40331262, -37.64094817, -5.4415892)),
            kPrinted);
}

TEST(ModernRobotics3RTest, TorquesOfATipWrenchAreThePrintedOnes) {
  const Vector3d printed(1.40954608, 1.85771497, 1.392409);
  const auto torques = [](ReferenceFrame frame) {
    return Library(kNoGravity, frame)
        .InverseDynamics(kQ, kZero, kZero, kWrench);
  };
  EXPECT_LE(Distance(torques(ReferenceFrame::kLocal), printed), kPrinted);
  EXPECT_GE(Distance(torques(ReferenceFrame::kLocalWorldAligned), printed),
            0.1);
}

TEST(ModernRobotics3RTest, ForwardDynamicsIsThePrintedOne) {
  const Vector3d printed(-0.97392907, 25.58466784, -32.91499212);
  Library library(kGravity);
  EXPECT_LE(Distance(library.ForwardDynamics(kQ, kV, kTau, kWrench), printed),
            kPrinted);
  EXPECT_GE(Distance(library.ForwardDynamics(kQ, kV, kTau, -kWrench), printed),
            1);
}

TEST(ModernRobotics3RTest, EqualsTheLibraryAtRandomStates) {
  if (!HasSharedData()) GTEST_SKIP() << kNoSharedData;
  LargestErrors errors;
  const auto data = ReadSharedJson("golden/modern_robotics.json");
  int index = 0;
  for (const auto& state : data.at("random")) {
    const std::string where = "state " + std::to_string(index++);
    const auto vector = [&](const char* field) {
      return ToVector(state.at(field));
    };
    const auto matrix = [&](const char* field) {
      return ToMatrix(state.at(field));
    };
    const VectorXd q = vector("thetalist");
    const VectorXd v = vector("dthetalist");
    const VectorXd a = vector("ddthetalist");
    const VectorXd tau = vector("taulist");
    const VectorXd wrench = vector("Ftip");
    const MatrixXd M = matrix("MassMatrix");
    Library library(vector("g"), ReferenceFrame::kLocal);
    Library weightless(kNoGravity);
    errors.Add("inverse dynamics",
               RelativeError(library.InverseDynamics(q, v, a, wrench),
                             vector("InverseDynamics")),
               where);
    errors.Add("inverse dynamics with the wrench of the other sign",
               RelativeError(library.InverseDynamics(q, v, a, -wrench),
                             vector("InverseDynamics")),
               where);
    errors.Add("mass matrix", RelativeError(library.MassMatrix(q), M), where);
    errors.Add(
        "velocity torques",
        RelativeError(weightless.Bias(q, v), vector("VelQuadraticForces")),
        where);
    errors.Add("gravity torques",
               RelativeError(library.Bias(q, kZero), vector("GravityForces")),
               where);
    errors.Add(
        "tip wrench torques",
        RelativeError(weightless.InverseDynamics(q, kZero, kZero, wrench),
                      vector("EndEffectorForces")),
        where);
    errors.Add("forward dynamics / cond M",
               RelativeError(library.ForwardDynamics(q, v, tau, wrench),
                             vector("ForwardDynamics")) /
                   ConditionNumber(M),
               where);
    errors.Add(
        "space Jacobian",
        RelativeError(Library(kNoGravity, ReferenceFrame::kWorld).Jacobian(q),
                      matrix("JacobianSpace")),
        where);
    errors.Add("space Jacobian in the tip frame",
               RelativeError(library.Jacobian(q), matrix("JacobianSpace")),
               where);
    errors.Add("pose", RelativeError(library.FramePose(q), matrix("FKinSpace")),
               where);
  }
  // Torques may cancel in the sum.
  errors.ExpectBelow("inverse dynamics", 8e-14);
  errors.ExpectBelow("mass matrix", 4e-15);
  errors.ExpectBelow("velocity torques", 1e-14);
  errors.ExpectBelow("gravity torques", 1e-14);
  errors.ExpectBelow("tip wrench torques", 1e-14);
  errors.ExpectBelow("space Jacobian", 1e-14);
  errors.ExpectBelow("pose", 8e-15);
  errors.ExpectBelow("forward dynamics / cond M", 2e-16);
  errors.ExpectAbove("inverse dynamics with the wrench of the other sign",
                     1e-3);
  errors.ExpectAbove("space Jacobian in the tip frame", 1e-2);
}

}  // namespace
}  // namespace torqued::testing_support
