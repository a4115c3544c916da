#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/batch/row_issue.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing::HasSubstr;
using testing_support::LoadModel;
using testing_support::MakeRandomRobot;

TEST(RowStatus, NamesFieldJointAndValue) {
  const auto robot = MakeRandomRobot(7, {.dof = 3});
  const auto model = LoadModel(robot.urdf, robot.tip);
  const double numbers[3] = {};
  EvaluationOptions options;
  options.quantities = {Quantity::kInverseDynamics};
  for (const int j : {2, 0, 1}) {
    options.joint_names.push_back(
        model->joints()[static_cast<std::size_t>(j)].name);
  }
  EvaluationInputs inputs;
  inputs.q = {numbers, NumberType::kF64, 1, 3};
  auto created = EvaluationPlan::Create(model, options, inputs);
  ASSERT_TRUE(std::holds_alternative<EvaluationPlan>(created));
  const auto& plan = std::get<EvaluationPlan>(created);

  RowIssue issue;
  issue.code = RowCode::kInvalidInput;
  issue.input = Input::kV;
  issue.column = 0;  // the caller's first joint, canonically the third
  issue.value = 1.0 / 0.0;
  EXPECT_EQ(FieldOf(issue), "v");
  EXPECT_EQ(JointOf(plan, issue), model->joints()[2].name);
  EXPECT_THAT(Describe(plan, issue), HasSubstr(model->joints()[2].name));
  EXPECT_THAT(Describe(plan, issue), HasSubstr("v[0]"));
  EXPECT_THAT(Describe(plan, issue), HasSubstr("inf"));

  issue.code = RowCode::kSingularMassMatrix;
  issue.output = Output::kAcceleration;
  issue.column = 1;  // canonical
  EXPECT_EQ(FieldOf(issue), "a");
  EXPECT_EQ(JointOf(plan, issue), model->joints()[1].name);

  issue.code = RowCode::kSingularTaskSpace;
  issue.output = Output::kLambda;
  issue.value = 1e-9;
  EXPECT_EQ(JointOf(plan, issue), "");
  EXPECT_THAT(Describe(plan, issue), HasSubstr("1e-09"));
  EXPECT_THAT(Describe(plan, issue), HasSubstr("loses rank"));
  issue.rank = 0;
  EXPECT_THAT(Describe(plan, issue), HasSubstr("cannot move"));
}

TEST(RowStatus, SingularTasksHaveAnAnswer) {
  EXPECT_TRUE(HasAnswer(RowCode::kSingularTaskSpace));
  EXPECT_FALSE(HasAnswer(RowCode::kInvalidInput));
  EXPECT_FALSE(HasAnswer(RowCode::kSingularMassMatrix));
  EXPECT_FALSE(HasAnswer(RowCode::kNotFiniteResult));
}

}  // namespace
}  // namespace torqued
