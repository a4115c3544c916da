// What a plan refuses, and where it says the fault lies.
#include "core/engine/evaluation_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing_support::LoadModel;
using testing_support::MakeRandomRobot;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class EvaluationPlanTest : public testing::Test {
 protected:
  EvaluationPlanTest() {
    UseRobotOf(5);
    inputs_.q = Table(3, 5);
    options_.quantities = {Quantity::kInverseDynamics};
  }

  void UseRobotOf(int dof) {
    const auto robot = MakeRandomRobot(7, {.dof = dof});
    model_ = LoadModel(robot.urdf, robot.tip);
    branching_ = LoadModel(robot.urdf);
    inputs_.q = inputs_.tau = Table(1, dof);
  }
  InputArray Table(std::int64_t rows, int columns) const {
    return {numbers_.data(), NumberType::kF64, rows, columns};
  }

  ArgumentError ExpectError(Code code, const std::string& field) {
    const auto plan = EvaluationPlan::Create(model_, options_, inputs_);
    EXPECT_EQ(plan.index(), 1u) << "accepted, but " << field << " is wrong";
    const auto& error = std::get<ArgumentError>(plan);
    EXPECT_EQ(error.code, code) << error.message;
    EXPECT_EQ(error.field, field);
    EXPECT_FALSE(error.message.empty());
    return error;
  }
  EvaluationPlan ExpectPlan() {
    auto plan = EvaluationPlan::Create(model_, options_, inputs_);
    EXPECT_EQ(plan.index(), 0u) << std::get<ArgumentError>(plan).message;
    return std::get<EvaluationPlan>(std::move(plan));
  }
  /// For each value of a setting.
  void ExpectInvalid(const std::string& field, double& setting,
                     std::initializer_list<double> values) {
    const double before = setting;
    for (const double value : values) {
      SCOPED_TRACE(value);
      setting = value;
      ExpectError(Code::kInvalidOption, field);
    }
    setting = before;
  }

  std::shared_ptr<const Model> model_, branching_;
  EvaluationOptions options_;
  EvaluationInputs inputs_;
  std::vector<double> numbers_ = std::vector<double>(100, 0.5);
};

TEST_F(EvaluationPlanTest, NamesTheInputWithWrongRowsOrWithoutNumbers) {
  // q has the say, also against more rows, unless it has one.
  inputs_.v = Table(3, 5);
  inputs_.a = Table(4, 5);
  ExpectError(Code::kWrongRowCount, "a");
  inputs_.q = Table(1, 5);
  ExpectError(Code::kWrongRowCount, "a");
  inputs_.v = Table(1, 5);
  EXPECT_EQ(ExpectPlan().rows(), 4);
  inputs_.v.data = nullptr;
  ExpectError(Code::kMissingInput, "v");
  inputs_.q.data = nullptr;
  ExpectError(Code::kMissingInput, "q");
}

TEST_F(EvaluationPlanTest, MessagesShowNamesAsPrintableText) {
  options_.quantities = {Quantity::kJacobian};
  options_.tip_frame = "a\n\x1b[31m" + std::string(200, 'x') + "\xc3";
  const std::string message =
      ExpectError(Code::kUnknownFrame, "options.tip_frame").message;
  EXPECT_THAT(message, HasSubstr("'a"));
  EXPECT_THAT(message, Each(testing::AnyOf(testing::Ge(' '), testing::Lt(0))));
  EXPECT_LT(message.size(), 150u);
}

TEST_F(EvaluationPlanTest, TipFrameMustBeSettled) {
  options_.quantities = {Quantity::kJacobian};
  ExpectPlan();
  model_ = branching_;
  const ArgumentError error =
      ExpectError(Code::kTipFrameRequired, "options.tip_frame");
  // Each of them would do, and nothing else is a leaf.
  ASSERT_GE(error.candidates.size(), 2u);
  EXPECT_THAT(error.message, HasSubstr("'" + error.candidates.front() + "'"));
  for (const Joint& joint : model_->joints()) {
    EXPECT_THAT(error.candidates, Not(Contains(joint.parent_link)));
  }
  for (const std::string& leaf : error.candidates) {
    options_.tip_frame = leaf;
    ExpectPlan();
  }
  options_.tip_frame = "";
  // Twin: what needs no frame needs no tip.
  options_.quantities = {Quantity::kMassMatrix};
  ExpectPlan();
}

TEST_F(EvaluationPlanTest, OptionsMustBeFiniteAndInRange) {
  options_.terms.gravity = {0, kNaN, 0};
  ExpectError(Code::kInvalidOption, "options.terms.gravity");
  options_.terms.gravity.reset();
  options_.terms.coulomb_friction = true;
  ExpectInvalid("options.terms.coulomb_smoothing",
                options_.terms.coulomb_smoothing,
                {-0.1, 1e-10, 1e-320, kInfinity, kNaN});
  options_.terms.coulomb_smoothing = 0.1;
  ExpectPlan();

  options_.quantities = {Quantity::kOperationalSpace};
  TaskOptions& task = options_.task;
  ExpectInvalid("operational_space.rank_tolerance", task.rank_tolerance,
                {kNaN, -1e-9, 1});
  ExpectInvalid("operational_space.characteristic_length",
                task.characteristic_length, {kNaN, 0, -1, 9e-31, 1.1e30});
  task.singularity = SingularityRule::kDamped;
  task.damping = 0.1;
  ExpectPlan();
  ExpectInvalid("operational_space.damping", task.damping, {kNaN, 0, -1});
  task.axes = {0, 1, 0};
  task.axis_count = 3;
  ExpectError(Code::kInvalidOption, "operational_space.axes[2]");
  task.axis_count = 0;
  ExpectError(Code::kInvalidOption, "operational_space.axes");
  options_.quantities = {};
  ExpectError(Code::kInvalidOption, "quantities");
}

TEST_F(EvaluationPlanTest, APayloadIsABodyThatLeavesFiniteInertias) {
  LinkInertial good, negative, unknown, long_axis, skew, huge;
  good.mass = 1e8;
  negative.mass = -1;
  unknown.mass = kNaN;
  long_axis.mass = skew.mass = 1;
  long_axis.inertia = {1, 0, 0, 1, 0, 5};
  skew.inertia = {1, 3, 0, 1, 0, 1};
  huge.mass = 1e308;
  huge.origin.p = good.origin.p = {10, 0, 0};
  options_.payload = {.frame = {}, .inertial = good};
  ExpectPlan();
  for (const LinkInertial& is : {negative, unknown, long_axis, skew, huge}) {
    options_.payload->inertial = is;
    ExpectError(Code::kInvalidOption, "options.payload");
  }
}

TEST_F(EvaluationPlanTest, AnUnknownTipIsNotBlamedOnWhatFollowsIt) {
  options_.tip_frame = "nowhere";
  options_.payload = PayloadOptions{};
  options_.payload->inertial.mass = 1;
  options_.external_wrenches = {{}};
  ExpectError(Code::kUnknownFrame, "options.tip_frame");
}

TEST_F(EvaluationPlanTest, WhatGrowsWithTheCubeOfTheJointsIsLimited) {
  using enum Quantity;
  for (const int dof : {100, 101, 256, 257}) {
    UseRobotOf(dof);
    for (const Quantity quantity :
         {kChristoffelSymbols, kRegressor, kMassMatrixInverse,
          kForwardDynamicsDerivatives, kOperationalSpace, kTaskProjection,
          kTaskTorque}) {
      options_.quantities = {quantity};
      if (dof <= (quantity == kChristoffelSymbols ? 100 : 256)) {
        ExpectPlan();
      } else {
        ExpectError(Code::kInvalidOption, "quantities");
      }
    }
  }
}

TEST_F(EvaluationPlanTest, StatesThatAreRefusedLeaveThePlanAsItWas) {
  auto created = EvaluationPlan::Create(model_, options_);
  auto& plan = std::get<EvaluationPlan>(created);
  EXPECT_EQ(plan.rows(), 0);
  inputs_.v = Table(1, 5);
  ASSERT_FALSE(plan.Rebind(inputs_));
  inputs_.q = Table(2, 4);
  const auto error = plan.Rebind(inputs_);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kWrongColumnCount);
  EXPECT_EQ(error->field, "q");
  EXPECT_EQ(plan.rows(), 3);
  EXPECT_EQ(plan.inputs().q.columns, 5);
  EXPECT_EQ(plan.inputs().v.rows, 1);
}

TEST_F(EvaluationPlanTest, AWrenchUsesTheTipFrameOfTheStatesThatHaveOne) {
  EvaluationPlan plan = ExpectPlan();
  EXPECT_FALSE(plan.tip_frame());
  EXPECT_EQ(plan.tip_frame_of_any_states(), model_->tip_frame());
  EvaluationInputs pushed = inputs_;
  pushed.tip_wrench = Table(1, 6);
  ASSERT_FALSE(plan.Rebind(pushed));
  EXPECT_EQ(plan.tip_frame(), model_->tip_frame());

  model_ = branching_;
  EvaluationPlan unsettled = ExpectPlan();
  EXPECT_FALSE(unsettled.tip_frame_of_any_states());
  const auto error = unsettled.Rebind(pushed);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kTipFrameRequired);
  // Twin: where no wrench takes part, no states may use the frame.
  options_.quantities = {Quantity::kMassMatrix};
  EXPECT_FALSE(ExpectPlan().tip_frame_of_any_states());
}

TEST_F(EvaluationPlanTest, RowsThatAreNotOkAreToldInSentences) {
  const EvaluationPlan plan = ExpectPlan();
  RowIssue issue{.code = RowCode::kInvalidInput, .input = Input::kV};
  issue.column = 2;
  issue.value = kInfinity;
  EXPECT_EQ(Describe(plan, issue), "v[2] (joint " + model_->joints()[2].name +
                                       ") is inf, not a finite number.");
  issue.code = RowCode::kSingularTaskSpace;
  issue.value = 1e-9;
  EXPECT_THAT(Describe(plan, issue),
              testing::AllOf(HasSubstr("1e-09"), HasSubstr("loses rank")));
}

}  // namespace
}  // namespace torqued
