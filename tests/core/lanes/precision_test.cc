// How far single precision is from double. docs/precision.md tells users; the
// figures there are what this prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"

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
      return RowOf(expected, Output::kGravity, row, 1).norm();
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
  const int n = batch.model->nv(), m = batch.options.task.axis_count;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto add = [&](const char* quantity, Output output, int rows,
                         const char* quantity_by_condition = nullptr,
                         double condition = 1) {
      const double error = RelativeError(RowOf(actual, output, row, rows),
                                         RowOf(expected, output, row, rows),
                                         Scale(expected, output, row));
      (*errors)[quantity].push_back(error);
      if (quantity_by_condition != nullptr) {
        (*errors)[quantity_by_condition].push_back(error / condition);
      }
    };
    add("tau", Output::kTau, 1);
    add("bias", Output::kBias, 1);
    add("mass_matrix", Output::kMassMatrix, n);
    add("pose", Output::kPose, 3);
    add("jacobian", Output::kJacobian, 6);
    add("jacobian_drift", Output::kJacobianDrift, 1);
    add("a", Output::kAcceleration, 1, "a / cond(M)",
        ConditionNumber(RowOf(expected, Output::kMassMatrix, row, n)));
    const bool full_rank =
        expected.rule[static_cast<std::size_t>(row)] == TaskRule::kFullRank;
    for (int k = static_cast<int>(Output::kGravity); k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (full_rank || (kTaskQuantities & Bit(QuantityOf(output))) == 0) {
        add(std::string(ToString(output)).c_str(), output, 1);
      }
    }
    if (!full_rank) continue;
    const double condition =
        ConditionNumber(RowOf(expected, Output::kLambda, row, m));
    add("lambda", Output::kLambda, m, "lambda / cond(Lambda)", condition);
    add("eta", Output::kEta, 1, "eta / cond(Lambda)", condition);
  }
}

/// No wrench acts: the torques that one takes would hide errors.
BatchCase WithoutWrench(BatchCase batch) {
  batch.wrench.clear();
  return batch;
}

/// The largest of each robot, in their order, as docs/precision.md has them. Λ
/// and η as they stand lose digits next to singular poses; where hardly one
/// would be left they come in double precision.
const std::map<std::string, std::array<double, 3>> kLargest = {
    {"tau", {1.8e-6, 1.2e-5, 2.0e-6}},
    {"bias", {1.2e-6, 1.2e-5, 2.3e-6}},
    {"mass_matrix", {3.5e-7, 4.7e-7, 2.5e-7}},
    {"pose", {4.1e-7, 7.6e-7, 3.7e-7}},
    {"jacobian", {3.5e-7, 6.2e-7, 2.9e-7}},
    {"jacobian_drift", {9.1e-7, 1.4e-6, 1.3e-6}},
    {"a", {8.2e-6, 5.6e-7, 5.5e-7}},
    {"a / cond(M)", {1.3e-8, 1.0e-10, 4.3e-10}},
    {"lambda", {1.7e-3, 2.3e-3, 3.0e-3}},
    {"lambda / cond(Lambda)", {6.4e-9, 1.4e-8, 7.2e-8}},
    {"eta", {1.7e-3, 2.2e-3, 3.0e-3}},
    {"eta / cond(Lambda)", {1.0e-8, 1.4e-8, 7.2e-8}},
    {"gravity", {1.9e-6, 1.1e-5, 1.3e-6}},
    {"coriolis", {2.8e-6, 1.9e-5, 2.9e-6}},
    {"coriolis_matrix", {1.4e-6, 1.3e-5, 1.5e-6}},
    {"christoffel", {6.1e-7, 1.2e-5, 1.4e-6}},
    {"mass_matrix_rate", {2.5e-6, 1.4e-5, 3.8e-6}},
    {"mass_matrix_inverse", {1.8e-6, 1.6e-7, 1.2e-7}},
    {"kinetic_energy", {6.3e-7, 8.3e-7, 5.6e-7}},
    {"potential_energy", {3.1e-7, 1.2e-6, 1.1e-6}},
    {"center_of_mass", {3.3e-7, 7.7e-7, 4.7e-6}},
    {"center_of_mass_velocity", {1.6e-6, 2.3e-6, 4.8e-6}},
    {"momentum", {1.1e-6, 2.0e-6, 2.1e-6}},
    {"momentum_matrix", {4.4e-7, 5.5e-7, 4.6e-7}},
    {"link_twists", {4.9e-7, 5.6e-7, 3.3e-7}},
    {"link_accelerations", {6.4e-7, 9.7e-7, 5.3e-7}},
    {"frame_velocity", {8.8e-7, 1.2e-6, 8.0e-7}},
    {"frame_acceleration", {1.7e-6, 1.3e-6, 1.2e-6}},
    {"frame_acceleration_classical", {1.2e-6, 1.8e-6, 1.2e-6}},
    {"jacobian_rate", {5.5e-7, 1.1e-6, 7.9e-7}},
    {"joint_wrenches", {3.4e-7, 2.9e-7, 7.9e-7}},
    {"base_wrench", {4.2e-7, 3.8e-7, 4.6e-7}},
    {"regressor", {8.3e-7, 1.1e-6, 9.7e-7}},
    {"dtau_dq", {6.6e-7, 5.2e-6, 7.4e-7}},
    {"dtau_dv", {1.1e-6, 1.3e-5, 1.3e-6}},
    {"da_dq", {1.6e-5, 2.4e-5, 2.5e-6}},
    {"da_dv", {1.2e-5, 4.3e-6, 2.0e-6}},
    {"da_dtau", {1.8e-6, 1.6e-7, 1.2e-7}},
    {"mobility", {8.6e-7, 1.3e-6, 1.3e-6}},
    {"consistent_inverse", {1.7e-3, 2.3e-3, 2.9e-3}},
    {"null_space_projector", {3.9e-3, 1.5e-2, 2.3e-3}},
    {"forward_frame_acceleration", {1.9e-6, 7.6e-7, 2.2e-6}},
    {"task_torque", {1.9e-3, 2.7e-3, 3.0e-3}},
    {"power_balance", {4.5e-5, 2.4e-5, 7.1e-5}}};

/// `robot`: its place in kLargest.
void ExpectLargest(std::size_t robot, BatchCase batch) {
  const BatchResult expected = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  Errors errors;
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult actual = Evaluate(batch, *kernels);
    EXPECT_EQ(actual.rank, expected.rank);
    EXPECT_EQ(actual.rule, expected.rule);
    AddErrors(batch, actual, expected, &errors);
    const auto in_double =
        std::count_if(actual.doubts.begin(), actual.doubts.end(),
                      [](QuantityBits doubts) { return doubts != 0; });
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
    const auto measured = kLargest.find(quantity);
    ASSERT_NE(measured, kLargest.end()) << quantity;
    EXPECT_LT(largest, 3 * measured->second[robot]) << quantity;
    // Otherwise it is not single precision that was measured.
    EXPECT_GT(median, 1e-12) << quantity;
  }
  for (const auto& [quantity, unused] : kLargest) {
    EXPECT_EQ(errors.count(quantity), 1u) << quantity;
  }
}

TEST(SinglePrecision, OfThePandaIsThisFarFromDouble) {
  ExpectLargest(0, WithoutWrench(MakeShippedCase("panda", kRows, 1)));
}

TEST(SinglePrecision, OfTheUr5eIsThisFarFromDouble) {
  ExpectLargest(1, WithoutWrench(MakeShippedCase("ur5e", kRows, 1)));
}

TEST(SinglePrecision, OfATreeIsThisFarFromDouble) {
  BatchCase batch = WithoutWrench(MakeRandomCase(3, 12, true, kRows));
  batch.options.task.axes = {3, 4, 5};
  batch.options.task.axis_count = 3;
  ExpectLargest(2, std::move(batch));
}

TEST(SinglePrecision, OfArticulatedBodiesIsNotFurtherFromDouble) {
  BatchCase batch = WithoutWrench(MakeRandomCase(6, 20, true, kRows));
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrix};
  const BatchResult expected = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  std::vector<double> errors, largest_of_row(kRows);
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult actual = Evaluate(batch, *kernels);
    for (std::int64_t row = 0; row < kRows; ++row) {
      EXPECT_EQ(actual.doubts[static_cast<std::size_t>(row)], 0u);
      const double error =
          RelativeError(RowOf(actual, Output::kAcceleration, row, 1),
                        RowOf(expected, Output::kAcceleration, row, 1));
      errors.push_back(error);
      double& of_row = largest_of_row[static_cast<std::size_t>(row)];
      of_row = std::max(of_row, error);
    }
  }
  double largest = 0, largest_by_condition = 0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const double error = largest_of_row[static_cast<std::size_t>(row)];
    largest = std::max(largest, error);
    largest_by_condition = std::max(
        largest_by_condition,
        error / ConditionNumber(RowOf(expected, Output::kMassMatrix, row, 20)));
  }
  std::printf("  %s: largest %.1e, divided by cond(M) %.1e\n",
              batch.name.c_str(), largest, largest_by_condition);
  EXPECT_LT(largest, 3 * 9.1e-7);
  EXPECT_LT(largest_by_condition, 3 * 1.9e-10);
  EXPECT_GT(Quantile(errors, 0.5), 1e-12);
}

}  // namespace
}  // namespace torqued::testing_support
