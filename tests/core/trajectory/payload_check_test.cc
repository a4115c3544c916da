// Payload ranges of whole robots, where rounding would decide.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "core/batch/robot.h"
#include "core/model/variants.h"
#include "core/trajectory/torque_limit.h"
#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing_support::LoadModel;
using testing_support::MakeMotion;
using testing_support::MakeRandomRobot;
using testing_support::Random;
using testing_support::RandomRobotOptions;
using testing_support::SampledMotion;
using testing_support::ShippedModel;
using testing_support::VerdictOn;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// One joint about `axis`, which may give 5 N m, and a tool beside it.
std::shared_ptr<const Model> Turntable(const Eigen::Vector3d& axis,
                                       double mass) {
  std::ostringstream urdf;
  urdf.precision(17);
  urdf << R"(<robot name="turntable"><link name="base"/><link name="arm">
    <inertial><origin xyz="0.7 0.2 0.3"/><mass value=")"
       << mass << R"("/>
    <inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/>
    </inertial></link><link name="tool"/>
    <joint name="turn" type="continuous"><parent link="base"/>
    <child link="arm"/><axis xyz=")"
       << axis.x() << " " << axis.y() << " " << axis.z() << R"("/>
    <limit effort="5" velocity="1"/></joint>
    <joint name="fix" type="fixed"><parent link="arm"/><child link="tool"/>
    <origin xyz="0.41 0.07 0.3"/></joint></robot>)";
  return LoadModel(urdf.str());
}

LinkInertial Load(double mass) {
  LinkInertial load;
  load.mass = mass;
  return load;
}

TEST(PayloadCheck, AboutAVerticalAxisNoPayloadCounts) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const Eigen::Vector3d down = random.UnitVector();
    // Much heavier than a payload of a kilogram, or much lighter.
    const auto model = Turntable(down, seed % 2 == 0 ? 200 : 1e-7);
    SampledMotion motion;
    motion.time = {0};
    motion.q = SampleTable::Constant(1, 1, random.Uniform(-3, 3));
    motion.v = motion.a = SampleTable::Zero(1, 1);
    motion.wrench = SampleTable::Zero(1, 6);
    TrajectoryOptions options;
    options.evaluation.wrench_frame = ReferenceFrame::kLocalWorldAligned;
    options.evaluation.terms.gravity = {9.81 * down.x(), 9.81 * down.y(),
                                        9.81 * down.z()};
    for (const auto& [carries, precision] :
         {std::pair{false, Precision::kDouble},
          std::pair{false, Precision::kSingle},
          std::pair{true, Precision::kDouble},
          std::pair{true, Precision::kSingle}}) {
      options.evaluation.precision = precision;
      if (carries) options.evaluation.payload = PayloadOptions{{}, Load(20)};
      for (const double moment : {0, 4, -4, 6, -6}) {
        motion.wrench.leftCols(3) = moment * down.transpose();
        const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
        ASSERT_TRUE(verdict.payload_looked_at);
        EXPECT_EQ(verdict.payload.has_value(), verdict.passes)
            << seed << ", " << moment;
        EXPECT_EQ(verdict.passes, std::abs(moment) < 5);
        if (!verdict.payload) continue;
        EXPECT_EQ(verdict.payload->most,
                  std::numeric_limits<double>::infinity());
        EXPECT_EQ(verdict.payload->limited_by.row, -1);
      }
    }
  }
}

TEST(PayloadCheck, RoundingStaysWithinItsBound) {
  double worst = 0, worst_of_torque_alone = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const int n = 1 + static_cast<int>(seed % 7);
    const auto robot = MakeRandomRobot(
        seed, {.shape = RandomRobotOptions::Shape::kChain, .dof = n});
    const auto model = LoadModel(robot.urdf, robot.tip);
    Random random(seed);
    const auto joint = static_cast<std::size_t>(n - 1);
    // A point on the axis of the last joint, which cannot feel it.
    const TreeBody& last = model->tree().bodies[n - 1];
    if (last.motion != JointMotion::kRevolute) continue;
    const auto loaded = WithPayload(
        model, *model->FindFrame(model->joints()[joint].child_link), Load(3));
    EvaluationOptions options;
    options.quantities = {Quantity::kInverseDynamics};
    const TorqueTerms terms(
        std::get<EvaluationPlan>(EvaluationPlan::Create(loaded, options)), 0);
    Robot without(model), with(loaded);
    for (int k = 0; k < 200; ++k) {
      const double speed = std::pow(10, random.Uniform(-1, 2));
      const Eigen::VectorXd q = random.Vector(n, -3, 3),
                            v = random.Vector(n, -speed, speed),
                            a = random.Vector(n, -speed, speed);
      const double one = without.InverseDynamics(q, v, a)[n - 1],
                   other = with.InverseDynamics(q, v, a)[n - 1];
      std::vector<double> bounds(joint + 1);
      terms.Bound({{q.data(), q.data() + n},
                   {v.data(), v.data() + n},
                   {a.data(), a.data() + n},
                   {}},
                  bounds);
      const double size = std::max(std::abs(one), std::abs(other));
      worst = std::max(
          worst, std::abs(other - one) / (kEpsilon * (bounds[joint] + size)));
      worst_of_torque_alone = std::max(
          worst_of_torque_alone, std::abs(other - one) / (kEpsilon * size));
    }
    EXPECT_EQ(terms.precision(), kEpsilon);
  }
  EXPECT_LT(worst, 0.5);
  // The torques themselves are no measure of their rounding.
  EXPECT_GT(worst_of_torque_alone, 1000);
}

TEST(PayloadCheck, TheRangeDoesNotDependOnThePayloadItIsToldBy) {
  const auto model = ShippedModel("ur5e");
  const SampledMotion motion = MakeMotion(*model, 100, 3);
  TrajectoryOptions options;
  const auto most_by = [&](double mass, double inertia_per_kg) {
    LinkInertial load = Load(mass);
    load.origin.p = {0, 0.02, 0.05};
    const double i = mass * inertia_per_kg;
    load.inertia = {i, 0, 0, i, 0, i};
    options.evaluation.payload = PayloadOptions{{}, load};
    const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
    EXPECT_TRUE(verdict.payload_looked_at && verdict.payload) << mass;
    return verdict.payload ? verdict.payload->most : 0;
  };
  const double most = most_by(1, 0.01);
  EXPECT_GT(most, 0.5);
  EXPECT_LT(most, 50);
  for (const double mass : {1e3, 10.0, 0.999, 0.1, 1e-6, 1e-15, 1e-300}) {
    EXPECT_NEAR(most_by(mass, 0.01) / most, 1, 1e-12) << mass;
  }
  // Without a mass the shape is a point.
  EXPECT_NEAR(most_by(0, 0) / most_by(1, 0), 1, 1e-12);
  EXPECT_GT(std::abs(most_by(1, 0) / most - 1), 1e-4);
}

TEST(PayloadCheck, ARobotThatALoadBalancesNeedsSome) {
  // A seesaw: 2 kg at 1 m on one side, 1 m on the other the tool.
  const auto model = LoadModel(R"(<robot name="seesaw"><link name="base"/>
    <link name="beam"><inertial><origin xyz="1 0 0"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    </link><link name="tool"/>
    <joint name="tilt" type="revolute"><parent link="base"/>
    <child link="beam"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="9.81" velocity="1"/></joint>
    <joint name="fix" type="fixed"><parent link="beam"/><child link="tool"/>
    <origin xyz="-1 0 0"/></joint></robot>)");
  SampledMotion motion;
  motion.time = {0};
  motion.q = motion.v = motion.a = SampleTable::Zero(1, 1);
  const TrajectoryVerdict verdict = VerdictOn(model, motion, {});
  EXPECT_FALSE(verdict.passes);
  ASSERT_TRUE(verdict.payload);
  EXPECT_NEAR(verdict.payload->least, 1, 1e-15);
  EXPECT_NEAR(verdict.payload->most, 3, 1e-15);
}

}  // namespace
}  // namespace torqued
