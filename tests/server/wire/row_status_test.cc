#include "server/wire/reply.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/server/robots.h"

namespace torqued::server {
namespace {

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

TEST(RowStatusTest, ColumnsCountInTheCallersOrder) {
  const EvaluationPlan plan = Plan({"twist", "lift", "reach"});
  EXPECT_EQ(ToRowStatus(plan, InvalidInput(Input::kQ, 0)).joint(), "twist");
  EXPECT_EQ(ToRowStatus(plan, InvalidInput(Input::kTau, 1)).joint(), "lift");
  EXPECT_EQ(ToRowStatus(plan, InvalidInput(Input::kA, 2)).joint(), "reach");
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
