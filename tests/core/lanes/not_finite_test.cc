// Numbers that are not finite are found wherever they stand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Puts a number that is not finite into one place of every row, in the next
/// lane each time, until all places of these inputs had it, and expects to be
/// told of all.
void ExpectFound(const std::vector<Input>& inputs,
                 const std::function<BatchCase(std::int64_t rows)>& make) {
  const BatchCase one = make(1);
  std::vector<std::pair<Input, int>> places;
  for (const Input input : inputs) {
    for (int k = 0; k < one.ColumnsOf(input); ++k) places.push_back({input, k});
  }
  BatchCase batch = make(std::ssize(places));
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto [input, column] = places[row];
    batch[input][row * batch.ColumnsOf(input) + column] =
        std::array{kNaN, kInfinity, -kInfinity}[row % 3];
  }
  for (const Route& route : Routes()) {
    for (const NumberType type : {NumberType::kF64, NumberType::kF32}) {
      batch.input_type = type;
      const BatchResult result = Evaluate(batch, route);
      ASSERT_EQ(result.issues.size(), places.size()) << route.name;
      for (std::size_t row = 0; row < places.size(); ++row) {
        const RowIssue& issue = result.issues[row];
        EXPECT_EQ(issue.row, row);
        EXPECT_EQ(issue.code, RowCode::kInvalidInput);
        EXPECT_EQ(issue.input, places[row].first);
        EXPECT_EQ(issue.column, places[row].second);
        for (const auto& [output, unused] : result.tables) {
          EXPECT_TRUE(RowOf(result, output, issue.row).array().isNaN().all())
              << ToString(output);
        }
      }
    }
  }
}

TEST(NotFinite, EveryInputIsLookedAt) {
  std::vector<Input> inputs(kInputCount);
  for (std::size_t k = 0; k < kInputCount; ++k) {
    inputs[k] = static_cast<Input>(k);
  }
  for (const int dof : {1, 2, 3, 5, 7}) {
    ExpectFound(inputs, [dof](std::int64_t rows) {
      BatchCase batch = MakeRandomCase(dof, false, rows);
      AddTaskInputs(batch, 1);
      AddSurroundings(batch, 2);
      return batch;
    });
    // Also what no result depends on: that of the first body, which the other
    // joints do not move.
    ExpectFound({Input::kQ, Input::kV}, [dof](std::int64_t rows) {
      BatchCase batch = MakeRandomCase(dof, false, rows);
      batch.options.quantities = {Quantity::kFramePose,
                                  Quantity::kJacobianDrift};
      batch.options.tip_frame = batch.model->joints()[0].child_link;
      batch.wrench.clear();
      return batch;
    });
  }
}

TEST(NotFinite, ResultsTooLargeForTheirArrayAreThoseOfTheReference) {
  // From what fits in single precision to what does not, row by row.
  BatchCase batch = MakeRandomCase(4, 4, true, 40);
  batch.options.quantities = {Quantity::kInverseDynamics,
                              Quantity::kForwardDynamics};
  for (int k = 0; k < 4 * 40; ++k) {
    const int row = k / 4;
    const double scale = std::pow(10.0, 33 + row / 8.0);
    batch.a[k] *= scale;
    batch.tau[k] *= scale;
  }
  EXPECT_TRUE(Reference(batch).issues.empty());
  for (const NumberType type : {NumberType::kF64, NumberType::kF32}) {
    batch.output_type = type;
    const std::vector<RowIssue> expected = Reference(batch).issues;
    for (const LaneKernels* kernels : Targets()) {
      const std::vector<RowIssue> issues = Evaluate(batch, *kernels).issues;
      ASSERT_EQ(issues.size(), expected.size());
      for (std::size_t k = 0; k < issues.size(); ++k) {
        EXPECT_EQ(issues[k].row, expected[k].row);
        EXPECT_EQ(issues[k].code, RowCode::kNotFiniteResult);
        EXPECT_EQ(issues[k].output, expected[k].output);
      }
    }
  }
  EXPECT_GT(Reference(batch).issues.size(), 5u);
  EXPECT_LT(Reference(batch).issues.size(), 35u);
}

}  // namespace
}  // namespace torqued::testing_support
