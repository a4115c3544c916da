// How far single precision is from double: the figures in precision.md
// are what this prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 10'000, kDoubtfulRows = 500;

/// The errors of all rows, by quantity.
using Errors = std::map<std::string, std::vector<double>>;

double Quantile(std::vector<double>& errors, double share) {
  const auto at =
      errors.begin() + static_cast<std::ptrdiff_t>(
                           share * static_cast<double>(errors.size() - 1));
  std::nth_element(errors.begin(), at, errors.end());
  return *at;
}

/// The largest error of a robot that precision.md has in a row of its
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

/// Each row's errors of single precision on all targets, where at most a share
/// of the rows is computed in double: relative to the row's largest entry;
/// those of what solves with M also divided by cond(M), those of what solves
/// with W = Λ⁻¹ also by cond(Λ). What belongs to the task is computed in double
/// in rows that are not of full rank. No wrench acts: the torques that one
/// takes would hide errors.
Errors ErrorsOf(BatchCase batch, double share_in_double) {
  batch.wrench.clear();
  const BatchResult expected = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  Errors errors;
  const auto add = [&](const BatchResult& actual, Output output,
                       std::int64_t row) {
    const auto condition = [&](Output of, int n) {
      return ConditionNumber(RowOf(expected, of, row, n));
    };
    double scale = 0;
    if (output == Output::kPotentialEnergy) {  // may be zero anywhere
      scale = RowOf(expected, Output::kGravity, row).norm();
    } else if (output == Output::kNullSpaceProjector) {
      scale = 1;  // zero where nothing is left
    }
    const std::string name = std::string(ToString(output)) + "`";
    const double error = RelativeError(RowOf(actual, output, row),
                                       RowOf(expected, output, row), scale);
    errors[name].push_back(error);
    if (QuantityOf(output) == Quantity::kForwardDynamics) {
      errors[name + ", divided by cond(M)"].push_back(
          error / condition(Output::kMassMatrix, batch.model->nv()));
    } else if (QuantityOf(output) == Quantity::kOperationalSpace) {
      errors[name + ", divided by cond(Λ)"].push_back(
          error / condition(Output::kLambda, batch.options.task.axis_count));
    }
  };
  for (const SimdKernels* kernels : Targets()) {
    const BatchResult actual = Evaluate(batch, *kernels);
    EXPECT_EQ(actual.rank, expected.rank);
    EXPECT_EQ(actual.rule, expected.rule);
    for (std::int64_t row = 0; row < kRows; ++row) {
      const bool full_rank = expected.rule[row] == TaskRule::kFullRank;
      for (const auto& [output, unused] : expected.tables) {
        const bool task = (kTaskQuantities & Bit(QuantityOf(output))) != 0;
        if (full_rank || !task) add(actual, output, row);
      }
    }
    const auto in_double =
        kRows - std::count(actual.doubts.begin(), actual.doubts.end(), 0u);
    std::printf("  %s on %s: %.2f %% of the states in double precision\n",
                batch.name.c_str(), kernels->target,
                100 * static_cast<double>(in_double) / kRows);
    EXPECT_LE(in_double, share_in_double * kRows);
  }
  return errors;
}

/// `robot`: its place in the table.
void ExpectLargest(int robot, const BatchCase& batch) {
  for (auto& [quantity, values] : ErrorsOf(batch, 1.0 / 6)) {
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
  ExpectLargest(2, batch);
}

TEST(SinglePrecision, OfArticulatedBodiesIsNotFurtherFromDouble) {
  BatchCase batch = MakeRandomCase(6, 20, true, kRows);
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrix};
  Errors errors = ErrorsOf(batch, 0);
  EXPECT_LT(Quantile(errors["a`"], 1), 3 * 9.1e-7);
  EXPECT_LT(Quantile(errors["a`, divided by cond(M)"], 1), 3 * 1.9e-10);
  EXPECT_GT(Quantile(errors["a`"], 0.5), 1e-12);
}

// Rows that single precision cannot answer.

TEST(DoubtfulRows, OfSinglePrecisionHaveTheBitsOfDoublePrecision) {
  BatchCase near_singular = MakeShippedCase("ur5e", kDoubtfulRows, 11);
  near_singular.options.precision = Precision::kSingle;
  // Every third wrist is so close to its singularity that single precision does
  // not see full rank; the torques of some other rows overflow.
  for (int row = 0; row < kDoubtfulRows; row += 3) {
    near_singular.q[6 * row + 4] = 1e-4 * (1 + row);
  }
  for (int row = 1; row < kDoubtfulRows; row += 30) {
    near_singular.a[6 * row] = 3e38;
  }
  for (const SimdKernels* kernels : Targets()) {
    BatchCase batch = near_singular;
    const BatchResult single = Evaluate(batch, *kernels);
    batch.options.precision = Precision::kDouble;
    const BatchResult exact = Evaluate(batch, *kernels);
    EXPECT_EQ(single.rank, exact.rank);
    int fallback = 0, other = 0;
    for (std::int64_t row = 0; row < kDoubtfulRows; ++row) {
      for (const Output output : {Output::kLambda, Output::kEta,
                                  Output::kConsistentInverse, Output::kTau}) {
        const bool same =
            RowOf(single, output, row) == RowOf(exact, output, row);
        if ((single.doubts[row] & Bit(QuantityOf(output))) != 0) {
          ++fallback;
          EXPECT_TRUE(same) << kernels->target << " row " << row;
        } else if (!same) {
          ++other;
        }
      }
    }
    EXPECT_GT(fallback, 100);
    EXPECT_GT(other, 100);  // else nothing was computed in single precision
    // Nor do they depend on their neighbours.
    batch.options.precision = Precision::kSingle;
    for (const std::int64_t chunk : {1, 7, 100}) {
      ExpectSameRows(Evaluate(batch, *kernels, chunk), single, kernels->target);
    }
  }
}

/// A trunk of 40 kg with two arms of seven joints and hands of fifteen, whose
/// finger links weigh 4 g and have 1e-7 of the trunk's inertia: 46 joints.
std::shared_ptr<const Model> HumanoidWithHands() {
  constexpr std::array<double, 3> kX = {1, 0, 0}, kY = {0, 1, 0},
                                  kZ = {0, 0, 1};
  std::vector<int> carriers = {-1, 0};
  std::vector<JointDescription> joints = {Turning(kZ),
                                          Turning(kY, {0, 0, 0.2})};
  std::vector<LinkDescription> links = {
      Link("", 5, {0, 0, 0.1}, {0.05, 0.05, 0.05}),
      Link("", 40, {0, 0, 0.2}, {1, 1, 1})};
  for (const double side : {0.2, -0.2}) {
    int on = 1;
    for (const auto& axis : {kY, kX, kZ, kY, kZ, kX, kY}) {
      carriers.push_back(on);
      joints.push_back(on == 1 ? Turning(axis, {0, side, 0.4})
                               : Turning(axis, {0, 0, -0.1}));
      links.push_back(Link("", 1, {0, 0, -0.05}, {0.004, 0.004, 0.001}));
      on = static_cast<int>(std::ssize(joints)) - 1;
    }
    for (int k = 0; k < 15; ++k) {
      const int finger = k / 3 - 2;
      carriers.push_back(k % 3 == 0 ? on : on + k);
      joints.push_back(Turning(kY, {0, k % 3 == 0 ? 0.02 * finger : 0, -0.03}));
      links.push_back(Link("", 0.004, {0, 0, -0.015}, {3e-7, 3e-7, 1e-7}));
    }
  }
  return MakeTree(joints, links, carriers);
}

TEST(DoubtfulRows, AreFewOfAHumanoidWithLightFingers) {
  // Pivots are held against what each joint carries, not against each other.
  BatchCase batch = MakeCase(HumanoidWithHands(), kDoubtfulRows, 5);
  ASSERT_EQ(batch.model->nv(), 46);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kForwardDynamicsDerivatives,
                              Quantity::kMassMatrixInverse};
  const BatchResult exact = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  const BatchResult result = Evaluate(batch, BestTarget());
  const auto sure =
      std::count(result.doubts.begin(), result.doubts.end(), QuantityBits{0});
  EXPECT_GT(sure, kDoubtfulRows * 98 / 100);
  for (std::int64_t row = 0; row < kDoubtfulRows; ++row) {
    for (const Output output :
         {Output::kAcceleration, Output::kMassMatrixInverse,
          Output::kAccelerationByTau}) {
      EXPECT_LT(
          RelativeError(RowOf(result, output, row), RowOf(exact, output, row)),
          1e-4)
          << ToString(output) << " of row " << row;
    }
  }
}

TEST(DoubtfulRows, OfATaskAreNotThoseOfManyBranchesTogether) {
  // Three pairs of joints on one axis, of which the inner link has a thousandth
  // of the outer's inertia, and seven single joints: 13 branches from the base,
  // none of which makes another worse.
  std::vector<LinkDescription> links(13, Link("", 1));
  std::vector<int> carriers(13, -1);
  for (const int k : {0, 2, 4}) {
    links[k] = Link("", 1, {}, {1e-3, 1e-3, 1e-3});
    carriers[k + 1] = k;
  }
  BatchCase batch = MakeCase(
      MakeTree(std::vector(13, Turning({0, 0, 1})), links, carriers), 100, 5);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kOperationalSpace};
  batch.options.tip_frame = "l12";
  batch.options.task.axis_count = 1;
  batch.options.task.axes = {2};  // angular z
  batch.options.precision = Precision::kSingle;
  for (const SimdKernels* kernels : Targets()) {
    const BatchResult result = Evaluate(batch, *kernels);
    EXPECT_EQ(
        std::count(result.doubts.begin(), result.doubts.end(), QuantityBits{0}),
        100)
        << kernels->target;
  }
}

TEST(MassMatrixInverse, IsTheDerivativeOfAccelerationsByTorquesBitByBit) {
  for (const int dof : {6, 7, 11, 20}) {
    BatchCase batch = MakeRandomCase(dof, true, 40);
    batch.options.quantities = {Quantity::kMassMatrixInverse,
                                Quantity::kForwardDynamicsDerivatives};
    for (const Route& route : Routes()) {
      const auto tables = Evaluate(batch, route).tables;
      EXPECT_EQ(tables.at(Output::kMassMatrixInverse),
                tables.at(Output::kAccelerationByTau))
          << dof << " joints, " << route.name;
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support
