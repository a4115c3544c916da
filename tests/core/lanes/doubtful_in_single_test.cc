// Which models are computed in double precision whatever is asked for.
#include "core/lanes/doubtful_in_single.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/variants.h"
#include "tests/core/dynamics/thin_robots.h"
#include "tests/core/lanes/batch_case.h"
#include "tests/core/model/descriptions.h"

namespace torqued::testing_support {
namespace {

/// Whether the kernels leave something of the first row of a batch to double.
bool LanesDoubt(BatchCase batch) {
  batch.options.precision = Precision::kSingle;
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrixInverse};
  batch.wrench.clear();
  return Evaluate(batch, BestTarget()).doubts.front() != 0;
}

struct Counts {
  int doubtful = 0, sure = 0, different = 0;
};

/// Of random thin robots of up to so many joints.
Counts Compare(std::uint64_t first_seed, int most_joints) {
  Counts counts;
  for (std::uint64_t seed = first_seed; seed < first_seed + 300; ++seed) {
    const ThinRobot robot = MakeThinRobot(seed, {.most_joints = most_joints});
    if (robot.model == nullptr) continue;
    BatchCase batch = MakeCase(robot.model, 1, seed);
    batch.q = robot.q;
    const bool doubtful = DoubtfulInSingle(robot.model->tree(), robot.q);
    ++(doubtful ? counts.doubtful : counts.sure);
    counts.different += LanesDoubt(batch) != doubtful ? 1 : 0;
  }
  return counts;
}

TEST(DoubtfulInSingle, IsWhatTheLanesLeaveToDouble) {
  // Next to a bound round-off decides.
  const Counts few = Compare(1, 12);
  EXPECT_GT(few.doubtful, 50);
  EXPECT_GT(few.sure, 50);
  EXPECT_LE(few.different, 6);
}

TEST(DoubtfulInSingle, IsWhatTheLanesLeaveToDoubleOfManyJoints) {
  const Counts many = Compare(1000, 40);
  EXPECT_GT(many.doubtful, 50);
  EXPECT_GT(many.sure, 20);
  EXPECT_LE(many.different, 6);
}

TEST(DoubtfulInSingle, IsNoStateOfTheShippedArms) {
  for (const char* const name : {"ur5e", "panda", "planar_2r"}) {
    const BatchCase batch = MakeShippedCase(name, 100, 3);
    const auto n = static_cast<std::size_t>(batch.model->nv());
    for (std::size_t row = 0; row < 100; ++row) {
      EXPECT_FALSE(DoubtfulInSingle(
          batch.model->tree(),
          std::span<const double>(batch.q).subspan(row * n, n)))
          << name << " row " << row;
    }
  }
}

/// A wheel of 1 kg m² on the shaft of a motor whose rotor has a millionth of
/// that, on one axis: only differences of large numbers tell of the rotor.
LoadResult WheelOnRotor(double armature = 0) {
  JointDescription motor =
      JointOf("motor", JointKind::kContinuous, "base", "rotor");
  motor.armature = armature;
  return Build(
      {MasslessLink("base"), Link("rotor", 0.01, {}, {1e-6, 1e-6, 1e-6}),
       Link("wheel", 20, {}, {1, 1, 1})},
      {motor, JointOf("shaft", JointKind::kContinuous, "rotor", "wheel")});
}

BatchCase WheelCase(std::shared_ptr<const Model> model) {
  BatchCase batch = MakeCase(std::move(model), 40, 7);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kInverseDynamics, Quantity::kMassMatrix,
                              Quantity::kForwardDynamics,
                              Quantity::kMassMatrixInverse};
  batch.options.precision = Precision::kSingle;
  return batch;
}

EvaluationPlan PlanOf(const BatchCase& batch) {
  return std::get<EvaluationPlan>(
      EvaluationPlan::Create(batch.model, batch.options));
}

TEST(ModelsThatNeedDouble, AreComputedInDoubleWhateverIsAskedFor) {
  const auto model = WheelOnRotor().model;
  ASSERT_NE(model, nullptr);
  EXPECT_TRUE(model->needs_double());
  BatchCase batch = WheelCase(model);
  EXPECT_EQ(PlanOf(batch).precision(), Precision::kDouble);
  EXPECT_EQ(PlanOf(batch).options().precision, Precision::kSingle);
  for (const LaneKernels* kernels : Targets()) {
    batch.options.precision = Precision::kSingle;
    const BatchResult single = Evaluate(batch, *kernels);
    batch.options.precision = Precision::kDouble;
    const BatchResult exact = Evaluate(batch, *kernels);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
      EXPECT_TRUE(SameRow(single, row, exact, row))
          << kernels->target << " row " << row;
      EXPECT_EQ(single.doubts[static_cast<std::size_t>(row)], 0U);
    }
  }
}

TEST(ModelsThatNeedDouble, WouldBeComputedTwice) {
  // The same wheel, but decided about when its rotor was heavier.
  const std::vector<JointDrive> light = {{.armature = 0}, {}};
  const auto model = WithDrives(WheelOnRotor(/*armature=*/1).model, light);
  ASSERT_FALSE(model->needs_double());
  const BatchCase batch = WheelCase(model);
  EXPECT_EQ(PlanOf(batch).precision(), Precision::kSingle);
  const BatchResult result = Evaluate(batch, BestTarget());
  for (const QuantityBits doubts : result.doubts) {
    EXPECT_NE(doubts & Bit(Quantity::kForwardDynamics), 0U)
        << "the decision would save nothing";
  }
}

TEST(ModelsThatNeedDouble, NeedItUnderEveryPayload) {
  const auto model = WheelOnRotor().model;
  BatchCase batch = WheelCase(model);
  // The rotor weighs as much as the wheel then.
  batch.options.payload = PayloadOptions{.frame = "rotor", .inertial = {}};
  batch.options.payload->inertial.mass = 20;
  batch.options.payload->inertial.inertia = {1, 0, 0, 1, 0, 1};
  EXPECT_EQ(PlanOf(batch).precision(), Precision::kDouble);
}

TEST(Precision, IsDoubleWhereTheLanesDoNotCompute) {
  BatchCase batch = MakeRandomCase(300, false, 1);
  batch.options.quantities = {Quantity::kInverseDynamics};
  batch.options.precision = Precision::kSingle;
  EXPECT_EQ(PlanOf(batch).precision(), Precision::kDouble);
}

}  // namespace
}  // namespace torqued::testing_support
