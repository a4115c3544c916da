// How far single precision is from double: the figures that docs/precision.md
// tells users are what this prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <utility>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 10'000;

/// The errors of all rows, by quantity.
using Errors = std::map<std::string, std::vector<double>>;

double Quantile(std::vector<double>& errors, double share) {
  const auto at =
      errors.begin() + static_cast<std::ptrdiff_t>(
                           share * static_cast<double>(errors.size() - 1));
  std::nth_element(errors.begin(), at, errors.end());
  return *at;
}

/// What errors are relative to where that is more than the row's largest entry.
double Scale(const BatchResult& expected, Output output, std::int64_t row) {
  switch (output) {
    case Output::kPotentialEnergy:  // may be zero anywhere
      return RowOf(expected, Output::kGravity, row).norm();
    case Output::kNullSpaceProjector:  // zero where nothing is left
      return 1;
    default:
      return 0;
  }
}

/// Adds each row's errors, relative to the row's largest entry; those of what
/// solves with M also divided by cond(M), those of what solves with
/// W = Λ⁻¹ also by cond(Λ). What belongs to the task is computed in double
/// precision in rows that are not of full rank.
void AddErrors(const BatchCase& batch, const BatchResult& actual,
               const BatchResult& expected, Errors* errors) {
  const auto condition = [&](Output output, std::int64_t row, int n) {
    return ConditionNumber(RowOf(expected, output, row, n));
  };
  for (std::int64_t row = 0; row < kRows; ++row) {
    const bool full_rank = expected.rule[row] == TaskRule::kFullRank;
    for (const auto& [output, unused] : expected.tables) {
      const Quantity quantity = QuantityOf(output);
      if (!full_rank && (kTaskQuantities & Bit(quantity)) != 0) continue;
      const std::string name = std::string(ToString(output)) + "`";
      const double error = RelativeError(RowOf(actual, output, row),
                                         RowOf(expected, output, row),
                                         Scale(expected, output, row));
      (*errors)[name].push_back(error);
      if (quantity == Quantity::kForwardDynamics) {
        (*errors)[name + ", divided by cond(M)"].push_back(
            error / condition(Output::kMassMatrix, row, batch.model->nv()));
      } else if (quantity == Quantity::kOperationalSpace) {
        (*errors)[name + ", divided by cond(Λ)"].push_back(
            error /
            condition(Output::kLambda, row, batch.options.task.axis_count));
      }
    }
  }
}

/// The largest error of a robot that docs/precision.md has in a row of its
/// table. Λ and η as they stand lose digits next to singular poses; where
/// hardly one would be left they come in double precision.
double Published(const std::string& row, int robot) {
  static const std::string page = ReadFile(TORQUED_PRECISION_PAGE);
  const std::size_t at = page.find("\n| `" + row + " |");
  EXPECT_NE(at, std::string::npos) << row;
  std::istringstream columns(page.substr(at == std::string::npos ? 0 : at));
  std::string cell;
  std::getline(columns, cell, '|');
  // The name, then 99 % of the states and the largest of each robot.
  for (int k = 0; k < 3 + 2 * robot; ++k) std::getline(columns, cell, '|');
  return std::stod(cell);
}

/// `robot`: its place in the table. No wrench acts: the torques that one takes
/// would hide errors.
void ExpectLargest(int robot, BatchCase batch) {
  batch.wrench.clear();
  const BatchResult expected = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  Errors errors;
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult actual = Evaluate(batch, *kernels);
    EXPECT_EQ(actual.rank, expected.rank);
    EXPECT_EQ(actual.rule, expected.rule);
    AddErrors(batch, actual, expected, &errors);
    const auto in_double =
        kRows - std::count(actual.doubts.begin(), actual.doubts.end(), 0u);
    std::printf("  %s on %s: %.2f %% of the states in double precision\n",
                batch.name.c_str(), kernels->target,
                100 * static_cast<double>(in_double) / kRows);
    EXPECT_LT(in_double, kRows / 6);
  }
  for (auto& [quantity, values] : errors) {
    const double median = Quantile(values, 0.5);
    const double largest = Quantile(values, 1);
    std::printf("  %s: %s: median %.1e, 99 %% %.1e, largest %.1e\n",
                batch.name.c_str(), quantity.c_str(), median,
                Quantile(values, 0.99), largest);
    EXPECT_LT(largest, 3 * Published(quantity, robot)) << quantity;
    // Otherwise it is not single precision that was measured.
    EXPECT_GT(median, 1e-12) << quantity;
  }
}

TEST(SinglePrecision, OfThePandaIsThisFarFromDouble) {
  ExpectLargest(0, MakeShippedCase("panda", kRows, 1));
}

TEST(SinglePrecision, OfTheUr5eIsThisFarFromDouble) {
  ExpectLargest(1, MakeShippedCase("ur5e", kRows, 1));
}

TEST(SinglePrecision, OfATreeIsThisFarFromDouble) {
  BatchCase batch = MakeRandomCase(3, 12, true, kRows);
  batch.options.task.axes = {3, 4, 5};
  batch.options.task.axis_count = 3;
  ExpectLargest(2, std::move(batch));
}

TEST(SinglePrecision, OfArticulatedBodiesIsNotFurtherFromDouble) {
  BatchCase batch = MakeRandomCase(6, 20, true, kRows);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrix};
  const BatchResult expected = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  Errors errors;
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult actual = Evaluate(batch, *kernels);
    EXPECT_EQ(actual.doubts, std::vector<QuantityBits>(kRows));
    AddErrors(batch, actual, expected, &errors);
  }
  EXPECT_LT(Quantile(errors["a`"], 1), 3 * 9.1e-7);
  EXPECT_LT(Quantile(errors["a`, divided by cond(M)"], 1), 3 * 1.9e-10);
  EXPECT_GT(Quantile(errors["a`"], 0.5), 1e-12);
}

}  // namespace
}  // namespace torqued::testing_support
