// A payload is a link on a fixed joint.
#include <gtest/gtest.h>

#include <limits>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 11;

/// 2.5 kg off a frame, as a link on it.
std::string WithLink(std::string urdf, const std::string& frame) {
  const std::string link =
      R"(<link name="load"><inertial><origin xyz="0.1 -0.2 0.3"/>
      <mass value="2.5"/><inertia ixx="0.03" ixy="0.001" ixz="-0.002"
      iyy="0.04" iyz="0.003" izz="0.05"/></inertial></link>
      <joint name="grip" type="fixed"><child link="load"/><parent link=")";
  return urdf.insert(urdf.rfind("</robot>"), link + frame + "\"/></joint>");
}

TEST(Payload, IsALinkOnAFixedJoint) {
  PayloadOptions load;
  load.inertial.mass = 2.5;
  load.inertial.origin.p = {0.1, -0.2, 0.3};
  load.inertial.inertia = {0.03, 0.001, -0.002, 0.04, 0.003, 0.05};
  LargestErrors errors;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    RandomRobotOptions options;
    options.dof = 2 + static_cast<int>(seed) % 8;
    options.shape = seed % 2 == 0 ? RandomRobotOptions::Shape::kTree
                                  : RandomRobotOptions::Shape::kChain;
    const RandomRobot robot = MakeRandomRobot(seed, options);
    BatchCase batch = MakeCase(LoadModel(robot.urdf, robot.tip), kRows, seed);
    const BatchResult bare = Evaluate(batch, BestTarget());
    BatchCase with_link = batch;
    with_link.model = LoadModel(WithLink(robot.urdf, robot.tip), robot.tip);
    const BatchResult link = Evaluate(with_link, BestTarget());
    load.frame = robot.tip;
    batch.options.payload = load;
    const BatchResult payload = Evaluate(batch, BestTarget());
    for (const Output output :
         {Output::kTau, Output::kMassMatrix, Output::kGravity,
          Output::kCoriolisMatrix, Output::kKineticEnergy,
          Output::kCenterOfMass, Output::kJointWrenches, Output::kBaseWrench,
          Output::kTauByQ, Output::kRegressor}) {
      const std::string name(ToString(output));
      for (std::int64_t row = 0; row < kRows; ++row) {
        const auto expected = RowOf(link, output, row);
        errors.Add("results",
                   RelativeError(RowOf(payload, output, row), expected, 1),
                   batch.name + " " + name);
        errors.Add(name + " without it", RowOf(bare, output, row), expected,
                   batch.name);
      }
    }
    // On the base it changes nothing.
    batch.options.payload->frame = batch.model->frames()[0].name;
    ExpectSameRows(Evaluate(batch, BestTarget()), bare, batch.name);
  }
  errors.ExpectBelow("results", 1e-13);
  errors.ExpectAbove("tau without it", 1e-3);
  errors.ExpectAbove("mass_matrix without it", 1e-3);
}

TEST(Payload, IsRefusedIfNoBodyIsLikeThat) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  LinkInertial negative, unknown, long_axis, skew;
  negative.mass = -1;
  unknown.mass = nan;
  long_axis.mass = skew.mass = 1;
  long_axis.inertia = {1, 0, 0, 1, 0, 5};
  skew.inertia = {1, 3, 0, 1, 0, 1};
  BatchCase batch = MakeRandomCase(6, false, 1);
  for (const LinkInertial& is : {negative, unknown, long_axis, skew}) {
    batch.options.payload = {.frame = {}, .inertial = is};
    const auto created = EvaluationPlan::Create(batch.model, batch.options);
    const auto* error = std::get_if<ArgumentError>(&created);
    ASSERT_NE(error, nullptr) << "accepted";
    EXPECT_EQ(error->field, "options.payload") << error->message;
    EXPECT_FALSE(error->message.empty());
  }
}

}  // namespace
}  // namespace torqued::testing_support
