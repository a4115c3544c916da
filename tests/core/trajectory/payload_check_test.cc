// Payload ranges of whole robots, where rounding would decide.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/text.h"
#include "core/engine/robot.h"
#include "core/trajectory/check_options.h"
#include "core/tree/tree.h"
#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A point mass that turns about an axis through the base, beside a tool.
std::shared_ptr<const Model> Turntable(const std::string& axis,
                                       const char* effort, const char* mass,
                                       const char* place, const char* tool) {
  return LoadModel(Cat(
      "<robot name='turntable'><link name='base'/><link name='arm'><inertial>",
      "<origin xyz='", place, "'/><mass value='", mass,
      "'/><inertia ixx='1e-9'",
      " iyy='1e-9' izz='1e-9' ixy='0' ixz='0' iyz='0'/></inertial></link>",
      "<link name='tool'/><joint name='turn' type='continuous'>",
      "<parent link='base'/><child link='arm'/><axis xyz='", axis, "'/>",
      "<limit effort='", effort, "' velocity='1'/></joint>",
      "<joint name='fix' type='fixed'><parent link='arm'/><child link='tool'/>",
      "<origin xyz='", tool, "'/></joint></robot>"));
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
    const auto model = Turntable(
        Cat(NumberText(down.x()), " ", NumberText(down.y()), " ",
            NumberText(down.z())),
        "5", seed % 2 == 0 ? "200" : "1e-7", "0.7 0.2 0.3", "0.41 0.07 0.3");
    SampledMotion motion(1, 1);
    motion.q(0, 0) = random.Uniform(-3, 3);
    motion.wrench = SampleTable::Zero(1, 6);
    TrajectoryOptions options;
    options.evaluation.wrench_frame = ReferenceFrame::kLocalWorldAligned;
    options.evaluation.terms.gravity = {9.81 * down.x(), 9.81 * down.y(),
                                        9.81 * down.z()};
    for (const int way : {0, 1, 2, 3}) {
      options.evaluation.precision =
          way % 2 == 0 ? Precision::kDouble : Precision::kSingle;
      if (way > 1) options.evaluation.payload = PayloadOptions{{}, Load(20)};
      for (const double moment : {0, 4, -4, 6, -6}) {
        motion.wrench.leftCols(3) = moment * down.transpose();
        const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
        ASSERT_TRUE(verdict.payload_looked_at);
        EXPECT_EQ(verdict.payload.has_value(), verdict.passes)
            << seed << ", " << moment;
        EXPECT_EQ(verdict.passes, std::abs(moment) < 5);
        if (!verdict.payload) continue;
        EXPECT_TRUE(std::isinf(verdict.payload->most));
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
    const std::string& link = model->joints()[joint].child_link;
    const auto loaded = model->WithPayload(*model->FindFrame(link), Load(3));
    TrajectoryOptions options;
    options.evaluation.payload = PayloadOptions{link, Load(3)};
    const TorqueTerms terms(MakeCheckSetup(model, options));
    Robot without(model), with(loaded);
    for (int k = 0; k < 200; ++k) {
      const double speed = std::pow(10, random.Uniform(-1, 2));
      SampledMotion motion(1, n);
      motion.q = random.Vector(n, -3, 3).transpose();
      motion.v = random.Vector(n, -speed, speed).transpose();
      motion.a = random.Vector(n, -speed, speed).transpose();
      const Eigen::VectorXd q = motion.q.row(0), v = motion.v.row(0),
                            a = motion.a.row(0);
      const double one = without.InverseDynamics(q, v, a)[n - 1],
                   other = with.InverseDynamics(q, v, a)[n - 1];
      const TorqueTerms::Bounds bounds = terms.At(motion.View(), 0);
      const double size = std::max(std::abs(one), std::abs(other));
      worst = std::max(
          worst, std::abs(other - one) / (kEpsilon * (bounds.moment + size)));
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
  const auto model = Turntable("0 1 0", "9.81", "2", "1 0 0", "-1 0 0");
  const TrajectoryVerdict verdict = VerdictOn(model, SampledMotion(1, 1), {});
  EXPECT_FALSE(verdict.passes);
  ASSERT_TRUE(verdict.payload);
  EXPECT_NEAR(verdict.payload->least, 1, 1e-15);
  EXPECT_NEAR(verdict.payload->most, 3, 1e-15);
}

}  // namespace
}  // namespace torqued::testing_support
