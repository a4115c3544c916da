// A row's answer is its own: bit by bit the same whatever stands around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

#include "core/engine/robot.h"
#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Rows [begin, begin + count) of a batch as a batch.
BatchCase Slice(const BatchCase& batch, std::int64_t begin,
                std::int64_t count) {
  BatchCase slice = batch;
  slice.rows = count;
  for (int k = 0; k < kInputCount; ++k) {
    std::vector<double>& table = slice[static_cast<Input>(k)];
    const std::int64_t columns = std::ssize(table) / batch.rows;
    table = {table.begin() + begin * columns,
             table.begin() + (begin + count) * columns};
  }
  return slice;
}

std::vector<BatchCase> Cases(std::int64_t rows) {
  std::vector<BatchCase> cases;
  for (const int dof : {1, 3, 6, 7, 9}) {
    cases.push_back(MakeRandomCase(dof, dof % 2 == 1, rows));
  }
  cases.push_back(MakeRandomCase(30, 30, true, rows));
  for (const int dof : {4, 7}) {
    cases.push_back(MakeRandomCase(dof, dof == 4, rows));
    AddSurroundings(cases.back(), 3);
  }
  for (BatchCase& batch : cases) AddTaskInputs(batch, 1);
  return cases;
}

TEST(RowIndependence, CountPositionAndChunksDoNotMatter) {
  for (const Route& route : Routes()) {
    const bool single = route.precision == Precision::kSingle;
    const LaneKernels& kernels = route.kernels;
    const int W = single ? kernels.lanes_f32 : kernels.lanes_f64;
    const int rows = (single ? 3 : 8) * W + 2;
    for (BatchCase& batch : Cases(rows)) {
      batch.options.precision = route.precision;
      const std::string where = batch.name + " on " + route.name;
      const BatchResult whole = Evaluate(batch, kernels);
      for (const int count : {1, W - 1, W, W + 1, 3 * W, rows}) {
        for (const int begin : {0, 1, rows - count}) {
          if (count == 0 || begin + count > rows) continue;
          ExpectSameRows(Evaluate(Slice(batch, begin, count), kernels, W),
                         whole, where, begin);
        }
      }
      if (kOneLaneHasBitsOfLanes && !single) {
        ExpectSameRows(Evaluate(batch, *kernels.one_lane), whole,
                       where + " alone");
      }
      for (const int chunk : {1, W - 1, W, W + 1}) {
        if (chunk == 0) continue;
        ExpectSameRows(Evaluate(batch, kernels, chunk), whole,
                       where + " in chunks of " + std::to_string(chunk));
      }
    }
  }
}

TEST(RowIndependence, NeighboursThatAreNotFiniteOrFarAwayDoNotMatter) {
  const double bad[] = {kNaN, std::numeric_limits<double>::infinity(), 1e9,
                        -1e300};
  // Room for all ways to spoil a row.
  for (const BatchCase& batch : Cases(33)) {
    BatchCase spoilt = batch;
    // Every other row is spoilt, each in its own way.
    for (int row = 0; row < batch.rows; row += 2) {
      const int n = batch.model->nv(), k = row / 2;
      spoilt[static_cast<Input>(k % 4)][row * n + k % n] = bad[k / 4 % 4];
    }
    for (const LaneKernels* kernels : Targets()) {
      const BatchResult clean = Evaluate(batch, *kernels);
      const BatchResult result = Evaluate(spoilt, *kernels);
      for (std::int64_t row = 1; row < batch.rows; row += 2) {
        EXPECT_TRUE(SameRow(result, row, clean, row))
            << batch.name << " on " << kernels->target << ", row " << row;
      }
      // Row 0 has a NaN in q.
      EXPECT_TRUE(std::isnan(result.tables.at(Output::kTau)[0]));
      ASSERT_FALSE(result.issues.empty());
      EXPECT_EQ(result.issues[0].row, 0);
      EXPECT_EQ(result.issues[0].code, RowCode::kInvalidInput);
      EXPECT_EQ(result.issues[0].input, Input::kQ);
    }
  }
}

TEST(RowIndependence, RowsThatAreNotFiniteSpareWhatIsGivenOnceForAll) {
  for (const LaneKernels* kernels : Targets()) {
    for (const BatchCase& all : Cases(4 * kernels->lanes_f64 + 1)) {
      for (int k = 0; k < kInputCount; ++k) {
        const auto given_once = static_cast<Input>(k);
        BatchCase batch = all;
        batch[given_once].resize(all[given_once].size() / all.rows);
        const BatchResult clean = Evaluate(batch, *kernels);
        // Row 0 is spoilt by another table.
        (given_once == Input::kV ? batch.q : batch.v)[0] = kNaN;
        const BatchResult spoilt = Evaluate(batch, *kernels);
        for (std::int64_t row = 1; row < batch.rows; ++row) {
          EXPECT_TRUE(SameRow(spoilt, row, clean, row))
              << batch.name << " on " << kernels->target << ", row " << row;
        }
      }
    }
  }
}

TEST(RowIndependence, ARobotAnswersAsIfEveryStateWereItsFirst) {
  using Eigen::VectorXd;
  const auto model = MakeShippedCase("panda", 1, 1).model;
  const VectorXd wrench = VectorXd::LinSpaced(6, -3, 5),
                 v = VectorXd::LinSpaced(7, -1, 2);
  // All that a robot answers, to the last bit.
  const auto answers = [&](Robot& robot, const VectorXd& q) {
    const auto task = robot.OperationalSpace(q, v);
    std::ostringstream all;
    all << std::hexfloat << task.diagnostics.rank << task.lambda << task.eta
        << robot.MassMatrix(q) << robot.InverseDynamics(q, v, v)
        << robot.Jacobian(q) << robot.InverseDynamics(q, v, v, wrench)
        << robot.ForwardDynamics(q, v, v) << robot.FramePose(q)
        << robot.ForwardDynamics(q, v, v, wrench) << robot.BiasForces(q, v)
        << robot.JacobianDrift(q, v);
    return all.str();
  };
  std::array<VectorXd, 8> states;
  for (std::size_t k = 0; k < states.size(); ++k) {
    // Some are singular poses.
    states[k] = VectorXd::LinSpaced(7, 0.1 * double(k), k % 2 == 0 ? 0 : 1);
  }
  states[2][3] = kNaN;
  states[4].setZero();
  states[5] = VectorXd::Zero(6);  // of the wrong size
  for (const LaneKernels* kernels : Targets()) {
    Robot::Options options;
    options.target = kernels;
    Robot robot(model, options);
    for (const VectorXd& q : states) {
      Robot first(model, options);
      EXPECT_EQ(answers(robot, q), answers(first, q)) << kernels->target;
      EXPECT_EQ(robot.last_error(), first.last_error());
    }
  }
}

void Round(std::vector<double>& table) {
  for (double& x : table) x = static_cast<double>(static_cast<float>(x));
}

/// Calls f(batch, kernels, where, result with f64 arrays) in both precisions,
/// with states in numbers of single precision, with and without another order
/// of the joints.
template <class Function>
void ForStatesInSingle(const Function& f) {
  for (const Route& route : Routes()) {
    for (const int dof : {1, 3, 4, 7, 13}) {
      BatchCase batch =
          MakeRandomCase(dof, dof % 2 == 0, 2 * route.kernels.lanes_f32 + 3);
      batch.options.precision = route.precision;
      for (int k = 0; k < kInputCount; ++k) Round(batch[static_cast<Input>(k)]);
      for (const bool turned : {false, true}) {
        if (turned) TurnJointsAround(batch);
        f(batch, route.kernels, batch.name + " on " + route.name,
          Evaluate(batch, route.kernels));
      }
    }
  }
}

TEST(NumberTypes, SingleInputsAreTheSameNumbersInDouble) {
  ForStatesInSingle([](BatchCase batch, const LaneKernels& kernels,
                       const std::string& where, const BatchResult& expected) {
    batch.input_type = NumberType::kF32;
    ExpectSameRows(Evaluate(batch, kernels), expected, where);
  });
}

TEST(NumberTypes, SingleOutputsAreTheResultsRounded) {
  ForStatesInSingle([](BatchCase batch, const LaneKernels& kernels,
                       const std::string& where, BatchResult expected) {
    for (auto& [unused, table] : expected.tables) Round(table);
    batch.output_type = NumberType::kF32;
    ExpectSameRows(Evaluate(batch, kernels), expected, where);
  });
}

}  // namespace
}  // namespace torqued::testing_support
