// Rows that single precision cannot answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/lanes/batch_case.h"
#include "tests/core/model/descriptions.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 500;

/// Every third wrist of the arm is so close to its singularity that single
/// precision does not see full rank.
BatchCase NearWristSingularity() {
  BatchCase batch = MakeShippedCase("ur5e", kRows, 11);
  batch.options.precision = Precision::kSingle;
  for (std::size_t row = 0; row < kRows; row += 3) {
    batch.q[6 * row + 4] = 1e-4 * static_cast<double>(1 + row);
  }
  // Other rows are in doubt of other quantities: their torques overflow.
  for (std::size_t row = 1; row < kRows; row += 30) batch.a[6 * row] = 3e38;
  return batch;
}

/// The numbers of a row of one output.
std::vector<double> Numbers(const BatchResult& result, Output output,
                            std::int64_t row) {
  const auto numbers = RowOf(result, output, row, 1);
  return {numbers.data(), numbers.data() + numbers.size()};
}

TEST(DoubtfulRows, OfSinglePrecisionHaveTheBitsOfDoublePrecision) {
  for (const LaneKernels* kernels : Targets()) {
    BatchCase batch = NearWristSingularity();
    const BatchResult single = Evaluate(batch, *kernels);
    batch.options.precision = Precision::kDouble;
    const BatchResult exact = Evaluate(batch, *kernels);
    EXPECT_EQ(single.rank, exact.rank);
    int doubtful = 0, other = 0;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const QuantityBits doubts = single.doubts[static_cast<std::size_t>(row)];
      for (const Output output : {Output::kLambda, Output::kEta,
                                  Output::kConsistentInverse, Output::kTau}) {
        const bool same =
            Numbers(single, output, row) == Numbers(exact, output, row);
        if ((doubts & Bit(QuantityOf(output))) != 0) {
          ++doubtful;
          EXPECT_TRUE(same) << kernels->target << " row " << row;
        } else if (!same) {
          ++other;
        }
      }
    }
    EXPECT_GT(doubtful, 100);
    EXPECT_GT(other, 100);  // else nothing was computed in single precision
  }
}

TEST(DoubtfulRows, DoNotDependOnTheirNeighbours) {
  const BatchCase batch = NearWristSingularity();
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult all = Evaluate(batch, *kernels);
    for (const std::int64_t chunk : {1, 7, 100}) {
      const BatchResult chunks = Evaluate(batch, *kernels, chunk);
      for (std::int64_t row = 0; row < kRows; ++row) {
        ASSERT_TRUE(SameRow(chunks, row, all, row))
            << kernels->target << " row " << row << " in chunks of " << chunk;
      }
    }
  }
}

/// A trunk of 40 kg with two arms of seven joints and hands of fifteen, whose
/// finger links weigh 4 g and have 1e-7 of the trunk's inertia: 46 joints.
std::shared_ptr<const Model> HumanoidWithHands() {
  std::vector<LinkDescription> links = {MasslessLink("base")};
  std::vector<JointDescription> joints;
  const auto add = [&](const std::string& name, const std::string& parent,
                       std::array<double, 3> at, std::array<double, 3> axis,
                       LinkDescription link) {
    link.name = name;
    links.push_back(std::move(link));
    joints.push_back(
        JointOf(name, JointKind::kContinuous, parent, name, at, axis));
  };
  constexpr std::array<double, 3> kX = {1, 0, 0}, kY = {0, 1, 0},
                                  kZ = {0, 0, 1};
  add("waist", "base", {}, kZ, Link("", 5, {0, 0, 0.1}, {0.05, 0.05, 0.05}));
  add("trunk", "waist", {0, 0, 0.2}, kY, Link("", 40, {0, 0, 0.2}, {1, 1, 1}));
  for (const double side : {1.0, -1.0}) {
    const std::string arm = side > 0 ? "left" : "right";
    const std::array<double, 3> axes[] = {kY, kX, kZ, kY, kZ, kX, kY};
    std::string parent = "trunk";
    for (int k = 0; k < 7; ++k) {
      const bool long_link = k == 2 || k == 3;
      const std::string name = arm + std::to_string(k);
      const double at = k == 0 ? 0.4 : k == 3 || k == 4 ? -0.28 : 0;
      add(name, parent, {0, k == 0 ? side * 0.2 : 0.0, at}, axes[k],
          long_link ? Link("", 2, {0, 0, -0.14}, {0.012, 0.012, 0.001})
                    : Link("", 0.3, {0, 0, 0}, {1e-4, 1e-4, 1e-4}));
      parent = name;
    }
    const std::string palm = parent;
    for (int finger = 0; finger < 5; ++finger) {
      parent = palm;
      for (int k = 0; k < 3; ++k) {
        const std::string name =
            arm + "f" + std::to_string(finger) + std::to_string(k);
        add(name, parent, {0.0, k == 0 ? 0.02 * (finger - 2) : 0.0, -0.03}, kY,
            Link("", 0.004, {0, 0, -0.015}, {3e-7, 3e-7, 1e-7}));
        parent = name;
      }
    }
  }
  return Build(links, joints).model;
}

TEST(DoubtfulRows, AreFewOfAHumanoidWithLightFingers) {
  // Pivots are held against what each joint carries, not against each other.
  const auto model = HumanoidWithHands();
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->nv(), 46);
  BatchCase batch = MakeCase(model, kRows, 5);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kForwardDynamicsDerivatives,
                              Quantity::kMassMatrixInverse};
  const BatchResult exact = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  const BatchResult result = Evaluate(batch, BestTarget());
  const auto sure =
      std::count(result.doubts.begin(), result.doubts.end(), QuantityBits{0});
  EXPECT_GT(sure, kRows * 98 / 100);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (const Output output :
         {Output::kAcceleration, Output::kMassMatrixInverse,
          Output::kAccelerationByTau}) {
      EXPECT_LT(RelativeError(RowOf(result, output, row, 1),
                              RowOf(exact, output, row, 1)),
                1e-4)
          << ToString(output) << " of row " << row;
    }
  }
}

/// Three pairs of joints on one axis, of which the inner link has a thousandth
/// of the outer's inertia, and seven single joints: 13 branches from the base,
/// none of which makes another worse.
std::shared_ptr<const Model> ThreeWeakBranches() {
  std::vector<LinkDescription> links = {MasslessLink("base")};
  std::vector<JointDescription> joints;
  const auto add = [&](const std::string& name, const std::string& parent,
                       double inertia) {
    links.push_back(Link(name, 1, {}, {inertia, inertia, inertia}));
    joints.push_back(JointOf(name, JointKind::kContinuous, parent, name));
  };
  for (int k = 0; k < 10; ++k) {
    const std::string name = "link" + std::to_string(k);
    const bool weak = k < 3;
    add(name, "base", weak ? 1e-3 : 1);
    if (weak) add(name + "_outer", name, 1);
  }
  return Build(links, joints).model;
}

TEST(DoubtfulRows, OfATaskAreNotThoseOfManyBranchesTogether) {
  BatchCase batch = MakeCase(ThreeWeakBranches(), 100, 5);
  ASSERT_EQ(batch.model->nv(), 13);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kOperationalSpace};
  batch.options.tip_frame = "link9";
  batch.options.task.axis_count = 1;
  batch.options.task.axes = {2};  // angular z
  batch.options.precision = Precision::kSingle;
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult result = Evaluate(batch, *kernels);
    EXPECT_EQ(
        std::count(result.doubts.begin(), result.doubts.end(), QuantityBits{0}),
        100)
        << kernels->target;
  }
}

TEST(MassMatrixInverse, IsTheDerivativeOfAccelerationsByTorquesBitByBit) {
  for (const int dof : {6, 7, 11, 20}) {
    BatchCase batch =
        MakeRandomCase(static_cast<std::uint64_t>(dof), dof, true, 40);
    batch.options.quantities = {Quantity::kMassMatrixInverse,
                                Quantity::kForwardDynamicsDerivatives};
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      for (const LaneKernels* kernels : Targets()) {
        batch.options.precision = precision;
        const BatchResult result = Evaluate(batch, *kernels);
        for (std::int64_t row = 0; row < batch.rows; ++row) {
          ASSERT_EQ(Numbers(result, Output::kMassMatrixInverse, row),
                    Numbers(result, Output::kAccelerationByTau, row))
              << dof << " joints, " << kernels->target;
        }
      }
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support
