// All targets and both texts compute the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using testing_support::BatchCase;
using testing_support::BatchResult;
using testing_support::ConditionNumber;
using testing_support::Evaluate;
using testing_support::LoadModel;
using testing_support::MakeCase;
using testing_support::MakeRandomCase;
using testing_support::ReadFile;
using testing_support::RelativeError;

constexpr std::int64_t kRows = 19;

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> RowOf(const BatchResult& result, Output output,
                                 std::int64_t row, std::int64_t rows,
                                 int matrix_rows) {
  const auto& table = result.tables.at(output);
  const auto columns = static_cast<std::int64_t>(table.size()) / rows;
  return {table.data() + row * columns, matrix_rows, columns / matrix_rows};
}

/// Largest error of each quantity, relative to the row's largest entry; for
/// what solves with M or W divided by the condition number.
struct Errors {
  double direct = 0;        // tau, M, bias, pose, J
  double drift = 0;         // relative to the size of J̇ q̇'s terms
  double acceleration = 0;  // / cond(M)
  double task = 0;          // / cond(W)
};

/// The size of the terms that a drift is a sum of.
double DriftScale(const BatchCase& batch, std::int64_t row) {
  double scale = 1;
  const int n = batch.model->nv();
  for (int k = 0; k < n; ++k) {
    const double v = batch.v[static_cast<std::size_t>(row * n + k)];
    scale = std::max(scale, v * v);
  }
  return scale * n;
}

Errors Compare(const BatchCase& batch, const BatchResult& actual,
               const BatchResult& expected) {
  Errors errors;
  const int n = batch.model->nv();
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const auto error = [&](Output output, int rows, double scale = 0) {
      return RelativeError(RowOf(actual, output, row, batch.rows, rows),
                           RowOf(expected, output, row, batch.rows, rows),
                           scale);
    };
    const auto direct = [&](Output output, int rows) {
      errors.direct = std::max(errors.direct, error(output, rows));
    };
    direct(Output::kTau, 1);
    direct(Output::kBias, 1);
    direct(Output::kMassMatrix, n);
    direct(Output::kPose, 3);
    direct(Output::kJacobian, 6);
    errors.drift = std::max(
        errors.drift, error(Output::kJacobianDrift, 1, DriftScale(batch, row)));
    const double condition = ConditionNumber(
        RowOf(expected, Output::kMassMatrix, row, batch.rows, n));
    errors.acceleration = std::max(errors.acceleration,
                                   error(Output::kAcceleration, 1) / condition);
    if (expected.rule[static_cast<std::size_t>(row)] != TaskRule::kFullRank) {
      EXPECT_EQ(actual.rule[static_cast<std::size_t>(row)],
                expected.rule[static_cast<std::size_t>(row)]);
      continue;
    }
    const auto lambda = RowOf(expected, Output::kLambda, row, batch.rows,
                              batch.options.task.axis_count);
    // Round-off in J beside the least that the task can move.
    const double sigma = expected.sigma_min[static_cast<std::size_t>(row)];
    const double reach =
        RowOf(expected, Output::kJacobian, row, batch.rows, 6).norm();
    const double task =
        ConditionNumber(lambda) * condition * std::max(1.0, reach / sigma);
    errors.task =
        std::max({errors.task,
                  error(Output::kLambda, batch.options.task.axis_count) / task,
                  // η = Λ r may cancel: relative to Λ and r.
                  error(Output::kEta, 1,
                        lambda.cwiseAbs().maxCoeff() * DriftScale(batch, row)) /
                      task});
  }
  return errors;
}

std::vector<BatchCase> Cases() {
  std::vector<BatchCase> cases;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const int dof = 1 + static_cast<int>(seed) % 14;
    BatchCase batch = MakeRandomCase(seed, dof, seed % 2 == 0, kRows);
    batch.options.terms.gravity = {0.3, -2.0, -9.0};
    batch.options.terms.viscous_friction = seed % 3 == 0;
    batch.options.terms.coulomb_friction = seed % 3 != 1;
    batch.options.reference_frame = static_cast<ReferenceFrame>(seed % 3);
    batch.options.wrench_frame = static_cast<ReferenceFrame>(seed / 3 % 3);
    if (dof < 6) {
      batch.options.task.axes = {4, 0, 5, 1, 2, 3};
      batch.options.task.axis_count = 1 + static_cast<int>(seed) % dof;
    }
    cases.push_back(std::move(batch));
  }
  cases.push_back(MakeRandomCase(41, 40, true, kRows));
  for (const char* file : {"panda.urdf", "ur5e.urdf"}) {
    cases.push_back(MakeCase(
        LoadModel(ReadFile(std::string(TORQUED_MODELS "/") + file)), kRows, 1));
  }
  return cases;
}

void ExpectRoundOff(const Errors& errors, const std::string& where) {
  EXPECT_LT(errors.direct, 2e-13) << where;
  EXPECT_LT(errors.drift, 2e-13) << where;
  EXPECT_LT(errors.acceleration, 2e-13) << where;
  EXPECT_LT(errors.task, 2e-13) << where;
}

BatchResult Reference(BatchCase batch) {
  batch.options.texts = Texts::kReference;
  return Evaluate(batch, BestTarget(), batch.rows, true);
}

std::string Where(const BatchCase& batch, const LaneKernels& kernels) {
  return batch.name + " on " + kernels.target;
}

TEST(LaneAgreement, EveryTargetAgreesWithTheScalarText) {
  std::int64_t doubtful = 0, rows = 0;
  for (const BatchCase& batch : Cases()) {
    const BatchResult reference = Reference(batch);
    for (const LaneKernels* kernels : Targets()) {
      const BatchResult result = Evaluate(batch, *kernels);
      ExpectRoundOff(Compare(batch, result, reference), Where(batch, *kernels));
      for (std::int64_t row = 0; row < batch.rows; ++row) {
        const bool regular = reference.rule[static_cast<std::size_t>(row)] ==
                             TaskRule::kFullRank;
        rows += regular ? 1 : 0;
        doubtful += regular && result.doubts[static_cast<std::size_t>(row)] != 0
                        ? 1
                        : 0;
      }
    }
  }
  // Otherwise the scalar text is compared with itself.
  EXPECT_GT(rows, 500);
  EXPECT_LT(doubtful, rows / 20);
}

TEST(LaneAgreement, GeneralTextsInLanesAgreeWithTheScalarText) {
  for (BatchCase& batch : Cases()) {
    const BatchResult reference = Reference(batch);
    batch.options.texts = Texts::kGeneral;
    for (const LaneKernels* kernels : Targets()) {
      ExpectRoundOff(Compare(batch, Evaluate(batch, *kernels), reference),
                     Where(batch, *kernels));
    }
  }
}

TEST(LaneAgreement, FewerJointsThanTaskRowsAreNeverOfFullRank) {
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    for (const LaneKernels* kernels : Targets()) {
      BatchCase batch = MakeRandomCase(5, 5, false, 200, 0);
      batch.options.precision = precision;
      const BatchResult result = Evaluate(batch, *kernels);
      for (std::size_t row = 0; row < 200; ++row) {
        EXPECT_EQ(result.rank[row], 5u) << kernels->target;
        EXPECT_EQ(result.rule[row], TaskRule::kRangeRestricted);
      }
    }
  }
}

TEST(LaneAgreement, SingularPosesAreNotCertifiedInAnyPrecision) {
  // Wrist axes 4 and 6 of the arm coincide where q5 = 0.
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    for (const LaneKernels* kernels : Targets()) {
      BatchCase batch =
          MakeCase(LoadModel(ReadFile(TORQUED_MODELS "/ur5e.urdf")), 200, 3);
      batch.options.precision = precision;
      for (std::size_t row = 0; row < 200; ++row) batch.q[6 * row + 4] = 0;
      const BatchResult result = Evaluate(batch, *kernels);
      for (std::size_t row = 0; row < 200; ++row) {
        EXPECT_EQ(result.rank[row], 5u) << kernels->target << " row " << row;
      }
    }
  }
}

TEST(LaneAgreement, SingularValuesComeAlsoWhereOnlyAnotherResultIsInDoubt) {
  BatchCase batch = MakeRandomCase(7, 7, false, 20, 0);
  batch.options.quantities = {Quantity::kInverseDynamics,
                              Quantity::kOperationalSpace};
  batch.a[7 * 4 + 2] = 1e308;  // overflows in tau alone
  for (double& x : batch.a) x *= 1.5;
  const BatchResult reference = Reference(batch);
  ASSERT_FALSE(reference.issues.empty());
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult result = Evaluate(batch, *kernels, batch.rows, true);
    for (std::size_t row = 0; row < 20; ++row) {
      EXPECT_NEAR(result.sigma_min[row], reference.sigma_min[row], 1e-12);
    }
  }
}

TEST(LaneAgreement, RankIsDecidedAlsoWhereNoOtherResultIsWanted) {
  const BatchCase batch = MakeRandomCase(5, 5, false, 20, 0);
  const auto plan = std::get<EvaluationPlan>(
      EvaluationPlan::Create(batch.model, batch.options, batch.Inputs()));
  for (const LaneKernels* kernels : Targets()) {
    std::vector<std::uint32_t> rank(20);
    EvaluationOutputs outputs;
    outputs.rank = rank.data();
    RowWorkspace workspace;
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, *kernels, 0, 20, workspace, issues);
    EXPECT_EQ(rank, std::vector<std::uint32_t>(20, 5));
  }
}

TEST(LaneAgreement, AnotherGravityIsNoAgreement) {
  BatchCase batch = MakeRandomCase(1, 6, false, kRows, 0);
  const BatchResult reference = Reference(batch);
  batch.options.terms.gravity = {0, 0, -9.8101};
  EXPECT_GT(Compare(batch, Evaluate(batch, BestTarget()), reference).direct,
            1e-7);
}

}  // namespace
}  // namespace torqued
