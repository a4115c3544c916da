// Numbers that are not finite are found wherever they stand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/core/lanes/batch_case.h"
#include "tests/core/lanes/reference.h"

namespace torqued::testing_support {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A place in the inputs.
struct Place {
  Input input;
  int column;
};

/// Puts a number that is not finite into one place of every row, in the next
/// lane each time, and expects to be told of all.
void ExpectFound(BatchCase batch, const std::vector<Place>& places) {
  ASSERT_EQ(batch.rows, static_cast<std::int64_t>(places.size()));
  const double bad[] = {kNaN, kInfinity, -kInfinity};
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto [input, column] = places[row];
    std::vector<double>& table = batch[input];
    const std::size_t columns = table.size() / places.size();
    table[row * columns + static_cast<std::size_t>(column)] = bad[row % 3];
  }
  for (const LaneKernels* kernels : Targets()) {
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      for (const NumberType type : {NumberType::kF64, NumberType::kF32}) {
        batch.options.precision = precision;
        batch.input_type = type;
        const BatchResult result = Evaluate(batch, *kernels);
        ASSERT_EQ(result.issues.size(), places.size()) << kernels->target;
        for (std::size_t row = 0; row < places.size(); ++row) {
          const RowIssue& issue = result.issues[row];
          EXPECT_EQ(issue.row, static_cast<std::int64_t>(row));
          EXPECT_EQ(issue.code, RowCode::kInvalidInput);
          EXPECT_EQ(issue.input, places[row].input);
          EXPECT_EQ(issue.column, places[row].column);
          for (const auto& [output, unused] : result.tables) {
            EXPECT_TRUE(
                RowOf(result, output, issue.row, 1).array().isNaN().all())
                << ToString(output);
          }
        }
      }
    }
  }
}

int ColumnsOf(Input input, int dof) {
  switch (input) {
    case Input::kTipWrench:
    case Input::kBaseTwist:
    case Input::kBaseAcceleration:
    case Input::kTaskAcceleration:
      return 6;
    case Input::kExternalWrenches:
      return 24;
    case Input::kGravity:
      return 3;
    default:
      return dof;
  }
}

std::vector<Place> PlacesIn(const std::vector<Input>& inputs, int dof) {
  std::vector<Place> places;
  for (const Input input : inputs) {
    const int columns = ColumnsOf(input, dof);
    for (int k = 0; k < columns; ++k) places.push_back({input, k});
  }
  return places;
}

TEST(NotFinite, EveryInputIsLookedAt) {
  for (const int dof : {1, 2, 3, 5, 7}) {
    std::vector<Input> inputs;
    inputs.reserve(kInputCount);
    for (int k = 0; k < kInputCount; ++k) {
      inputs.push_back(static_cast<Input>(k));
    }
    const auto places = PlacesIn(inputs, dof);
    BatchCase batch =
        MakeRandomCase(dof, false, static_cast<std::int64_t>(places.size()));
    AddTaskInputs(batch, 1);
    AddSurroundings(batch, 2);
    ExpectFound(batch, places);
  }
}

TEST(NotFinite, AlsoInputsThatNoResultDependsOn) {
  for (const int dof : {1, 2, 3, 5, 7}) {
    const auto places = PlacesIn({Input::kQ, Input::kV}, dof);
    BatchCase batch =
        MakeRandomCase(dof, false, static_cast<std::int64_t>(places.size()));
    // Of the first body, which the other joints do not move.
    batch.options.quantities = {Quantity::kFramePose, Quantity::kJacobianDrift};
    batch.options.tip_frame = batch.model->joints()[0].child_link;
    batch.wrench.clear();
    ExpectFound(batch, places);
  }
}

TEST(NotFinite, ResultsTooLargeForTheirArrayAreThoseOfTheReference) {
  // From what fits in single precision to what does not, row by row.
  constexpr std::int64_t kRows = 40;
  BatchCase batch = MakeRandomCase(4, 4, true, kRows);
  batch.options.quantities = {Quantity::kInverseDynamics,
                              Quantity::kForwardDynamics};
  for (std::size_t k = 0; k < batch.a.size(); ++k) {
    const double row = std::floor(static_cast<double>(k) / 4);
    const double scale = std::pow(10.0, 33.0 + row / 8);
    batch.a[k] *= scale;
    batch.tau[k] *= scale;
  }
  for (const NumberType type : {NumberType::kF64, NumberType::kF32}) {
    batch.output_type = type;
    const BatchResult expected = Reference(batch);
    if (type == NumberType::kF32) {
      EXPECT_GT(expected.issues.size(), 5u);
      EXPECT_LT(expected.issues.size(), 35u);
    } else {
      EXPECT_TRUE(expected.issues.empty());
    }
    for (const LaneKernels* kernels : Targets()) {
      const BatchResult result = Evaluate(batch, *kernels);
      ASSERT_EQ(result.issues.size(), expected.issues.size());
      for (std::size_t k = 0; k < result.issues.size(); ++k) {
        EXPECT_EQ(result.issues[k].row, expected.issues[k].row);
        EXPECT_EQ(result.issues[k].code, RowCode::kNotFiniteResult);
        EXPECT_EQ(result.issues[k].output, expected.issues[k].output);
      }
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support
