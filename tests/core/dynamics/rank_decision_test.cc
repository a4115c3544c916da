// Tasks beside the whole Jacobian of their frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <sstream>

#include "core/batch/robot.h"
#include "core/dynamics/rank_decision.h"
#include "tests/core/dynamics/every_frame.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

// Axes of a task.
constexpr std::uint8_t kAngularY = 1, kAngularZ = 2, kLinearX = 3, kLinearZ = 5;

Robot::Options TaskOf(const std::string& tip,
                      std::initializer_list<std::uint8_t> axes,
                      ReferenceFrame reference = ReferenceFrame::kLocal) {
  Robot::Options options;
  options.tip_frame = tip;
  options.reference_frame = reference;
  options.task.axis_count = 0;
  for (const std::uint8_t axis : axes) {
    options.task.axes[static_cast<std::size_t>(options.task.axis_count++)] =
        axis;
  }
  return options;
}

/// Two joints about z, the second turned over by a `turn`, lengths in units of
/// so many metres; then a joint that slides along the arm. The first one stands
/// `base` of them from the base's origin.
std::shared_ptr<const Model> Arm(const std::string& turn, double unit = 1,
                                 double base = 0.05) {
  std::ostringstream urdf;
  urdf.precision(17);
  const auto inertial = [&] {
    const double I = 0.01 * unit * unit;
    urdf << R"(<inertial><origin xyz=")" << 0.1 * unit
         << R"( 0 0"/><mass value="1"/><inertia ixx=")" << I << R"(" iyy=")"
         << I << R"(" izz=")" << I
         << R"(" ixy="0" ixz="0" iyz="0"/></inertial>)";
  };
  const auto joint = [&](int index, const char* type, double x,
                         const std::string& rpy, const char* axis) {
    urdf << "<joint name=\"j" << index << "\" type=\"" << type
         << "\"><parent link=\"l" << index - 1 << "\"/><child link=\"l" << index
         << "\"/><origin xyz=\"" << x * unit << " 0 " << 0.3 * unit
         << "\" rpy=\"" << rpy << "\"/><axis xyz=\"" << axis
         << "\"/><limit lower=\"-9\" upper=\"9\" effort=\"9\" "
            "velocity=\"9\"/></joint>";
  };
  urdf << R"(<robot name="arm"><link name="l0"/>)";
  for (int index = 1; index <= 3; ++index) {
    urdf << "<link name=\"l" << index << "\">";
    inertial();
    urdf << "</link>";
  }
  joint(1, "revolute", base, "0 0 0", "0 0 1");
  joint(2, "revolute", 0.4, turn + " 0 0", "0 0 1");
  joint(3, "prismatic", 0.3, "0 0 0", "1 0 0");
  urdf << "</robot>";
  return LoadModel(urdf.str());
}

const std::string kHalfTurn = "3.1415926535897931";
const std::string kTypedHalfTurn = "3.1415926536";  // by 1e-11 too much

VectorXd At(double slide = 0) { return Eigen::Vector3d(0.3, -0.7, slide); }

const VectorXd kRest = VectorXd::Zero(3);

TEST(RankDecision, ATaskThatCannotMoveHasRankZeroAndNoInertia) {
  // The origin of the link cannot move along its z: what stands in that row is
  // round-off.
  const auto model = ShippedModel("panda");
  VectorXd q = VectorXd::Zero(model->nv()), v = VectorXd::Ones(model->nv());
  q.head(7) << 0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5;
  Robot::Options options = TaskOf("panda_link3", {kLinearZ});
  Robot robot(model, options);
  const auto result = robot.OperationalSpace(q, v);
  EXPECT_EQ(result.diagnostics.rank, 0);
  EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted);
  EXPECT_EQ(result.lambda(0, 0), 0);
  EXPECT_EQ(result.eta[0], 0);
  EXPECT_LT(result.diagnostics.sigma_min, 1e-15);
  EXPECT_THAT(robot.last_error(), HasSubstr("cannot move"));

  options.task.singularity = SingularityRule::kDamped;
  options.task.damping = 0.1;
  Robot damped(model, options);
  const auto bounded = damped.OperationalSpace(q, v);
  EXPECT_EQ(bounded.diagnostics.rank, 0);
  EXPECT_EQ(bounded.diagnostics.rule, TaskRule::kDamped);
  EXPECT_NEAR(bounded.lambda(0, 0), 100, 1e-12);
}

TEST(RankDecision, RowsThatAreZeroHaveRankZero) {
  // Of the base, and of a link of which no joint moves the origin.
  for (const char* link : {"l0", "l1"}) {
    Robot robot(Arm(kHalfTurn), TaskOf(link, {kLinearZ, kLinearX}));
    const auto result = robot.OperationalSpace(At(), kRest);
    EXPECT_EQ(result.diagnostics.sigma_min, 0) << link;
    EXPECT_EQ(result.diagnostics.rank, 0) << link;
    EXPECT_EQ(result.lambda, MatrixXd::Zero(2, 2)) << link;
    EXPECT_THAT(robot.last_error(), HasSubstr("cannot move"));
  }
}

TEST(RankDecision, ATypedAngleLeavesAWeakTaskWithItsNumbers) {
  // The axes of both joints enclose 1e-11: about y the second turns by that.
  const auto axes = {kAngularY};
  const auto reference = ReferenceFrame::kLocalWorldAligned;
  Robot robot(Arm(kTypedHalfTurn), TaskOf("l2", axes, reference));
  const auto result = robot.OperationalSpace(At(), kRest);
  EXPECT_EQ(result.diagnostics.rank, 1);
  EXPECT_EQ(result.diagnostics.rule, TaskRule::kFullRank);
  ASSERT_TRUE(result.diagnostics.weak);
  EXPECT_NEAR(result.diagnostics.share, 1.02e-11 / std::sqrt(2.5), 3e-12);
  EXPECT_THAT(robot.last_error(), HasSubstr("hardly moves"));
  const MatrixXd J = robot.Jacobian(At()).row(1);
  const MatrixXd W = J * robot.MassMatrix(At()).inverse() * J.transpose();
  EXPECT_NEAR(result.lambda(0, 0) * W(0, 0), 1, 1e-12);

  // With all its digits the same angle leaves nothing.
  Robot straight(Arm(kHalfTurn), TaskOf("l2", axes, reference));
  EXPECT_EQ(straight.OperationalSpace(At(), kRest).diagnostics.rank, 0);
}

TEST(RankDecision, AToleranceBelowTheShareLeavesNoRemark) {
  Robot::Options options =
      TaskOf("l2", {kAngularY}, ReferenceFrame::kLocalWorldAligned);
  Robot by_default(Arm(kTypedHalfTurn), options);
  const auto weak = by_default.OperationalSpace(At(), kRest);
  for (const double factor : {0.99, 1.01}) {
    options.task.rank_tolerance = factor * weak.diagnostics.share;
    Robot robot(Arm(kTypedHalfTurn), options);
    const auto result = robot.OperationalSpace(At(), kRest);
    EXPECT_EQ(result.diagnostics.weak, factor > 1);
    EXPECT_EQ(result.lambda, weak.lambda);
  }
}

TEST(RankDecision, TheUnitOfLengthDecidesNothing) {
  for (const std::string& turn : {kHalfTurn, kTypedHalfTurn}) {
    for (std::uint8_t axis = 0; axis < 6; ++axis) {
      for (const char* link : {"l1", "l2", "l3"}) {
        const Robot::Options options =
            TaskOf(link, {axis}, ReferenceFrame::kLocalWorldAligned);
        Robot metres(Arm(turn), options), microns(Arm(turn, 1e-6), options);
        const auto large = metres.OperationalSpace(At(0.1), kRest).diagnostics;
        const auto small =
            microns.OperationalSpace(At(0.1e-6), kRest).diagnostics;
        EXPECT_EQ(large.rank, small.rank) << link << " " << int{axis};
        EXPECT_EQ(large.rule, small.rule) << link << " " << int{axis};
        EXPECT_EQ(large.weak, small.weak) << link << " " << int{axis};
        EXPECT_NEAR(large.share / small.share, 1, 1e-4);
      }
    }
  }
}

TEST(RankDecision, TheBaseMayStandFarFromItsOrigin) {
  for (const double base : {1e3, 1e5, 1e7}) {
    for (const ReferenceFrame reference :
         {ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned}) {
      for (std::uint8_t axis = 0; axis < 6; ++axis) {
        for (const char* link : {"l1", "l2", "l3"}) {
          const Robot::Options options = TaskOf(link, {axis}, reference);
          Robot beside(Arm(kHalfTurn), options);
          Robot away(Arm(kHalfTurn, 1, base), options);
          const auto expected = beside.OperationalSpace(At(0.1), kRest);
          const auto found = away.OperationalSpace(At(0.1), kRest);
          const std::string name = std::string(link) + ", axis " +
                                   std::to_string(axis) + ", " +
                                   std::to_string(base) + " m";
          EXPECT_EQ(found.diagnostics.rank, expected.diagnostics.rank) << name;
          EXPECT_EQ(found.diagnostics.rule, expected.diagnostics.rule) << name;
          EXPECT_EQ(found.diagnostics.weak, expected.diagnostics.weak) << name;
        }
      }
    }
  }
}

TEST(RankDecision, ASlidingJointAloneMovesItsTask) {
  // At no reach at all, along the base's axes.
  const auto model = LoadModel(
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass "
      "value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
      "type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/><axis "
      "xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" "
      "velocity=\"1\"/></joint></robot>");
  for (const double at : {0.0, 1e-12, 0.5, 1e9}) {
    Robot robot(model, TaskOf("b", {kLinearX}));
    const auto result =
        robot.OperationalSpace(VectorXd::Constant(1, at), VectorXd::Zero(1));
    EXPECT_EQ(result.diagnostics.rank, 1) << at;
    EXPECT_EQ(robot.last_error(), "") << at;
    EXPECT_EQ(result.lambda(0, 0), 2) << at;
  }
}

TEST(RankDecision, AFrameWithoutReachTurns) {
  // On the one axis that there is, at the base's origin.
  const auto model = LoadModel(
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass "
      "value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"4\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
      "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis "
      "xyz=\"0 0 1\"/></joint></robot>");
  Robot robot(model, TaskOf("b", {kAngularZ, kLinearX}));
  const auto result =
      robot.OperationalSpace(VectorXd::Zero(1), VectorXd::Zero(1));
  EXPECT_EQ(result.diagnostics.rank, 1);
  EXPECT_NEAR(result.lambda(0, 0), 4, 1e-12);
  EXPECT_EQ(result.lambda(1, 1), 0);
}

TEST(RankDecision, RoundOffIsTakenOutWhateverTheLength) {
  // A length so small that it makes round-off of the linear row the largest
  // entry: the angular row is what moves.
  const auto model = ShippedModel("panda");
  VectorXd q = VectorXd::Zero(model->nv());
  q.head(7) << 0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5;
  const VectorXd v = VectorXd::Zero(model->nv());
  Robot alone(model, TaskOf("panda_link3", {kAngularZ}));
  const double expected = alone.OperationalSpace(q, v).lambda(0, 0);
  for (const double length : {1.0, 1e-12, 1e-18, 1e-26}) {
    Robot::Options options = TaskOf("panda_link3", {kAngularZ, kLinearZ});
    options.task.characteristic_length = length;
    Robot robot(model, options);
    const auto result = robot.OperationalSpace(q, v);
    EXPECT_EQ(result.diagnostics.rank, 1) << length;
    EXPECT_NEAR(result.lambda(0, 0), expected, 1e-12 * expected) << length;
    EXPECT_LT(std::abs(result.lambda(1, 1)), 1e-12 * expected) << length;
  }
}

TEST(RankDecision, TheRangeIsThatOfWhatMovesWhateverTheLength) {
  // What moves and round-off by different joints, which no rotation mixes.
  const auto model = Arm(kHalfTurn);
  const double J[6] = {1, 0,     0,   // about z
                       0, 1e-17, 0};  // along z
  TaskOptions options = TaskOf("l2", {kAngularZ, kLinearZ}).task;
  for (const double length : {1.0, 1e-12, 1e-18, 1e-26}) {
    options.characteristic_length = length;
    double work[6];
    const RankDecision decision = DecideRank(
        options, model->tree(), {1, 1.5, RoundOffOfJacobian(2)}, J, work);
    ASSERT_EQ(decision.rank, 1) << length;
    EXPECT_EQ(std::abs(decision.spectrum.U[0]), 1) << length;
    EXPECT_EQ(decision.spectrum.U[kMaxTaskAxes], 0) << length;
  }
}

TEST(RankDecision, AFullTaskStaysAsItWas) {
  // As strong as its frame: what reduces its rank is its own largest singular
  // value.
  Robot robot(ShippedModel("ur5e"));
  VectorXd q(6);
  q << 0.1, -1.2, 1.5, -0.4, 0.7, 0.3;
  const auto result = robot.OperationalSpace(q, VectorXd::Ones(6));
  EXPECT_EQ(result.diagnostics.rank, 6);
  EXPECT_FALSE(result.diagnostics.weak);
  EXPECT_EQ(robot.last_error(), "");
}

TEST(FrameScale, NormLiesBetweenTheRootsOfTheJoints) {
  for (const int dof : {1, 3, 6, 9}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      InEveryFrame(
          seed, {.shape = RandomRobotOptions::Shape::kChain, .dof = dof}, seed,
          [&](Robot& robot, const State& s, ReferenceFrame reference) {
            const Tree tree = robot.model().tree();
            const Frame& tip = robot.model().frames()[static_cast<std::size_t>(
                *robot.model().tip_frame())];
            const Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J =
                robot.Jacobian(s.q);
            const FrameScale scale = ScaleOfFrame(
                tree, tip.placement, reference, s.q.data(), J.data());
            const double k = dof;
            EXPECT_GE(scale.norm, std::sqrt(k) * (1 - 1e-14));
            EXPECT_LE(scale.norm, std::sqrt(2 * k) * (1 + 1e-14));
          });
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support
