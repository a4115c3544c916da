#include "tests/core/lanes/batch_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

InputArray View(const std::vector<double>& table, int columns) {
  if (table.empty()) return {};
  return {table.data(), NumberType::kF64,
          static_cast<std::int64_t>(table.size()) / columns, columns};
}

/// A rounded copy of a table of doubles takes its place.
void RoundToSingle(InputArray& table, std::vector<float>& copy) {
  if (!table.present()) return;
  const auto* numbers = static_cast<const double*>(table.data);
  copy.assign(numbers, numbers + table.rows * table.columns);
  table.data = copy.data();
  table.type = NumberType::kF32;
}

void FillTable(std::int64_t size, double reach, Random& random,
               std::vector<double>& table) {
  table.resize(static_cast<std::size_t>(size));
  for (double& x : table) x = random.Uniform(-reach, reach);
}

}  // namespace

long long RunKernels(const LaneKernels& kernels, const BlockJob& job,
                     std::int64_t rows, RowWorkspace& workspace) {
  workspace.ReserveDoubtful(rows);
  workspace.ReserveLanes(-kernels.evaluate(&job, 0, rows, nullptr, 0, nullptr));
  return kernels.evaluate(&job, 0, rows, workspace.lanes.get(),
                          workspace.lanes_bytes, workspace.doubtful.data());
}

QuantitySet Everything() {
  QuantitySet all;
  for (int k = 0; k < kQuantityCount; ++k) all.Add(static_cast<Quantity>(k));
  return all;
}

EvaluationInputs BatchCase::Inputs() const {
  EvaluationInputs in;
  in.q = View(q, model->nq());
  in.v = View(v, model->nv());
  in.a = View(a, model->nv());
  in.tau = View(tau, model->nv());
  in.tip_wrench = View(wrench, 6);
  in.base_twist = View(base_twist, 6);
  in.base_acceleration = View(base_acceleration, 6);
  const auto places = static_cast<int>(options.external_wrenches.size());
  in.external_wrenches = View(external_wrenches, 6 * places);
  in.task_acceleration = View(task_acceleration, options.task.axis_count);
  in.null_space_torque = View(null_space_torque, model->nv());
  in.gravity = View(gravity, 3);
  return in;
}

std::vector<double>& BatchCase::operator[](Input input) {
  // In the order of Input.
  std::vector<double>* const tables[kInputCount] = {&q,
                                                    &v,
                                                    &a,
                                                    &tau,
                                                    &wrench,
                                                    &base_twist,
                                                    &base_acceleration,
                                                    &external_wrenches,
                                                    &task_acceleration,
                                                    &null_space_torque,
                                                    &gravity};
  return *tables[static_cast<std::size_t>(input)];
}

void AddTaskInputs(BatchCase& batch, std::uint64_t seed) {
  Random random(seed);
  FillTable(batch.rows * batch.options.task.axis_count, 5, random,
            batch.task_acceleration);
  FillTable(batch.rows * batch.model->nv(), 20, random,
            batch.null_space_torque);
}

void AddSurroundings(BatchCase& batch, std::uint64_t seed) {
  const auto frames = batch.model->frames();
  std::vector<std::string> moving;
  for (const Frame& frame : frames) {
    if (frame.placement.body != kBase) moving.push_back(frame.name);
  }
  const std::string& first = moving[seed % moving.size()];
  const std::string& second = moving[(seed / 3) % moving.size()];
  batch.options.external_wrenches = {
      {first, ReferenceFrame::kLocal},
      {second, ReferenceFrame::kLocalWorldAligned},
      {first, ReferenceFrame::kWorld},
      {frames[0].name, ReferenceFrame::kLocal}};
  Random random(seed);
  FillTable(6 * batch.rows, 1, random, batch.base_twist);
  FillTable(6 * batch.rows, 3, random, batch.base_acceleration);
  FillTable(24 * batch.rows, 10, random, batch.external_wrenches);
  FillTable(3 * batch.rows, 10, random, batch.gravity);
  batch.name += ", moving base and wrenches";
}

BatchCase MakeCase(std::shared_ptr<const Model> model, std::int64_t rows,
                   std::uint64_t seed) {
  BatchCase batch;
  batch.rows = rows;
  batch.name = model->name();
  batch.model = std::move(model);
  Random random(seed);
  const auto append = [](std::vector<double>& table,
                         const Eigen::VectorXd& row) {
    table.insert(table.end(), row.begin(), row.end());
  };
  for (std::int64_t k = 0; k < rows; ++k) {
    const State state = MakeRandomState(*batch.model, random);
    append(batch.q, state.q);
    append(batch.v, state.v);
    append(batch.a, state.a);
    append(batch.tau, state.tau);
    append(batch.wrench, state.wrench);
  }
  batch.options.quantities = Everything();
  batch.options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  return batch;
}

BatchCase MakeShippedCase(const std::string& name, std::int64_t rows,
                          std::uint64_t seed) {
  BatchCase batch = MakeCase(ShippedModel(name), rows, seed);
  batch.name = name;
  return batch;
}

bool SameRow(const BatchResult& a, std::int64_t k, const BatchResult& b,
             std::int64_t j) {
  for (const auto& [output, table] : a.tables) {
    const auto row = RowOf(a, output, k, 1), other = RowOf(b, output, j, 1);
    if (row.size() != other.size() ||
        std::memcmp(row.data(), other.data(),
                    static_cast<std::size_t>(row.size()) * sizeof(double)) !=
            0) {
      return false;
    }
  }
  const auto at = static_cast<std::size_t>(k);
  const auto other = static_cast<std::size_t>(j);
  return a.rank[at] == b.rank[other] && a.rule[at] == b.rule[other];
}

Eigen::Map<const RowMajorMatrix> RowOf(const BatchResult& result, Output output,
                                       std::int64_t row, int matrix_rows) {
  const auto& table = result.tables.at(output);
  const auto columns =
      static_cast<std::int64_t>(table.size() / result.rank.size());
  return {table.data() + row * columns, matrix_rows, columns / matrix_rows};
}

BatchCase MakeRandomCase(std::uint64_t seed, int dof, bool tree,
                         std::int64_t rows, double prismatic_share) {
  RandomRobotOptions options;
  options.shape = tree ? RandomRobotOptions::Shape::kTree
                       : RandomRobotOptions::Shape::kChain;
  options.dof = dof;
  options.friction = true;
  options.prismatic_share = prismatic_share;
  return MakeRandomCase(seed, options, rows);
}

BatchCase MakeRandomCase(int dof, bool tree, std::int64_t rows) {
  return MakeRandomCase(static_cast<std::uint64_t>(dof), dof, tree, rows);
}

BatchCase MakeRandomCase(std::uint64_t seed, const RandomRobotOptions& options,
                         std::int64_t rows) {
  const RandomRobot robot = MakeRandomRobot(seed, options);
  BatchCase batch = MakeCase(LoadModel(robot.urdf, robot.tip), rows, seed);
  const bool tree = options.shape == RandomRobotOptions::Shape::kTree;
  batch.name = (tree ? "tree of " : "chain of ") + std::to_string(options.dof) +
               ", seed " + std::to_string(seed);
  if (options.right_angle_share > 0) batch.name += ", right-angled";
  return batch;
}

BatchResult Evaluate(const BatchCase& batch, const LaneKernels& kernels,
                     std::int64_t chunk, bool sigma) {
  EvaluationInputs inputs = batch.Inputs();
  std::array<std::vector<float>, kInputCount> rounded;
  if (batch.input_type == NumberType::kF32) {
    InputArray* const tables[] = {&inputs.q,
                                  &inputs.v,
                                  &inputs.a,
                                  &inputs.tau,
                                  &inputs.tip_wrench,
                                  &inputs.base_twist,
                                  &inputs.base_acceleration,
                                  &inputs.external_wrenches,
                                  &inputs.task_acceleration,
                                  &inputs.null_space_torque,
                                  &inputs.gravity};
    for (std::size_t k = 0; k < kInputCount; ++k) {
      RoundToSingle(*tables[k], rounded[k]);
    }
  }
  auto created = EvaluationPlan::Create(batch.model, batch.options, inputs);
  BatchResult result;
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    ADD_FAILURE() << error->field << ": " << error->message;
    return result;
  }
  const auto& plan = std::get<EvaluationPlan>(created);
  EvaluationOutputs outputs;
  std::map<Output, std::vector<float>> single_tables;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (!plan.Produces(output)) continue;
    const auto size =
        static_cast<std::size_t>(batch.rows * plan.columns(output));
    auto& table = result.tables[output];
    if (batch.output_type == NumberType::kF32) {
      auto& single = single_tables[output];
      single.resize(size);
      outputs[output] = {single.data(), NumberType::kF32};
    } else {
      table.resize(size);
      outputs[output] = {table.data(), NumberType::kF64};
    }
  }
  const auto rows = static_cast<std::size_t>(batch.rows);
  result.rank.resize(rows);
  result.rule.resize(rows);
  result.doubts.resize(rows);
  outputs.rank = result.rank.data();
  outputs.rule = result.rule.data();
  if (sigma) {
    result.sigma_min.resize(rows);
    outputs.sigma_min = result.sigma_min.data();
  }
  RowWorkspace workspace;
  if (!plan.one_lane()) {
    const BlockJob job = plan.Job(outputs);
    const long long count = RunKernels(kernels, job, batch.rows, workspace);
    for (long long k = 0; k < count; ++k) {
      const DoubtfulRow& row = workspace.doubtful[static_cast<std::size_t>(k)];
      result.doubts[static_cast<std::size_t>(row.row)] = row.quantities;
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

}  // namespace torqued::testing_support
