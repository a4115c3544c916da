// A payload is a link on a fixed joint.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 11;

LinkInertial SomeInertial() {
  LinkInertial inertial;
  inertial.mass = 2.5;
  inertial.origin.p = {0.1, -0.2, 0.3};
  inertial.inertia = {0.03, 0.001, -0.002, 0.04, 0.003, 0.05};
  return inertial;
}

/// The same as a link on `frame`.
std::string WithLink(const std::string& urdf, const std::string& frame) {
  const std::string link =
      "<link name=\"load\"><inertial><origin xyz=\"0.1 -0.2 0.3\"/>"
      "<mass value=\"2.5\"/><inertia ixx=\"0.03\" ixy=\"0.001\" ixz=\"-0.002\" "
      "iyy=\"0.04\" iyz=\"0.003\" izz=\"0.05\"/></inertial></link>"
      "<joint name=\"grip\" type=\"fixed\"><parent link=\"" +
      frame + "\"/><child link=\"load\"/></joint>";
  std::string loaded = urdf;
  return loaded.insert(loaded.rfind("</robot>"), link);
}

struct Pair {
  BatchCase with_payload, with_link;
};

Pair Pairs(std::uint64_t seed) {
  RandomRobotOptions options;
  options.dof = 2 + static_cast<int>(seed) % 8;
  options.shape = seed % 2 == 0 ? RandomRobotOptions::Shape::kTree
                                : RandomRobotOptions::Shape::kChain;
  const RandomRobot robot = MakeRandomRobot(seed, options);
  Pair pair;
  pair.with_payload = MakeCase(LoadModel(robot.urdf, robot.tip), kRows, seed);
  pair.with_link = pair.with_payload;
  pair.with_link.model = LoadModel(WithLink(robot.urdf, robot.tip), robot.tip);
  pair.with_payload.options.payload = {.frame = robot.tip,
                                       .inertial = SomeInertial()};
  return pair;
}

TEST(Payload, IsALinkOnAFixedJoint) {
  LargestErrors errors;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const Pair pair = Pairs(seed);
    const BatchResult payload = Evaluate(pair.with_payload, BestTarget());
    const BatchResult link = Evaluate(pair.with_link, BestTarget());
    BatchCase bare = pair.with_payload;
    bare.options.payload.reset();
    const BatchResult nothing = Evaluate(bare, BestTarget());
    for (const Output output :
         {Output::kTau, Output::kMassMatrix, Output::kGravity,
          Output::kCoriolisMatrix, Output::kKineticEnergy,
          Output::kCenterOfMass, Output::kJointWrenches, Output::kBaseWrench,
          Output::kTauByQ, Output::kRegressor}) {
      const std::string name(ToString(output));
      for (std::int64_t row = 0; row < kRows; ++row) {
        const auto of = [&](const BatchResult& result) {
          return RowOf(result, output, row, 1);
        };
        const std::string where = pair.with_link.name + " " + name;
        errors.Add("results", RelativeError(of(payload), of(link), 1), where);
        if (output != Output::kRegressor) {
          errors.Add(name, RelativeError(of(nothing), of(link)), where);
        }
      }
    }
  }
  errors.ExpectBelow("results", 1e-13);
  // Twins: without it.
  errors.ExpectAbove("tau", 1e-3);
  errors.ExpectAbove("mass_matrix", 1e-3);
}

TEST(Payload, OnTheBaseChangesNothing) {
  Pair pair = Pairs(3);
  BatchCase bare = pair.with_payload;
  bare.options.payload.reset();
  pair.with_payload.options.payload->frame =
      pair.with_payload.model->frames()[0].name;
  const BatchResult loaded = Evaluate(pair.with_payload, BestTarget());
  const BatchResult expected = Evaluate(bare, BestTarget());
  for (std::int64_t row = 0; row < kRows; ++row) {
    EXPECT_TRUE(SameRow(loaded, row, expected, row));
  }
}

class PayloadRefusal : public ::testing::Test {
 protected:
  void ExpectRefused(const PayloadOptions& payload, const std::string& field) {
    EvaluationOptions options;
    options.quantities = {Quantity::kMassMatrix};
    options.payload = payload;
    const auto created = EvaluationPlan::Create(batch_.model, options);
    const auto* error = std::get_if<ArgumentError>(&created);
    ASSERT_NE(error, nullptr) << "accepted";
    EXPECT_EQ(error->field, field) << error->message;
    EXPECT_FALSE(error->message.empty());
  }

  BatchCase batch_ = MakeRandomCase(6, false, 1);
  PayloadOptions payload_{.frame = {}, .inertial = SomeInertial()};
};

TEST_F(PayloadRefusal, OfANegativeMass) {
  payload_.inertial.mass = -1;
  ExpectRefused(payload_, "options.payload");
}

TEST_F(PayloadRefusal, OfNumbersThatAreNotFinite) {
  payload_.inertial.mass = std::numeric_limits<double>::quiet_NaN();
  ExpectRefused(payload_, "options.payload");
}

TEST_F(PayloadRefusal, OfAnImpossibleInertia) {
  payload_.inertial.inertia = {1, 0, 0, 1, 0, 5};
  ExpectRefused(payload_, "options.payload");
  payload_.inertial.inertia = {1, 3, 0, 1, 0, 1};
  ExpectRefused(payload_, "options.payload");
}

TEST_F(PayloadRefusal, OfAFrameThatIsNotThere) {
  payload_.frame = "nowhere";
  ExpectRefused(payload_, "options.payload.frame");
}

}  // namespace
}  // namespace torqued::testing_support
