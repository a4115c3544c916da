// What the measurements rest on: robots, states, counts of operations.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/evaluation_run.h"
#include "bench/humanoid.h"
#include "bench/operation_count.h"
#include "bench/robots.h"
#include "bench/states.h"
#include "bench/targets.h"
#include "bench/workload.h"
#include "core/batch/engine.h"
#include "core/formats/urdf.h"

namespace torqued::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Humanoid, LoadsWithoutRemarkAndHangsByItsPelvis) {
  BuildOptions options;
  options.default_tip = kHumanoidTip;
  const LoadResult loaded = LoadUrdf(HumanoidUrdf(), options);
  ASSERT_NE(loaded.model, nullptr);
  for (const Finding& finding : loaded.report.findings()) {
    EXPECT_EQ(finding.severity, Severity::kInfo) << finding.message;
  }
  EXPECT_EQ(loaded.model->nv(), 36);
  // Seven joints of the arm and three of the waist move the hand.
  int moving = 0;
  for (int i =
           loaded.model->frames()[*loaded.model->tip_frame()].placement.body;
       i != kBase; i = loaded.model->joints()[i].parent) {
    ++moving;
  }
  EXPECT_EQ(moving, 10);
  // Without the pelvis: drives weigh what was taken from the segments.
  EXPECT_NEAR(loaded.model->moving_mass(), 75 * (1 - 0.1117), 1e-9);
}

TEST(Humanoid, HasLightFingersInPlaceOfItsGrippers) {
  const BenchRobot robot = LightLinkedRobot();
  EXPECT_EQ(robot.model->nv(), 44);
  double lightest = 1, heaviest = 0;
  const Tree tree = robot.model->tree();
  for (int i = 0; i < tree.n; ++i) {
    lightest = std::min(lightest, tree.bodies[i].mass);
    heaviest = std::max(heaviest, tree.bodies[i].mass);
  }
  EXPECT_LT(lightest, 2e-4 * heaviest);
}

TEST(EvaluationRun, SinglePrecisionHasHalfTheBytes) {
  const BenchRobot robot = LightLinkedRobot();
  const States states = RandomStates(*robot.model, 20);
  for (const Workload workload : AllWorkloads()) {
    const EvaluationRun exact(robot, workload, states, 20);
    const EvaluationRun single(robot, workload, states, 20, Precision::kSingle);
    EXPECT_EQ(2 * single.bytes(), exact.bytes()) << Name(workload);
    EXPECT_FALSE(Engine().Evaluate(single.plan(), single.outputs()).failed);
  }
}

TEST(Humanoid, LeftIsTheMirrorImageOfRight) {
  // At q = 0 gravity pulls alike. Thumb and finger are not mirrored.
  const BenchRobot robot = BenchRobots().back();
  States zeros{1,
               36,
               std::vector<double>(36),
               std::vector<double>(36),
               std::vector<double>(36),
               std::vector<double>(36)};
  const EvaluationRun run(robot, Workload::kBiasForces, zeros, 1);
  Engine().Evaluate(run.plan(), run.outputs());
  const double* h = run.result(Output::kBias);
  // The arms balance each other about the forward axis.
  EXPECT_NEAR(h[*robot.model->FindJoint("waist_roll_joint")], 0, 1e-9);
  for (const Joint& joint : robot.model->joints()) {
    if (!joint.name.starts_with("left_") ||
        joint.name.find("thumb") != std::string::npos ||
        joint.name.find("finger") != std::string::npos) {
      continue;
    }
    const std::string mirrored = "right_" + joint.name.substr(5);
    const auto other = robot.model->FindJoint(mirrored);
    ASSERT_TRUE(other) << mirrored;
    EXPECT_NEAR(std::abs(h[joint.v_index]), std::abs(h[*other]), 1e-9)
        << joint.name;
  }
}

TEST(States, LieWithinTheLimitsAndRepeat) {
  for (const BenchRobot& robot : BenchRobots()) {
    const States states = RandomStates(*robot.model, 100);
    for (std::size_t k = 0; k < states.q.size(); ++k) {
      const JointLimits& limits =
          robot.model->joints()[k % robot.model->joints().size()].limits;
      ASSERT_GE(states.q[k], *limits.lower);
      ASSERT_LE(states.q[k], *limits.upper);
    }
    // The first states of a larger table are the same.
    const States more = RandomStates(*robot.model, 200);
    EXPECT_TRUE(
        std::equal(states.tau.begin(), states.tau.end(), more.tau.begin()));
    EXPECT_NE(states.q[0], states.q[static_cast<std::size_t>(states.columns)]);
  }
}

TEST(States, ColumnsFollowTheNames) {
  const BenchRobot robot = BenchRobots().front();
  std::vector<std::string> names;
  for (const Joint& joint : robot.model->joints()) names.push_back(joint.name);
  std::reverse(names.begin(), names.end());
  const std::vector<int> joints = JointIndices(*robot.model, names);
  EXPECT_THAT(joints, ElementsAre(5, 4, 3, 2, 1, 0));

  const States states = RandomStates(*robot.model, 3);
  const States reversed = WithColumns(states, joints, 2);
  EXPECT_EQ(reversed.rows, 2);
  ASSERT_EQ(reversed.v.size(), 12u);
  EXPECT_EQ(reversed.v[6], states.v[11]);
  EXPECT_EQ(reversed.q[0], states.q[5]);

  std::vector<std::string> twice = names;
  twice[0] = names[1];
  EXPECT_THROW(JointIndices(*robot.model, twice), std::runtime_error);
  std::vector<std::string> unknown = names;
  unknown[0] = "elsewhere";
  EXPECT_THROW(JointIndices(*robot.model, unknown), std::runtime_error);
  std::vector<std::string> missing = names;
  missing.pop_back();
  EXPECT_THROW(JointIndices(*robot.model, missing), std::runtime_error);
}

TEST(EvaluationRun, EveryWorkloadFillsItsResultsOnEveryTarget) {
  for (const BenchRobot& robot : BenchRobots()) {
    const States states = RandomStates(*robot.model, 3);
    for (const std::string& target : TargetNames()) {
      Engine engine(OptionsFor(target, 1));
      for (const Workload workload : AllWorkloads()) {
        const EvaluationRun run(robot, workload, states, 3);
        const EvaluationReport report =
            engine.Evaluate(run.plan(), run.outputs());
        EXPECT_THAT(report.issues, IsEmpty());
        for (const Output output : OutputsOf(workload)) {
          const int columns = run.plan().columns(output);
          const std::vector<double> last(run.result(output) + 2 * columns,
                                         run.result(output) + 3 * columns);
          EXPECT_THAT(last, ::testing::Contains(::testing::Ne(0.0)))
              << robot.name << " " << Name(workload);
        }
      }
    }
  }
}

TEST(Counted, CountsProductsAndSums) {
  Counted::count = {};
  const Counted a(3), b(4);
  Counted c = a * b + a - (-b);
  c += a;
  c -= b * b;
  EXPECT_EQ(c.value(), 3 * 4 + 3 + 4 + 3 - 16);
  EXPECT_EQ(Counted::count.multiplications, 2);
  EXPECT_EQ(Counted::count.additions, 4);
  EXPECT_EQ(Counted::count.flops(), 6);
}

TEST(OperationCount, GrowsByTheSameForEveryJointOfAKind) {
  // Arms and humanoid have revolute joints, the gripper has two others.
  std::vector<OperationCount> counts;
  std::vector<int> joints;
  for (const BenchRobot& robot : BenchRobots()) {
    counts.push_back(CountInverseDynamics(*robot.model));
    joints.push_back(robot.model->nv());
  }
  ASSERT_THAT(joints, ElementsAre(6, 7, 9, 36));
  EXPECT_EQ(counts[0].sines, 6);
  EXPECT_EQ(counts[2].sines, 7);
  EXPECT_EQ(counts[3].sines, 36);
  // A joint at a right angle to its parent's takes about 100, its sine and
  // cosine 36, a root next to nothing.
  const auto per_joint = counts[1].flops() - counts[0].flops();
  EXPECT_GT(per_joint, 100);
  EXPECT_LT(per_joint, 200);
  EXPECT_LT(counts[1].flops(), 6 * (120 + 36) + 50 + 36);
}

}  // namespace
}  // namespace torqued::bench
