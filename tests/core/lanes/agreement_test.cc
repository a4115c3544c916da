// All targets compute the same, and what the definitions say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/model/compile.h"
#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::Pointwise;
using enum Output;

constexpr std::int64_t kRows = 11;  // a block, and some of the next

/// The size of the terms that an output is a sum of, where they may cancel.
double TermsScale(const BatchCase& batch, const BatchResult& result,
                  Output output, std::int64_t row) {
  const auto norm = [&](Output of) { return RowOf(result, of, row).norm(); };
  switch (output) {
    case kGravity:
    case kCoriolis:
    case kPotentialEnergy:
    case kTauByQ:
    case kTauByV:
    case kTaskTorque:
      return norm(kJointWrenches);
    case kEta:
      return norm(kLambda) * norm(kJacobianDrift);
    case kPowerBalance:
      return norm(kJointWrenches) * norm(kLinkTwists) + norm(kBaseWrench);
    case kAccelerationByQ:
    case kAccelerationByV:
    case kForwardFrameAcceleration:
      return norm(kJointWrenches) * norm(kMassMatrixInverse);
    case kCoriolisMatrix:
    case kChristoffel:
    case kMassMatrixRate:
      return norm(kMassMatrix);
    case kJacobianDrift:
    case kJacobianRate: {
      const int n = batch.model->nv();
      const Eigen::Map<const Eigen::ArrayXd> v(batch.v.data() + row * n, n);
      return n * std::max(1.0, v.square().maxCoeff());
    }
    case kMobility:
      return RowOf(result, kJacobian, row).squaredNorm() *
             norm(kMassMatrixInverse);
    case kNullSpaceProjector:
      return 1;
    default:
      return 0;
  }
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
    const bool full_rank = expected.rule[row] == TaskRule::kFullRank;
    const double condition =
        ConditionNumber(RowOf(expected, kMassMatrix, row, n));
    // Round-off in W, and in J beside the least that the task can move.
    const double task_condition =
        full_rank ? std::max(ConditionNumber(RowOf(expected, kLambda, row, m)),
                             RowOf(expected, kJacobian, row).norm() /
                                 expected.sigma_min[row])
                  : 1;
    for (const auto& [output, unused] : expected.tables) {
      const QuantityBits of = Bit(QuantityOf(output));
      const bool task = (kTaskQuantities & of) != 0;
      if (task && !full_rank) continue;
      const bool by_task = task && output != kMobility;
      const bool by_mass = (kSolvesMassMatrix & of) != 0 &&
                           QuantityOf(output) != Quantity::kOperationalSpace;
      errors.Add(std::string(ToString(output)),
                 RelativeError(RowOf(actual, output, row),
                               RowOf(expected, output, row),
                               TermsScale(batch, expected, output, row)) /
                     (by_mass ? condition : 1) / (by_task ? task_condition : 1),
                 where + ", row " + std::to_string(row));
    }
  }
}

/// Random robots with all options, every other one of right angles, and others.
std::vector<BatchCase> Cases() {
  std::vector<BatchCase> cases;
  for (std::uint64_t number = 0; number < 80; ++number) {
    const std::uint64_t seed = 1 + number / 2;
    const int dof = 1 + static_cast<int>(seed) % 14;
    BatchCase batch = MakeRandomCase(seed, dof, seed % 2 == 0, kRows, 0.25,
                                     static_cast<double>(number % 2));
    if (seed % 4 >= 2) {
      batch.model = WithArmature(*batch.model, 1);
      batch.name += ", with armature";
    }
    batch.options.terms.gravity = {0.3, -2.0, -9.0};
    batch.options.terms.viscous_friction = seed % 3 == 0;
    batch.options.terms.coulomb_friction = seed % 3 != 1;
    batch.options.terms.coulomb_smoothing = seed % 6 / 2 == 1 ? 0.3 : 0;
    batch.options.reference_frame = static_cast<ReferenceFrame>(seed % 3);
    batch.options.wrench_frame = static_cast<ReferenceFrame>(seed / 3 % 3);
    if (seed % 5 == 0) TurnJointsAround(batch);
    // Some frame that joints move, or one that none does.
    for (const Frame& frame : batch.model->frames()) {
      const bool moving = frame.body != kBase;
      if (seed % 7 == (moving ? 3 : 5)) batch.options.tip_frame = frame.name;
    }
    if (dof < 6) {
      batch.options.task.axes = {4, 0, 5, 1, 2, 3};
      batch.options.task.axis_count = 1 + static_cast<int>(seed) % dof;
    }
    AddTaskInputs(batch, seed);
    if (seed % 8 == 1 || seed % 8 == 6) AddSurroundings(batch, seed);
    cases.push_back(std::move(batch));
  }
  cases.push_back(MakeRandomCase(41, 40, true, kRows));
  for (const char* name : {"panda", "ur5e"}) {
    cases.push_back(MakeShippedCase(name, kRows, 1));
  }
  return cases;
}

std::string Where(const BatchCase& batch, const SimdKernels& kernels) {
  return batch.name + " on " + kernels.target;
}

TEST(LaneAgreement, EveryTargetAgreesWithTheDefinitions) {
  LargestErrors errors;
  std::int64_t fallback = 0, rows = 0;
  std::set<TransformKind> steps;
  std::set<FixedRotation> others;
  for (const BatchCase& batch : Cases()) {
    const BatchResult reference = Reference(batch);
    for (const SimdKernels* kernels : Targets()) {
      const BatchResult result = Evaluate(batch, *kernels);
      AddErrors(batch, result, reference, Where(batch, *kernels), errors);
      for (std::int64_t row = 0; row < batch.rows; ++row) {
        if (reference.rule[row] != TaskRule::kFullRank) continue;
        ++rows;
        fallback += result.doubts[row] != 0 ? 1 : 0;
      }
    }
    const CompiledTree<double> compiled = batch.model->compiled().f64();
    for (int i = 0; i < compiled.n; ++i) {
      const CompiledBody<double>& body = compiled.bodies[i];
      if (body.parent == kBase) continue;
      steps.insert(body.kind);
      if (body.kind == TransformKind::kOther) others.insert(body.rotation);
    }
  }
  // The largest that were measured, over all targets: tau 5.0e-15, bias
  // 5.6e-15, drift 2.2e-15, a 7.3e-15, lambda 8.4e-16, others 3.4e-15.
  std::map<Output, double> bounds = {{kTau, 2e-14},
                                     {kBias, 2e-14},
                                     {kJacobianDrift, 8e-15},
                                     {kAcceleration, 3e-14},
                                     {kLambda, 1.5e-15}};
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    errors.ExpectBelow(std::string(ToString(output)),
                       bounds.emplace(output, 1e-14).first->second);
  }
  EXPECT_GT(rows, 500);
  EXPECT_LT(fallback, rows / 20);
  // Robots have every kind of joint step, but for one along z where axes are
  // parallel: the child's origin slides along its axis to the height of its
  // parent's.
  EXPECT_EQ(steps.size(), 7u);
  EXPECT_EQ(others.size(), 5u);
}

/// Of 600 rows more than these are of full rank, and not of full rank.
void ExpectRanksOfTheReference(double tolerance, double length, int full_above,
                               int lost_above) {
  SCOPED_TRACE(testing::Message() << tolerance << " at " << length);
  int full = 0, lost = 0;
  for (BatchCase batch :
       {MakeShippedCase("ur5e", 200, 4), MakeShippedCase("panda", 200, 4),
        MakeRandomCase(9, 9, false, 200)}) {
    batch.options.task.rank_tolerance = tolerance;
    batch.options.task.characteristic_length = length;
    BatchCase ranks = batch;
    ranks.options.quantities = {Quantity::kOperationalSpace};
    ranks.wrench.clear();
    const BatchResult reference = Reference(ranks);
    for (const TaskRule rule : reference.rule) {
      (rule == TaskRule::kFullRank ? full : lost) += 1;
    }
    for (const Route& route : Routes()) {
      const BatchResult result = Evaluate(batch, route);
      EXPECT_EQ(result.rank, reference.rank) << batch.name << route.name;
      EXPECT_EQ(result.rule, reference.rule) << batch.name << route.name;
    }
  }
  EXPECT_GT(full, full_above);
  EXPECT_GT(lost, lost_above);
}

TEST(LaneAgreement, RanksAreThoseOfTheReferenceAtEveryToleranceAndScale) {
  for (const double tolerance : {1e-12, 1e-3, 1e-2, 0.03, 0.1, 0.3}) {
    ExpectRanksOfTheReference(tolerance, 0.4, tolerance < 0.1 ? 100 : -1,
                              tolerance > 0.01 ? 50 : -1);
  }
  for (const double length : {1e-3, 1e-2, 10.0, 100.0}) {
    const double share = std::min(length, 1 / length);
    ExpectRanksOfTheReference(0.05 * share, length, 100, -1);
    ExpectRanksOfTheReference(0.3 * share, length, -1, -1);
    ExpectRanksOfTheReference(share, length, -1, 50);
  }
  for (const double length :
       {kLeastLength, 1e-20, 1e-19, 1e19, 1e20, kLargestLength}) {
    ExpectRanksOfTheReference(0.1 * std::min(length, 1 / length), length, -1,
                              -1);
  }
}

TEST(LaneAgreement, FewerJointsThanTaskRowsAreNeverOfFullRank) {
  for (std::uint32_t dof = 1; dof < 6; ++dof) {
    BatchCase batch = MakeRandomCase(5, dof, false, 200, 0);
    batch.options.task.rank_tolerance = 0;
    for (const Route& route : Routes()) {
      const BatchResult result = Evaluate(batch, route);
      EXPECT_THAT(result.rank, Each(dof)) << route.name;
      EXPECT_THAT(result.rule, Each(TaskRule::kRangeRestricted));
    }
  }
}

TEST(LaneAgreement, SingularPosesAreNotCertifiedInAnyPrecision) {
  // Wrist axes 4 and 6 of the arm coincide where q5 = 0.
  BatchCase batch = MakeShippedCase("ur5e", 200, 3);
  for (int row = 0; row < 200; ++row) batch.q[6 * row + 4] = 0;
  for (const Route& route : Routes()) {
    EXPECT_THAT(Evaluate(batch, route).rank, Each(5u)) << route.name;
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
  for (const SimdKernels* kernels : Targets()) {
    EXPECT_THAT(Evaluate(batch, *kernels, batch.rows, true).sigma_min,
                Pointwise(DoubleNear(1e-12), reference.sigma_min));
  }
}

TEST(LaneAgreement, RankIsDecidedAlsoWhereNoOtherResultIsWanted) {
  const BatchCase batch = MakeRandomCase(5, 5, false, 20, 0);
  const EvaluationPlan plan = batch.Plan();
  for (const SimdKernels* kernels : Targets()) {
    std::vector<std::uint32_t> rank(20);
    EvaluationOutputs outputs;
    outputs.rank = rank.data();
    RowWorkspace workspace;
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, *kernels, 0, 20, workspace, issues);
    EXPECT_THAT(rank, Each(5u));
  }
}

// Large joint angles keep their digits: nothing is added to them before sine
// and cosine are taken.

/// Makes angles of about every other row large: half to all of `size`. Numbers
/// of single precision.
BatchCase WithLargeAngles(BatchCase batch, double size) {
  Random random(batch.model->nv());
  bool large = false;
  for (std::size_t k = 0; k < batch.q.size(); ++k) {
    if (k % batch.model->nv() == 0) large = random.Chance(0.5);
    if (!large || random.Chance(0.4)) continue;
    const auto angle = static_cast<float>(random.Uniform(size / 2, size));
    batch.q[k] = static_cast<double>(random.Chance(0.5) ? angle : -angle);
  }
  return batch;
}

/// Of every result against the reference, relative to the row's largest entry.
void ExpectErrorsBelow(double bound, Precision precision,
                       const std::vector<double>& sizes) {
  LargestErrors errors;
  int rests = 0, joints = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const int dof = 2 + static_cast<int>(seed) % 8;
    BatchCase batch = MakeRandomCase(seed, dof, seed % 2 == 0, 40, 0);
    // What depends on the angles alone, and does not cancel.
    batch.options.quantities = {Quantity::kMassMatrix, Quantity::kFramePose,
                                Quantity::kJacobian};
    batch.options.precision = precision;
    batch.wrench.clear();
    for (const double size : sizes) {
      const BatchCase turned = WithLargeAngles(batch, size);
      const BatchResult expected = Reference(turned);
      for (const SimdKernels* kernels : Targets()) {
        const BatchResult actual = Evaluate(turned, *kernels);
        for (std::int64_t row = 0; row < batch.rows; ++row) {
          for (const auto& [output, unused] : expected.tables) {
            errors.Add(std::to_string(size), RowOf(actual, output, row),
                       RowOf(expected, output, row),
                       Where(batch, *kernels) + ", row " + std::to_string(row));
          }
        }
      }
    }
    const auto compiled = batch.model->compiled().f64();
    for (int i = 0; i < compiled.n; ++i) {
      EXPECT_EQ(compiled.bodies[i].motion, JointMotion::kRevolute);
      rests += compiled.bodies[i].q0_rest != 0 ? 1 : 0;
    }
    joints += dof;
  }
  EXPECT_GT(rests, joints / 2) << "if all are quarter turns, nothing is proved";
  for (const double size : sizes) {
    errors.ExpectBelow(std::to_string(size), bound);
  }
}

TEST(LargeAngles, CostNoDigit) {
  // 1.9e-15 and 4.8e-7 seen. The last sizes are beyond the range of the lanes'
  // own sine.
  ExpectErrorsBelow(6e-15, Precision::kDouble, {1e3, 1e6, 1e9, 1e30});
  ExpectErrorsBelow(1.5e-6, Precision::kSingle, {1e3, 8e3, 1e6, 1e30});
}

TEST(Payload, IsALinkOnAFixedJoint) {
  const std::string link_on =
      R"(<link name="load"><inertial><origin xyz="0.1 -0.2 0.3"/>
      <mass value="2.5"/><inertia ixx="0.03" ixy="0.001" ixz="-0.002"
      iyy="0.04" iyz="0.003" izz="0.05"/></inertial></link>
      <joint name="grip" type="fixed"><child link="load"/><parent link=")";
  PayloadOptions load;
  load.inertial.mass = 2.5;
  load.inertial.origin.p = {0.1, -0.2, 0.3};
  load.inertial.inertia = {0.03, 0.001, -0.002, 0.04, 0.003, 0.05};
  LargestErrors errors;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    RandomRobotOptions options;
    options.dof = 2 + static_cast<int>(seed) % 8;
    options.shape = seed % 2 == 0 ? RandomRobotOptions::Shape::kTree
                                  : RandomRobotOptions::Shape::kChain;
    const RandomRobot robot = MakeRandomRobot(seed, options);
    BatchCase batch = MakeCase(LoadModel(robot.urdf, robot.tip), kRows, seed);
    const BatchResult bare = Evaluate(batch, BestTarget());
    BatchCase with_link = batch;
    std::string urdf = robot.urdf;
    urdf.insert(urdf.rfind("</robot>"), link_on + robot.tip + "\"/></joint>");
    with_link.model = LoadModel(urdf, robot.tip);
    const BatchResult link = Evaluate(with_link, BestTarget());
    load.frame = robot.tip;
    batch.options.payload = load;
    const BatchResult payload = Evaluate(batch, BestTarget());
    for (const Output output :
         {kTau, kMassMatrix, kGravity, kCoriolisMatrix, kKineticEnergy,
          kCenterOfMass, kJointWrenches, kBaseWrench, kTauByQ, kRegressor}) {
      const std::string name(ToString(output));
      for (std::int64_t row = 0; row < kRows; ++row) {
        const auto expected = RowOf(link, output, row);
        errors.Add("results",
                   RelativeError(RowOf(payload, output, row), expected, 1),
                   batch.name + " " + name);
        errors.Add(name + " without it", RowOf(bare, output, row), expected,
                   batch.name);
      }
    }
    // On the base it changes nothing.
    batch.options.payload->frame = batch.model->frames()[0].name;
    ExpectSameRows(Evaluate(batch, BestTarget()), bare, batch.name);
  }
  errors.ExpectBelow("results", 1e-13);
  errors.ExpectAbove("tau without it", 1e-3);
  errors.ExpectAbove("mass_matrix without it", 1e-3);
}

}  // namespace
}  // namespace torqued::testing_support
