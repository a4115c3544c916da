#include "tests/oracles/robots.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/engine/evaluation_plan.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

TestRobot Load(std::string name, std::string urdf, std::string tip) {
  auto model = LoadModel(urdf, tip);
  return {std::move(name), std::move(urdf), std::move(tip), std::move(model)};
}

}  // namespace

std::vector<TestRobot> RandomRobots(RandomRobotOptions::Shape shape, int count,
                                    int fewest, int most, bool friction) {
  const bool chain = shape == RandomRobotOptions::Shape::kChain;
  std::vector<TestRobot> robots;
  for (int i = 0; i < count; ++i) {
    RandomRobotOptions options;
    options.shape = shape;
    options.dof = fewest + i % (most - fewest + 1);
    options.friction = friction;
    const std::uint64_t seed = (chain ? 1000 : 2000) + i;
    RandomRobot robot = MakeRandomRobot(seed, options);
    robots.push_back(
        Load((chain ? "random chain " : "random tree ") + std::to_string(seed),
             std::move(robot.urdf), std::move(robot.tip)));
  }
  return robots;
}

std::vector<TestRobot> WithDeployed(std::vector<TestRobot> robots) {
  const std::string folder = TORQUED_MODELS_DIR;
  for (const auto& [name, tip] :
       {std::pair{"planar_2r", "tip"}, std::pair{"ur5e", "tool0"},
        std::pair{"panda", "panda_link8"}}) {
    robots.push_back(Load(name, ReadFile(folder + "/" + name + ".urdf"), tip));
  }
  return robots;
}

Setting In(const TestRobot& robot, const State& state, ReferenceFrame frame) {
  Setting setting{robot.name,
                  robot.model,
                  {},
                  {{Input::kQ, state.q},
                   {Input::kV, state.v},
                   {Input::kA, state.a},
                   {Input::kTau, state.tau}}};
  setting.options.terms.gravity = kSkewGravity;
  setting.options.reference_frame = frame;
  setting.options.wrench_frame = frame;
  return setting;
}

Answers AskAll(const Setting& setting) {
  const QuantityBits all = (1ULL << kQuantityCount) - 1;
  return Ask(setting, QuantitySet(all & ~kTaskQuantities), BestTarget());
}

RowMajor PoseOf(Setting setting, const std::string& frame) {
  setting.options.tip_frame = frame;
  return Ask(setting, {Quantity::kFramePose}, BestTarget())
      .Matrix(Output::kPose, 3);
}

Comparison::~Comparison() {
  EXPECT_FALSE(largest_.empty()) << "nothing was compared";
  for (const auto& [what, bound] : largest_) {
    errors_.ExpectBelow(what, bound);
    EXPECT_GT(size_[what], 0) << "zeros are all there is of " << what;
  }
  for (const auto& [what, bound] : least_) errors_.ExpectAbove(what, bound);
}

void Comparison::Equal(const std::string& what, const Eigen::MatrixXd& ours,
                       const Eigen::MatrixXd& theirs, double bound,
                       double scale, double condition) {
  largest_[what] = bound;
  errors_.Add(what, RelativeError(ours, theirs, scale) / condition, where);
  size_[what] = std::max(size_[what], theirs.cwiseAbs().maxCoeff());
}

void Comparison::Differ(const std::string& what, const Eigen::MatrixXd& ours,
                        const Eigen::MatrixXd& theirs, double bound) {
  least_[what] = bound;
  errors_.Add(what, ours, theirs, where);
}

}  // namespace torqued::testing_support
