// All targets compute the same, and what the definitions say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/lanes/batch_case.h"
#include "tests/core/lanes/reference.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kRows = 11;  // a block, and some of the next

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

/// The size of the terms that an output is a sum of, where they may cancel.
double TermsScale(const BatchCase& batch, const BatchResult& result,
                  Output output, std::int64_t row) {
  const auto norm = [&](Output of) { return RowOf(result, of, row, 1).norm(); };
  switch (output) {
    case Output::kGravity:
    case Output::kCoriolis:
    case Output::kPotentialEnergy:
    case Output::kTauByQ:
    case Output::kTauByV:
    case Output::kTaskTorque:
      return norm(Output::kJointWrenches);
    case Output::kEta:
      return norm(Output::kLambda) * norm(Output::kJacobianDrift);
    case Output::kPowerBalance:
      return norm(Output::kJointWrenches) * norm(Output::kLinkTwists) +
             norm(Output::kBaseWrench);
    case Output::kAccelerationByQ:
    case Output::kAccelerationByV:
    case Output::kForwardFrameAcceleration:
      return norm(Output::kJointWrenches) * norm(Output::kMassMatrixInverse);
    case Output::kCoriolisMatrix:
    case Output::kChristoffel:
    case Output::kMassMatrixRate:
      return norm(Output::kMassMatrix);
    case Output::kJacobianRate:
      return DriftScale(batch, row);
    default:
      return 0;
  }
}

bool OfTheTask(Output output) {
  return QuantityOf(output) == Quantity::kTaskProjection ||
         QuantityOf(output) == Quantity::kTaskTorque;
}

/// Adds the error of each quantity of each row, relative to the row's largest
/// entry (of what may cancel, to its terms); for what solves with M or W
/// divided by the condition number. Rank and rule must be the same.
void AddErrors(const BatchCase& batch, const BatchResult& actual,
               const BatchResult& expected, const std::string& where,
               LargestErrors& errors) {
  EXPECT_EQ(actual.rank, expected.rank) << where;
  EXPECT_EQ(actual.rule, expected.rule) << where;
  const int n = batch.model->nv(), m = batch.options.task.axis_count;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const auto add = [&](const char* quantity, Output output, int rows,
                         double scale = 0, double condition = 1) {
      const double error =
          RelativeError(RowOf(actual, output, row, rows),
                        RowOf(expected, output, row, rows), scale);
      errors.Add(quantity, error / condition,
                 where + ", row " + std::to_string(row));
    };
    add("tau", Output::kTau, 1);
    add("bias", Output::kBias, 1);
    add("mass matrix", Output::kMassMatrix, n);
    add("pose", Output::kPose, 3);
    add("jacobian", Output::kJacobian, 6);
    add("drift", Output::kJacobianDrift, 1, DriftScale(batch, row));
    const double condition =
        ConditionNumber(RowOf(expected, Output::kMassMatrix, row, n));
    add("a / cond(M)", Output::kAcceleration, 1, 0, condition);
    for (int k = static_cast<int>(Output::kGravity); k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (OfTheTask(output)) continue;
      const bool solved = (kSolvesMassMatrix & Bit(QuantityOf(output))) != 0;
      add(std::string(ToString(output)).c_str(), output, 1,
          TermsScale(batch, expected, output, row), solved ? condition : 1);
    }
    if (expected.rule[static_cast<std::size_t>(row)] != TaskRule::kFullRank) {
      continue;
    }
    // Round-off in W, and in J beside the least that the task can move.
    const double reach = RowOf(expected, Output::kJacobian, row, 6).norm();
    const double task_condition =
        std::max(ConditionNumber(RowOf(expected, Output::kLambda, row, m)),
                 reach / expected.sigma_min[static_cast<std::size_t>(row)]);
    add("lambda / condition", Output::kLambda, m, 0, task_condition);
    add("eta / condition", Output::kEta, 1,
        TermsScale(batch, expected, Output::kEta, row), task_condition);
    add("mobility", Output::kMobility, 1,
        reach * reach *
            RowOf(expected, Output::kMassMatrixInverse, row, 1).norm(),
        condition);
    add("consistent_inverse", Output::kConsistentInverse, 1, 0,
        task_condition * condition);
    add("null_space_projector", Output::kNullSpaceProjector, 1, 1,
        task_condition * condition);
    add("task_torque", Output::kTaskTorque, 1,
        TermsScale(batch, expected, Output::kTaskTorque, row),
        task_condition * condition);
  }
}

/// Joints in another order than the model's.
std::vector<std::string> TurnedAround(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) names.push_back(joint.name);
  // A permutation that is not its own inverse.
  std::rotate(names.begin(), names.begin() + 1, names.end());
  return names;
}

/// The name of some frame that joints move, or of one that none does.
std::string SomeFrame(const Model& model, std::uint64_t seed, bool moving) {
  const auto frames = model.frames();
  std::size_t at = seed % frames.size();
  while ((frames[at].placement.body != kBase) != moving) {
    at = (at + 1) % frames.size();
  }
  return frames[at].name;
}

/// Random robots with all options, every other one of right angles.
std::vector<BatchCase> RandomCases() {
  std::vector<BatchCase> cases;
  for (std::uint64_t number = 0; number < 80; ++number) {
    const std::uint64_t seed = 1 + number / 2;
    const int dof = 1 + static_cast<int>(seed) % 14;
    RandomRobotOptions robot;
    robot.shape = seed % 2 == 0 ? RandomRobotOptions::Shape::kTree
                                : RandomRobotOptions::Shape::kChain;
    robot.dof = dof;
    robot.friction = true;
    robot.right_angle_share = static_cast<double>(number % 2);
    BatchCase batch = MakeRandomCase(seed, robot, kRows);
    if (seed % 4 >= 2) {
      batch.model = WithArmature(*batch.model, 1);
      batch.name += ", with armature";
    }
    batch.options.terms.gravity = {0.3, -2.0, -9.0};
    batch.options.terms.viscous_friction = seed % 3 == 0;
    batch.options.terms.coulomb_friction = seed % 3 != 1;
    if (seed % 6 == 2 || seed % 6 == 3) {
      batch.options.terms.coulomb_smoothing = 0.3;
    }
    batch.options.reference_frame = static_cast<ReferenceFrame>(seed % 3);
    batch.options.wrench_frame = static_cast<ReferenceFrame>(seed / 3 % 3);
    if (seed % 5 == 0) batch.options.joint_names = TurnedAround(*batch.model);
    if (seed % 7 == 3 || seed % 7 == 5) {
      batch.options.tip_frame =
          SomeFrame(*batch.model, seed, /*moving=*/seed % 7 == 3);
    }
    if (dof < 6) {
      batch.options.task.axes = {4, 0, 5, 1, 2, 3};
      batch.options.task.axis_count = 1 + static_cast<int>(seed) % dof;
    }
    AddTaskInputs(batch, seed);
    if (seed % 8 == 1 || seed % 8 == 6) AddSurroundings(batch, seed);
    cases.push_back(std::move(batch));
  }
  return cases;
}

std::vector<BatchCase> Cases() {
  std::vector<BatchCase> cases = RandomCases();
  cases.push_back(MakeRandomCase(41, 40, true, kRows));
  for (const char* name : {"panda", "ur5e"}) {
    cases.push_back(MakeShippedCase(name, kRows, 1));
  }
  return cases;
}

void ExpectRoundOff(const LargestErrors& errors) {
  // The largest that were measured, over all targets: tau
  // 5.0e-15, bias 5.6e-15, mass matrix 2.3e-15, pose 2.0e-15, Jacobian 3.1e-15,
  // drift 2.2e-15, a 7.3e-15, Λ 8.4e-16, η 2.6e-15.
  errors.ExpectBelow("tau", 2e-14);
  errors.ExpectBelow("bias", 2e-14);
  errors.ExpectBelow("mass matrix", 1e-14);
  errors.ExpectBelow("pose", 1e-14);
  errors.ExpectBelow("jacobian", 1e-14);
  errors.ExpectBelow("drift", 8e-15);
  errors.ExpectBelow("a / cond(M)", 3e-14);
  errors.ExpectBelow("lambda / condition", 1.5e-15);
  errors.ExpectBelow("eta / condition", 1e-14);
  // Of all others 3.4e-15.
  for (int k = static_cast<int>(Output::kGravity); k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    errors.ExpectBelow(std::string(ToString(output)), 1e-14);
  }
}

/// A chain of revolute joints. Between `massless` and the one after it, which
/// turns about the same axis, there is no mass.
std::string ChainWithoutMassAt(int massless, int dof) {
  std::string urdf = "<robot name=\"chain\"><link name=\"link0\"/>";
  for (int i = 1; i <= dof; ++i) {
    const std::string number = std::to_string(i);
    urdf += "<link name=\"link" + number + "\">";
    if (i != massless) {
      urdf +=
          "<inertial><origin xyz=\"0.1 0.2 0.05\"/><mass value=\"2\"/>"
          "<inertia ixx=\"0.02\" iyy=\"0.03\" izz=\"0.025\" ixy=\"0.001\" "
          "ixz=\"0.002\" iyz=\"0.003\"/></inertial>";
    }
    urdf += "</link><joint type=\"continuous\" name=\"joint" + number + "\">";
    urdf += "<parent link=\"link" + std::to_string(i - 1) + "\"/>";
    urdf += "<child link=\"link" + number + "\"/>";
    if (i != massless + 1) {
      urdf += "<origin xyz=\"0.3 0.1 0.2\" rpy=\"0.5 0.7 0.9\"/>";
    }
    urdf += "<axis xyz=\"0 0 1\"/></joint>";
  }
  return urdf + "</robot>";
}

std::string Where(const BatchCase& batch, const LaneKernels& kernels) {
  return batch.name + " on " + kernels.target;
}

TEST(LaneAgreement, RobotsHaveEveryKindOfJointStep) {
  std::set<JointStep> steps;
  std::set<Turn> others;
  for (const BatchCase& batch : Cases()) {
    const LoweredTreeOf<double> lowered = batch.model->lowered().f64();
    for (int i = 0; i < lowered.n; ++i) {
      const LoweredBody<double>& body = lowered.bodies[i];
      if (body.parent == kBase) continue;
      steps.insert(body.step);
      if (body.step == JointStep::kOther) others.insert(body.turn);
    }
  }
  // None along z where axes are parallel: the child's origin slides along its
  // axis to the height of its parent's.
  EXPECT_THAT(steps, ElementsAre(JointStep::kOther, JointStep::kParallel,
                                 JointStep::kParallelX, JointStep::kQuarter,
                                 JointStep::kQuarterX, JointStep::kQuarterZ,
                                 JointStep::kQuarterXZ));
  EXPECT_THAT(others, ElementsAre(Turn::kNone, Turn::kHalf, Turn::kQuarter,
                                  Turn::kAboutX, Turn::kFull));
}

TEST(LaneAgreement, EveryTargetAgreesWithTheDefinitions) {
  LargestErrors errors;
  std::int64_t doubtful = 0, rows = 0;
  for (const BatchCase& batch : Cases()) {
    const BatchResult reference = Reference(batch);
    for (const LaneKernels* kernels : Targets()) {
      const BatchResult result = Evaluate(batch, *kernels);
      AddErrors(batch, result, reference, Where(batch, *kernels), errors);
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
  ExpectRoundOff(errors);
  EXPECT_GT(rows, 500);
  EXPECT_LT(doubtful, rows / 20);
}

/// Rows of full rank and others, of robots whose ranks must be the same.
std::pair<int, int> ExpectRanksOfTheReference(double tolerance,
                                              double characteristic_length) {
  int full = 0, lost = 0;
  for (BatchCase batch :
       {MakeShippedCase("ur5e", 200, 4), MakeShippedCase("panda", 200, 4),
        MakeRandomCase(9, 9, false, 200)}) {
    batch.options.task.rank_tolerance = tolerance;
    batch.options.task.characteristic_length = characteristic_length;
    BatchCase ranks = batch;
    ranks.options.quantities = {Quantity::kOperationalSpace};
    ranks.wrench.clear();
    const BatchResult reference = Reference(ranks);
    for (const TaskRule rule : reference.rule) {
      (rule == TaskRule::kFullRank ? full : lost) += 1;
    }
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      batch.options.precision = precision;
      for (const LaneKernels* kernels : Targets()) {
        const BatchResult result = Evaluate(batch, *kernels);
        EXPECT_EQ(result.rank, reference.rank) << Where(batch, *kernels);
        EXPECT_EQ(result.rule, reference.rule) << Where(batch, *kernels);
      }
    }
  }
  return {full, lost};
}

TEST(LaneAgreement, RanksAreThoseOfTheReferenceAtEveryTolerance) {
  for (const double tolerance : {1e-12, 1e-3, 1e-2, 0.03, 0.1, 0.3}) {
    const auto [full, lost] = ExpectRanksOfTheReference(tolerance, 0.4);
    if (tolerance < 0.1) {
      EXPECT_GT(full, 100) << tolerance;
    }
    if (tolerance > 0.01) {
      EXPECT_GT(lost, 50) << tolerance;
    }
  }
}

TEST(LaneAgreement, RanksAreThoseOfTheReferenceAtEveryScale) {
  for (const double length : {1e-3, 1e-2, 10.0, 100.0}) {
    const double share = std::min(length, 1 / length);
    for (const double factor : {0.05, 0.3, 1.0}) {
      const auto [full, lost] =
          ExpectRanksOfTheReference(factor * share, length);
      if (factor < 0.1) {
        EXPECT_GT(full, 100) << length;
      }
      if (factor > 0.9) {
        EXPECT_GT(lost, 50) << length;
      }
    }
  }
}

TEST(LaneAgreement, RanksAreThoseOfTheReferenceAtTheLeastAndLargestLength) {
  for (const double length :
       {kLeastLength, 1e-20, 1e-19, 1e19, 1e20, kLargestLength}) {
    const auto [full, lost] =
        ExpectRanksOfTheReference(0.1 * std::min(length, 1 / length), length);
    EXPECT_EQ(full + lost, 600) << length;
  }
}

TEST(LaneAgreement, FewerJointsThanTaskRowsAreNeverOfFullRank) {
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    for (const LaneKernels* kernels : Targets()) {
      for (int dof = 1; dof < 6; ++dof) {
        BatchCase batch = MakeRandomCase(5, dof, false, 200, 0);
        batch.options.precision = precision;
        batch.options.task.rank_tolerance = 0;
        const BatchResult result = Evaluate(batch, *kernels);
        for (std::size_t row = 0; row < 200; ++row) {
          EXPECT_EQ(result.rank[row], static_cast<std::uint32_t>(dof))
              << kernels->target;
          EXPECT_EQ(result.rule[row], TaskRule::kRangeRestricted);
        }
      }
    }
  }
}

TEST(LaneAgreement, SingularPosesAreNotCertifiedInAnyPrecision) {
  // Wrist axes 4 and 6 of the arm coincide where q5 = 0.
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    for (const LaneKernels* kernels : Targets()) {
      BatchCase batch = MakeShippedCase("ur5e", 200, 3);
      batch.options.precision = precision;
      for (std::size_t row = 0; row < 200; ++row) batch.q[6 * row + 4] = 0;
      const BatchResult result = Evaluate(batch, *kernels);
      for (std::size_t row = 0; row < 200; ++row) {
        EXPECT_EQ(result.rank[row], 5u) << kernels->target << " row " << row;
      }
    }
  }
}

TEST(LaneAgreement, JointsThatMoveNoMassAreFoundByBothWaysToAccelerations) {
  // Its pivot is zero, or what round-off leaves of it.
  constexpr int kMassless = 3;
  constexpr std::int64_t kMany = 200;
  for (const int dof : {6, 14}) {
    BatchCase batch =
        MakeCase(LoadModel(ChainWithoutMassAt(kMassless, dof)), kMany, 1);
    batch.options.quantities = {Quantity::kForwardDynamics};
    batch.wrench.clear();
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      batch.options.precision = precision;
      for (const LaneKernels* kernels : Targets()) {
        const BatchResult result = Evaluate(batch, *kernels);
        ASSERT_EQ(result.issues.size(), static_cast<std::size_t>(kMany))
            << dof << " joints on " << kernels->target;
        for (const RowIssue& issue : result.issues) {
          EXPECT_EQ(issue.code, RowCode::kSingularMassMatrix);
          EXPECT_EQ(issue.column, kMassless - 1);
        }
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
  LargestErrors errors;
  AddErrors(batch, Evaluate(batch, BestTarget()), reference, "twin", errors);
  errors.ExpectAbove("tau", 1e-7);
  errors.ExpectAbove("bias", 1e-7);
  errors.ExpectBelow("mass matrix", 1e-14);
}

}  // namespace
}  // namespace torqued::testing_support
