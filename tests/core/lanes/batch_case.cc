#include "tests/core/lanes/batch_case.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace torqued::testing_support {
namespace {

/// By Input.
constexpr std::vector<double> BatchCase::* kTables[] = {
    &BatchCase::q,
    &BatchCase::v,
    &BatchCase::a,
    &BatchCase::tau,
    &BatchCase::wrench,
    &BatchCase::base_twist,
    &BatchCase::base_acceleration,
    &BatchCase::external_wrenches,
    &BatchCase::task_acceleration,
    &BatchCase::null_space_torque,
    &BatchCase::gravity};

void Fill(BatchCase& batch, Input input, double reach, Random& random) {
  batch[input].resize(batch.rows * batch.ColumnsOf(input));
  for (double& x : batch[input]) x = random.Uniform(-reach, reach);
}

}  // namespace

std::vector<double>& BatchCase::operator[](Input input) {
  return this->*kTables[static_cast<int>(input)];
}

const std::vector<double>& BatchCase::operator[](Input input) const {
  return this->*kTables[static_cast<int>(input)];
}

int BatchCase::ColumnsOf(Input input) const {
  switch (input) {
    case Input::kTipWrench:
    case Input::kBaseTwist:
    case Input::kBaseAcceleration:
      return 6;
    case Input::kExternalWrenches:
      return 6 * static_cast<int>(options.external_wrenches.size());
    case Input::kTaskAcceleration:
      return options.task.axis_count;
    case Input::kGravity:
      return 3;
    default:
      return model->nv();
  }
}

EvaluationInputs BatchCase::Inputs() const {
  EvaluationInputs inputs;
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    const std::vector<double>& table = (*this)[input];
    if (table.empty()) continue;
    const int columns = ColumnsOf(input);
    inputs[input] = {table.data(), NumberType::kF64,
                     std::ssize(table) / columns, columns};
  }
  return inputs;
}

EvaluationPlan BatchCase::Plan(const EvaluationInputs& inputs) const {
  auto created = EvaluationPlan::Create(model, options, inputs);
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    ADD_FAILURE() << error->field << ": " << error->message;
  }
  return std::get<EvaluationPlan>(std::move(created));
}

void AddTaskInputs(BatchCase& batch, std::uint64_t seed) {
  Random random(seed);
  Fill(batch, Input::kTaskAcceleration, 5, random);
  Fill(batch, Input::kNullSpaceTorque, 20, random);
}

void AddSurroundings(BatchCase& batch, std::uint64_t seed) {
  const auto frames = batch.model->frames();
  std::vector<std::string> moving;
  for (const Frame& frame : frames) {
    if (frame.body != kBase) moving.push_back(frame.name);
  }
  const std::string& first = moving[seed % moving.size()];
  const std::string& second = moving[(seed / 3) % moving.size()];
  batch.options.external_wrenches = {
      {first, ReferenceFrame::kLocal},
      {second, ReferenceFrame::kLocalWorldAligned},
      {first, ReferenceFrame::kWorld},
      {frames[0].name, ReferenceFrame::kLocal}};
  Random random(seed);
  Fill(batch, Input::kBaseTwist, 1, random);
  Fill(batch, Input::kBaseAcceleration, 3, random);
  Fill(batch, Input::kExternalWrenches, 10, random);
  Fill(batch, Input::kGravity, 10, random);
  batch.name += ", moving base and wrenches";
}

void TurnJointsAround(BatchCase& batch) {
  std::vector<std::string>& names = batch.options.joint_names;
  for (const Joint& joint : batch.model->joints()) names.push_back(joint.name);
  std::rotate(names.begin(), names.begin() + 1, names.end());
}

BatchCase MakeCase(std::shared_ptr<const Model> model, std::int64_t rows,
                   std::uint64_t seed) {
  BatchCase batch;
  batch.rows = rows;
  batch.name = model->name();
  batch.model = std::move(model);
  Random random(seed);
  for (std::int64_t k = 0; k < rows; ++k) {
    const State state = MakeRandomState(*batch.model, random);
    const Eigen::VectorXd* const parts[] = {&state.q, &state.v, &state.a,
                                            &state.tau, &state.wrench};
    for (int i = 0; i < 5; ++i) {
      std::vector<double>& table = batch[static_cast<Input>(i)];
      table.insert(table.end(), parts[i]->begin(), parts[i]->end());
    }
  }
  batch.options.quantities = kEverything;
  batch.options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  return batch;
}

BatchCase MakeRandomCase(std::uint64_t seed, int dof, bool tree,
                         std::int64_t rows, double prismatic_share,
                         double right_angle_share) {
  RandomRobotOptions options;
  options.shape = tree ? RandomRobotOptions::Shape::kTree
                       : RandomRobotOptions::Shape::kChain;
  options.dof = dof;
  options.friction = true;
  options.prismatic_share = prismatic_share;
  options.right_angle_share = right_angle_share;
  const RandomRobot robot = MakeRandomRobot(seed, options);
  BatchCase batch = MakeCase(LoadModel(robot.urdf, robot.tip), rows, seed);
  batch.name = (tree ? "tree of " : "chain of ") + std::to_string(dof) +
               ", seed " + std::to_string(seed);
  if (right_angle_share > 0) batch.name += ", right-angled";
  return batch;
}

BatchCase MakeRandomCase(int dof, bool tree, std::int64_t rows) {
  return MakeRandomCase(dof, dof, tree, rows);
}

std::shared_ptr<const Model> MakeTree(std::vector<JointDescription> joints,
                                      std::vector<LinkDescription> links,
                                      const std::vector<int>& carriers) {
  links.insert(links.begin(), MasslessLink("base"));
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const std::size_t carrier = carriers.empty() ? k : carriers[k] + 1;
    joints[k].name = "j" + std::to_string(k);
    joints[k].parent = links[carrier].name;
    joints[k].child = links[k + 1].name = "l" + std::to_string(k);
  }
  const LoadResult loaded = Build(links, joints);
  EXPECT_NE(loaded.model, nullptr) << Messages(loaded.report);
  return loaded.model;
}

EvaluationOutputs BatchResult::MakeRoom(const EvaluationPlan& plan,
                                        double fill) {
  EvaluationOutputs outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (!plan.Produces(output)) continue;
    std::vector<double>& table = tables[output];
    table.assign(plan.rows() * plan.columns(output), fill);
    outputs[output] = {table.data(), NumberType::kF64};
  }
  rank.resize(plan.rows());
  rule.resize(plan.rows());
  doubts.resize(plan.rows());
  outputs.rank = rank.data();
  outputs.rule = rule.data();
  return outputs;
}

Eigen::Map<const RowMajorMatrix> RowOf(const BatchResult& result, Output output,
                                       std::int64_t row, int matrix_rows) {
  const auto& table = result.tables.at(output);
  const std::int64_t columns = std::ssize(table) / std::ssize(result.rank);
  return {table.data() + row * columns, matrix_rows, columns / matrix_rows};
}

bool SameRow(const BatchResult& a, std::int64_t k, const BatchResult& b,
             std::int64_t j) {
  for (const auto& [output, table] : a.tables) {
    const auto row = RowOf(a, output, k), other = RowOf(b, output, j);
    if (row.size() != other.size() ||
        std::memcmp(row.data(), other.data(), row.size() * sizeof(double)) !=
            0) {
      return false;
    }
  }
  return a.rank[k] == b.rank[j] && a.rule[k] == b.rule[j];
}

void ExpectSameRows(const BatchResult& part, const BatchResult& whole,
                    const std::string& where, std::int64_t begin) {
  for (std::int64_t k = 0; k < std::ssize(part.rank); ++k) {
    EXPECT_TRUE(SameRow(part, k, whole, begin + k))
        << where << ", row " << begin + k;
  }
}

BatchResult Evaluate(const BatchCase& batch, const SimdKernels& kernels,
                     std::int64_t chunk, bool sigma) {
  EvaluationInputs inputs = batch.Inputs();
  std::vector<float> rounded[kInputCount];
  for (int k = 0; k < kInputCount; ++k) {
    InputArray& array = inputs[static_cast<Input>(k)];
    if (batch.input_type == NumberType::kF64 || !array.present()) continue;
    const std::vector<double>& table = batch[static_cast<Input>(k)];
    rounded[k].assign(table.begin(), table.end());
    array.data = rounded[k].data();
    array.type = NumberType::kF32;
  }
  const EvaluationPlan plan = batch.Plan(inputs);
  BatchResult result;
  EvaluationOutputs outputs = result.MakeRoom(plan);
  std::map<Output, std::vector<float>> single_tables;
  if (batch.output_type == NumberType::kF32) {
    for (const auto& [output, table] : result.tables) {
      single_tables[output].resize(table.size());
      outputs[output] = {single_tables[output].data(), NumberType::kF32};
    }
  }
  if (sigma) {
    result.sigma_min.resize(batch.rows);
    outputs.sigma_min = result.sigma_min.data();
  }
  RowWorkspace workspace;
  if (!plan.checked().one_lane) {
    std::vector<FallbackRow> rows(batch.rows);
    rows.resize(RunKernels(kernels, JobOf(plan, outputs), 0, batch.rows,
                           workspace, rows.data()));
    for (const FallbackRow& row : rows) {
      result.doubts[row.row] = row.quantities;
    }
  }
  for (std::int64_t begin = 0; begin < batch.rows; begin += chunk) {
    EvaluateRows(plan, outputs, kernels, begin,
                 std::min(batch.rows, begin + chunk), workspace, result.issues);
  }
  for (const auto& [output, single] : single_tables) {
    result.tables[output].assign(single.begin(), single.end());
  }
  return result;
}

std::vector<Route> Routes() {
  std::vector<Route> routes;
  for (const SimdKernels* kernels : Targets()) {
    const std::string target = kernels->target;
    routes.push_back({*kernels, Precision::kDouble, target + ", double"});
    routes.push_back({*kernels, Precision::kSingle, target + ", single"});
  }
  return routes;
}

BatchResult Evaluate(BatchCase batch, const Route& route) {
  batch.options.precision = route.precision;
  return Evaluate(batch, route.kernels);
}

}  // namespace torqued::testing_support
