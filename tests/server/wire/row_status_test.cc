#include "server/wire/row_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/server/robots.h"

namespace torqued::server {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

EvaluationPlan Plan(std::vector<std::string> joint_names = {}) {
  static const double q[3] = {0, 0, 0};
  EvaluationOptions options;
  options.quantities = {Quantity::kMassMatrix};
  options.joint_names = std::move(joint_names);
  EvaluationInputs inputs;
  inputs.q = {q, NumberType::kF64, 1, 3};
  return std::get<EvaluationPlan>(EvaluationPlan::Create(
      ThreeJoints().loaded->model, std::move(options), inputs));
}

RowIssue InvalidInput(Input input, int column) {
  RowIssue issue;
  issue.row = 5;
  issue.code = RowCode::kInvalidInput;
  issue.input = input;
  issue.column = column;
  issue.value = kNaN;
  return issue;
}

TEST(RowStatusTest, AnInputIsNamedWithColumnAndJoint) {
  const v1::RowStatus status = ToRowStatus(Plan(), InvalidInput(Input::kV, 1));
  EXPECT_EQ(status.row(), 5u);
  EXPECT_EQ(status.code(), v1::ROW_CODE_INVALID_INPUT);
  EXPECT_EQ(status.field(), "v");
  EXPECT_EQ(status.joint(), "reach");
  EXPECT_THAT(status.message(), HasSubstr("v[1] (joint reach) is nan"));
}

TEST(RowStatusTest, ColumnsCountInTheCallersOrder) {
  const EvaluationPlan plan = Plan({"twist", "lift", "reach"});
  EXPECT_EQ(ToRowStatus(plan, InvalidInput(Input::kQ, 0)).joint(), "twist");
  EXPECT_EQ(ToRowStatus(plan, InvalidInput(Input::kTau, 1)).joint(), "lift");
  EXPECT_EQ(ToRowStatus(plan, InvalidInput(Input::kA, 2)).joint(), "reach");
}

TEST(RowStatusTest, AWrenchBelongsToNoJoint) {
  const v1::RowStatus status =
      ToRowStatus(Plan(), InvalidInput(Input::kTipWrench, 2));
  EXPECT_EQ(status.field(), "tip_wrench_on_environment");
  EXPECT_EQ(status.joint(), "");
}

TEST(RowStatusTest, ASingularMassMatrixNamesTheCanonicalJoint) {
  RowIssue issue;
  issue.code = RowCode::kSingularMassMatrix;
  issue.output = Output::kAcceleration;
  issue.column = 2;
  issue.value = 1e-18;
  const v1::RowStatus status =
      ToRowStatus(Plan({"twist", "lift", "reach"}), issue);
  EXPECT_EQ(status.code(), v1::ROW_CODE_SINGULAR_MASS_MATRIX);
  EXPECT_EQ(status.joint(), "twist");
  EXPECT_EQ(status.field(), "a");
  EXPECT_EQ(status.value(), 1e-18);
}

TEST(RowStatusTest, ASingularTaskSaysWhatStandsInstead) {
  RowIssue issue;
  issue.code = RowCode::kSingularTaskSpace;
  issue.output = Output::kLambda;
  issue.value = 1e-9;
  const v1::RowStatus status = ToRowStatus(Plan(), issue);
  EXPECT_EQ(status.field(), "lambda");
  EXPECT_EQ(status.joint(), "");
  EXPECT_THAT(status.message(), HasSubstr("restricted to its range"));
  issue.rank = 0;
  EXPECT_THAT(ToRowStatus(Plan(), issue).message(), HasSubstr("cannot move"));
}

TEST(RowStatusTest, AWeakTaskSaysByWhichRatioAndWhatToDo) {
  RowIssue issue;
  issue.code = RowCode::kWeakTaskSpace;
  issue.output = Output::kLambda;
  issue.value = 1e-12;
  const v1::RowStatus status = ToRowStatus(Plan(), issue);
  EXPECT_EQ(status.code(), v1::ROW_CODE_WEAK_TASK_SPACE);
  EXPECT_EQ(status.field(), "lambda");
  EXPECT_EQ(status.joint(), "");
  EXPECT_EQ(status.value(), 1e-12);
  EXPECT_THAT(status.message(), HasSubstr("1e-12"));
  EXPECT_THAT(status.message(), HasSubstr("leave that axis out"));
}

TEST(FillRowStatusTest, ListsWhatFits) {
  EvaluationReport report;
  for (int row = 0; row < 50; ++row) {
    report.issues.push_back(InvalidInput(Input::kQ, 0));
    report.issues.back().row = row;
  }
  v1::ComputeReply all;
  FillRowStatus(Plan(), report, 0, 1 << 20, all.mutable_row_status());
  EXPECT_EQ(all.row_status_size(), 50);

  v1::ComputeReply few;
  FillRowStatus(Plan(), report, 0, 1000, few.mutable_row_status());
  EXPECT_GT(few.row_status_size(), 5);
  EXPECT_LT(few.row_status_size(), 50);
  EXPECT_LE(few.ByteSizeLong(), 1000u + 16u);
  EXPECT_EQ(few.row_status(0).row(), 0u);

  v1::ComputeReply none;
  FillRowStatus(Plan(), report, 0, 0, none.mutable_row_status());
  EXPECT_EQ(none.row_status_size(), 0);
}

TEST(FillRowStatusTest, RowsAreCountedFromTheStartOfTheStream) {
  EvaluationReport report;
  report.issues.push_back(InvalidInput(Input::kQ, 0));
  v1::EvaluateReply reply;
  FillRowStatus(Plan(), report, 5'000'000'000, 1 << 20,
                reply.mutable_row_status());
  ASSERT_EQ(reply.row_status_size(), 1);
  EXPECT_EQ(reply.row_status(0).row(), 5'000'000'005u);
}

}  // namespace
}  // namespace torqued::server
