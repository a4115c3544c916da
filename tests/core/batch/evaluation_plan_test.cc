// What a plan refuses, and where it says the fault lies.
#include "core/batch/evaluation_plan.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;
using testing_support::LoadModel;
using testing_support::MakeRandomRobot;

class EvaluationPlanTest : public testing::Test {
 protected:
  EvaluationPlanTest() {
    const auto robot = MakeRandomRobot(7, {.dof = 5});
    model_ = LoadModel(robot.urdf, robot.tip);
    branching_ = LoadModel(robot.urdf);
    inputs_.q = Table(3, 5);
    options_.quantities = {Quantity::kInverseDynamics};
  }

  InputArray Table(std::int64_t rows, int columns) const {
    return {numbers_.data(), NumberType::kF64, rows, columns};
  }

  void ExpectError(Code code, const std::string& field) {
    const auto plan = EvaluationPlan::Create(model_, options_, inputs_);
    const auto* error = std::get_if<ArgumentError>(&plan);
    ASSERT_NE(error, nullptr) << "accepted, but " << field << " is wrong";
    EXPECT_EQ(error->code, code) << error->message;
    EXPECT_EQ(error->field, field);
    EXPECT_FALSE(error->message.empty());
  }
  EvaluationPlan ExpectPlan() {
    auto plan = EvaluationPlan::Create(model_, options_, inputs_);
    const auto* error = std::get_if<ArgumentError>(&plan);
    EXPECT_EQ(error, nullptr) << error->field << ": " << error->message;
    return std::get<EvaluationPlan>(std::move(plan));
  }

  std::shared_ptr<const Model> model_, branching_;
  EvaluationOptions options_;
  EvaluationInputs inputs_;
  std::vector<double> numbers_ = std::vector<double>(100, 0.5);
};

TEST_F(EvaluationPlanTest, AcceptsWhatIsRight) {
  inputs_.v = Table(1, 5);
  inputs_.a = Table(3, 5);
  inputs_.tip_wrench = Table(1, 6);
  const EvaluationPlan plan = ExpectPlan();
  EXPECT_EQ(plan.rows(), 3);
  EXPECT_TRUE(plan.Produces(Output::kTau));
  EXPECT_FALSE(plan.Produces(Output::kEta));
  EXPECT_EQ(plan.columns(Output::kTau), 5);
}

TEST_F(EvaluationPlanTest, NamesTheInputWithWrongColumns) {
  inputs_.q = Table(3, 4);
  ExpectError(Code::kWrongColumnCount, "q");
  inputs_.q = Table(3, 5);
  inputs_.a = Table(3, 6);
  ExpectError(Code::kWrongColumnCount, "a");
  inputs_.a = {};
  inputs_.tip_wrench = Table(3, 5);
  ExpectError(Code::kWrongColumnCount, "tip_wrench_on_environment");
}

TEST_F(EvaluationPlanTest, NamesTheInputWithWrongRows) {
  inputs_.v = Table(2, 5);
  ExpectError(Code::kWrongRowCount, "v");
  // q has the say, also against more rows.
  inputs_.v = Table(3, 5);
  inputs_.a = Table(4, 5);
  ExpectError(Code::kWrongRowCount, "a");
  inputs_.q = Table(1, 5);
  ExpectError(Code::kWrongRowCount, "a");
  inputs_.v = Table(1, 5);
  EXPECT_EQ(ExpectPlan().rows(), 4);
}

TEST_F(EvaluationPlanTest, MissingInputsAreErrors) {
  inputs_.q = {};
  ExpectError(Code::kMissingInput, "q");
  inputs_.q = Table(3, 5);
  options_.quantities = {Quantity::kForwardDynamics};
  ExpectError(Code::kMissingInput, "tau");
}

TEST_F(EvaluationPlanTest, RowsWithoutNumbersAreErrors) {
  inputs_.v = {nullptr, NumberType::kF64, 3, 5};
  ExpectError(Code::kMissingInput, "v");
  inputs_.q.data = nullptr;
  ExpectError(Code::kMissingInput, "q");
}

TEST_F(EvaluationPlanTest, MessagesShowNamesAsPrintableText) {
  options_.quantities = {Quantity::kJacobian};
  options_.tip_frame = "a\n\x1b[31m" + std::string(200, 'x') + "\xc3";
  const auto refused = EvaluationPlan::Create(model_, options_);
  const auto* error = std::get_if<ArgumentError>(&refused);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(error->message.find("'a"), std::string::npos) << error->message;
  for (const char byte : error->message) {
    EXPECT_TRUE(byte >= ' ' || byte < 0) << error->message;
  }
  EXPECT_LT(error->message.size(), 150u);
}

TEST_F(EvaluationPlanTest, JointNamesMustBeAPermutation) {
  std::vector<std::string> names;
  for (const Joint& joint : model_->joints()) names.push_back(joint.name);
  options_.joint_names = names;
  ExpectPlan();
  options_.joint_names[2] = "nobody";
  ExpectError(Code::kWrongJointNames, "options.joint_names[2]");
  options_.joint_names[2] = names[0];
  ExpectError(Code::kWrongJointNames, "options.joint_names[2]");
  options_.joint_names = {names[0]};
  ExpectError(Code::kWrongJointNames, "options.joint_names");
}

TEST_F(EvaluationPlanTest, TipFrameMustExistAndBeSettled) {
  options_.quantities = {Quantity::kJacobian};
  options_.tip_frame = "nowhere";
  ExpectError(Code::kUnknownFrame, "options.tip_frame");
  options_.tip_frame = "";
  ExpectPlan();
  model_ = branching_;
  ExpectError(Code::kTipFrameRequired, "options.tip_frame");
  const auto refused = EvaluationPlan::Create(model_, options_);
  const auto* error = std::get_if<ArgumentError>(&refused);
  ASSERT_NE(error, nullptr);
  // Each of them would do, and nothing else is a leaf.
  ASSERT_GE(error->candidates.size(), 2u);
  EXPECT_NE(error->message.find("'" + error->candidates.front() + "'"),
            std::string::npos);
  for (const std::string& leaf : error->candidates) {
    for (const Joint& joint : model_->joints()) {
      EXPECT_NE(joint.parent_link, leaf);
    }
    options_.tip_frame = leaf;
    ExpectPlan();
  }
  options_.tip_frame = "";
  // Twin: what needs no frame needs no tip.
  options_.quantities = {Quantity::kMassMatrix};
  ExpectPlan();
}

TEST_F(EvaluationPlanTest, GravityIsTheModelsUnlessNamed) {
  EXPECT_EQ(ExpectPlan().options().terms.gravity, model_->gravity());
  const std::array<double, 3> moon{0, 0, -1.62};
  options_.terms.gravity = moon;
  EXPECT_EQ(ExpectPlan().options().terms.gravity, moon);
}

TEST_F(EvaluationPlanTest, OptionsMustBeFiniteAndInRange) {
  options_.quantities = {Quantity::kOperationalSpace};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const EvaluationOptions good = options_;
  options_.terms.gravity = {0, nan, 0};
  ExpectError(Code::kInvalidOption, "options.terms.gravity");
  options_ = good;
  for (const double bad : {nan, -1e-9, 1.0}) {
    options_.task.rank_tolerance = bad;
    ExpectError(Code::kInvalidOption, "operational_space.rank_tolerance");
  }
  options_ = good;
  for (const double bad : {nan, 0.0, -1.0, 9e-31, 1.1e30}) {
    options_.task.characteristic_length = bad;
    ExpectError(Code::kInvalidOption,
                "operational_space.characteristic_length");
  }
  options_ = good;
  options_.task.damping = 0.1;
  ExpectError(Code::kInvalidOption, "operational_space.damping");
  options_.task.singularity = SingularityRule::kDamped;
  ExpectPlan();
  for (const double bad : {nan, 0.0, -1.0}) {
    options_.task.damping = bad;
    ExpectError(Code::kInvalidOption, "operational_space.damping");
  }
  options_ = good;
  options_.task.axes = {0, 1, 0};
  options_.task.axis_count = 3;
  ExpectError(Code::kInvalidOption, "operational_space.axes[2]");
  options_ = good;
  options_.task.axis_count = 0;
  ExpectError(Code::kInvalidOption, "operational_space.axes");
}

TEST_F(EvaluationPlanTest, UnusedWrenchIsRefusedNotIgnored) {
  options_.quantities = {Quantity::kMassMatrix};
  inputs_.tip_wrench = Table(1, 6);
  ExpectError(Code::kInvalidOption, "tip_wrench_on_environment");
}

TEST_F(EvaluationPlanTest, SmoothingIsOfFrictionAndNotTooSharp) {
  options_.terms.coulomb_smoothing = 0.1;
  ExpectError(Code::kInvalidOption, "options.terms.coulomb_smoothing");
  options_.terms.coulomb_friction = true;
  ExpectPlan();
  for (const double smoothing :
       {-0.1, 1e-10, 1e-320, std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    options_.terms.coulomb_smoothing = smoothing;
    ExpectError(Code::kInvalidOption, "options.terms.coulomb_smoothing");
  }
}

TEST_F(EvaluationPlanTest, APayloadMustLeaveFiniteInertias) {
  options_.payload = PayloadOptions{};
  options_.payload->inertial.mass = 1e308;
  options_.payload->inertial.origin.p = {10, 0, 0};
  ExpectError(Code::kInvalidOption, "options.payload");
  options_.payload->inertial.mass = 1e8;
  ExpectPlan();
}

TEST_F(EvaluationPlanTest, AnUnknownTipIsNotBlamedOnWhatFollowsIt) {
  options_.tip_frame = "nowhere";
  options_.payload = PayloadOptions{};
  options_.payload->inertial.mass = 1;
  options_.external_wrenches = {{}};
  ExpectError(Code::kUnknownFrame, "options.tip_frame");
  options_.tip_frame = "";
  options_.payload.reset();
  options_.external_wrenches = {{}, {.frame = "nowhere"}};
  ExpectError(Code::kUnknownFrame, "options.external_wrenches[1].frame");
}

TEST_F(EvaluationPlanTest, WhatGrowsWithTheCubeOfTheJointsIsLimited) {
  for (const auto& [quantity, most] : {
           std::pair{Quantity::kChristoffelSymbols, 100},
           std::pair{Quantity::kRegressor, 256},
           std::pair{Quantity::kMassMatrixInverse, 256},
           std::pair{Quantity::kForwardDynamicsDerivatives, 256},
           std::pair{Quantity::kOperationalSpace, 256},
           std::pair{Quantity::kTaskProjection, 256},
           std::pair{Quantity::kTaskTorque, 256},
       }) {
    for (const int dof : {most, most + 1}) {
      const auto robot = MakeRandomRobot(1, {.dof = dof});
      model_ = LoadModel(robot.urdf, robot.tip);
      inputs_.q = inputs_.tau = Table(1, dof);
      options_.quantities = {quantity};
      if (dof == most) {
        ExpectPlan();
      } else {
        ExpectError(Code::kInvalidOption, "quantities");
      }
    }
  }
}

TEST_F(EvaluationPlanTest, RowsOfManyNumbersLeaveOtherQuantitiesInLanes) {
  const auto robot = MakeRandomRobot(
      1,
      {.shape = testing_support::RandomRobotOptions::Shape::kChain, .dof = 45});
  model_ = LoadModel(robot.urdf, robot.tip);
  inputs_.q = Table(1, 45);
  options_.quantities = {Quantity::kInverseDynamics,
                         Quantity::kChristoffelSymbols};
  const EvaluationPlan plan = ExpectPlan();
  EXPECT_EQ(plan.one_lane(), kOneLaneHasBitsOfLanes);
  EXPECT_EQ(plan.large().bits(), Bit(Quantity::kChristoffelSymbols));
  options_.quantities = {Quantity::kInverseDynamics};
  EXPECT_FALSE(ExpectPlan().one_lane());
}

TEST_F(EvaluationPlanTest, OtherStatesAreBoundToTheSameOptions) {
  auto created = EvaluationPlan::Create(model_, options_);
  auto& plan = std::get<EvaluationPlan>(created);
  EXPECT_EQ(plan.rows(), 0);
  ASSERT_FALSE(plan.Rebind(inputs_));
  EXPECT_EQ(plan.rows(), 3);
  inputs_.q = Table(4, 5);
  inputs_.v = Table(1, 5);
  ASSERT_FALSE(plan.Rebind(inputs_));
  EXPECT_EQ(plan.rows(), 4);
  EXPECT_EQ(plan.inputs().v.rows, 1);
}

TEST_F(EvaluationPlanTest, StatesThatAreRefusedLeaveThePlanAsItWas) {
  EvaluationPlan plan = ExpectPlan();
  EvaluationInputs wrong = inputs_;
  wrong.q = Table(2, 4);
  const auto error = plan.Rebind(wrong);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kWrongColumnCount);
  EXPECT_EQ(error->field, "q");
  EXPECT_EQ(plan.rows(), 3);
  EXPECT_EQ(plan.inputs().q.columns, 5);
}

TEST_F(EvaluationPlanTest, AWrenchUsesTheTipFrameOfTheStatesThatHaveOne) {
  EvaluationPlan plan = ExpectPlan();
  EXPECT_FALSE(plan.tip_frame());
  EXPECT_EQ(plan.tip_frame_of_any_states(), model_->tip_frame());
  inputs_.tip_wrench = Table(1, 6);
  ASSERT_FALSE(plan.Rebind(inputs_));
  EXPECT_EQ(plan.tip_frame(), model_->tip_frame());

  model_ = branching_;
  inputs_.tip_wrench = {};
  EvaluationPlan unsettled = ExpectPlan();
  EXPECT_FALSE(unsettled.tip_frame_of_any_states());
  inputs_.tip_wrench = Table(1, 6);
  const auto error = unsettled.Rebind(inputs_);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kTipFrameRequired);
  // Twin: where no wrench takes part, no states may use the frame.
  options_.quantities = {Quantity::kMassMatrix};
  model_ = branching_;
  inputs_.tip_wrench = {};
  EXPECT_FALSE(ExpectPlan().tip_frame_of_any_states());
}

TEST_F(EvaluationPlanTest, NoQuantityIsAnError) {
  options_.quantities = {};
  ExpectError(Code::kInvalidOption, "quantities");
}

}  // namespace
}  // namespace torqued
