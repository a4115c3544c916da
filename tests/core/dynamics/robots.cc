#include "tests/core/dynamics/robots.h"

#include <array>
#include <utility>
#include <variant>

#include "core/engine/evaluate_rows.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

Setting InMotion(std::string name, std::shared_ptr<const Model> model,
                 std::uint64_t seed) {
  Random random(seed);
  const State state = MakeRandomState(*model, random);
  Setting setting{std::move(name), std::move(model)};
  setting[Input::kQ] = state.q;
  setting[Input::kV] = state.v;
  setting[Input::kA] = state.a;
  setting[Input::kTau] = state.tau;
  // Every component and its sign counts.
  setting.options.terms.gravity = {1.5, -2.5, -9};
  return setting;
}

std::vector<Setting> MakeSettings() {
  std::vector<Setting> settings;
  for (const char* name : {"panda", "planar_2r", "ur5e"}) {
    settings.push_back(InMotion(name, ShippedModel(name), settings.size()));
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomRobotOptions options;
    options.shape = seed % 2 == 0 ? RandomRobotOptions::Shape::kTree
                                  : RandomRobotOptions::Shape::kChain;
    options.dof = 1 + static_cast<int>(seed % 12);
    options.friction = true;
    options.right_angle_share = seed % 4 < 2 ? 0 : 1;
    const RandomRobot robot = MakeRandomRobot(seed, options);
    auto model = LoadModel(robot.urdf, robot.tip);
    if (seed % 3 == 0) model = WithArmature(*model, 1);
    settings.push_back(
        InMotion("robot " + std::to_string(seed), std::move(model), seed));
  }
  return settings;
}

}  // namespace

std::shared_ptr<const Model> ChainOf(const std::vector<Segment>& segments) {
  std::vector<LinkDescription> links = {MasslessLink("l0")};
  std::vector<JointDescription> joints;
  for (const Segment& segment : segments) {
    const std::string number = std::to_string(links.size());
    joints.push_back(JointOf("j" + number, segment.type, links.back().name,
                             "l" + number, {}, segment.axis));
    joints.back().origin = segment.at;
    joints.back().armature = segment.armature;
    links.push_back(segment.link);
    links.back().name = "l" + number;
  }
  const LoadResult loaded = Build(links, joints);
  EXPECT_NE(loaded.model, nullptr) << Messages(loaded.report);
  return loaded.model;
}

Pose Shift(double x, double y, double z) {
  return Pose::FromXyzRpy({x, y, z}, {0, 0, 0});
}

Setting Setting::With(Input input, Eigen::VectorXd value) const {
  Setting other = *this;
  other[input] = std::move(value);
  return other;
}

const std::vector<Setting>& Settings() {
  static const std::vector<Setting> settings = MakeSettings();
  return settings;
}

RowMajor Answers::Matrix(Output output, Eigen::Index rows) const {
  const Eigen::VectorXd& numbers = results_.at(output);
  if (rows == 0) rows = n_;
  return Eigen::Map<const RowMajor>(numbers.data(), rows,
                                    numbers.size() / rows);
}

Answers Ask(const Setting& setting, const QuantitySet& quantities,
            const SimdKernels& kernels) {
  EvaluationOptions options = setting.options;
  options.quantities = quantities;
  EvaluationInputs inputs;
  for (const auto& [input, vector] : setting.inputs) {
    inputs[input] = {vector.data(), NumberType::kF64, 1,
                     static_cast<int>(vector.size())};
  }
  Answers answers;
  answers.n_ = setting.n();
  auto created =
      EvaluationPlan::Create(setting.model, std::move(options), inputs);
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    ADD_FAILURE() << setting.name << ": " << error->message;
    return answers;
  }
  const auto& plan = std::get<EvaluationPlan>(created);
  EvaluationOutputs outputs;
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (!plan.Produces(output)) continue;
    Eigen::VectorXd& result = answers.results_[output];
    result.resize(plan.columns(output));
    outputs[output] = {result.data(), NumberType::kF64};
  }
  std::uint32_t rank = 0;
  if (quantities.Has(Quantity::kOperationalSpace)) {
    outputs.rank = &rank;
    outputs.sigma_min = &answers.diagnostics.sigma_min;
    outputs.rule = &answers.diagnostics.rule;
  }
  RowWorkspace workspace;
  EvaluateRows(plan, outputs, kernels, 0, 1, workspace, answers.issues);
  answers.diagnostics.rank = static_cast<int>(rank);
  return answers;
}

}  // namespace torqued::testing_support
