// A row's answer is its own: bit by bit the same whatever stands around it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/batch/engine.h"
#include "core/batch/robot.h"
#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Rows [begin, begin + count) of a batch as a batch.
BatchCase Slice(const BatchCase& batch, std::int64_t begin,
                std::int64_t count) {
  BatchCase slice = batch;
  slice.rows = count;
  const auto cut = [&](std::vector<double>& table) {
    const auto columns = static_cast<std::int64_t>(table.size()) / batch.rows;
    table = {table.begin() + begin * columns,
             table.begin() + (begin + count) * columns};
  };
  for (int k = 0; k < kInputCount; ++k) cut(slice[static_cast<Input>(k)]);
  return slice;
}

std::vector<BatchCase> Cases(std::int64_t rows) {
  std::vector<BatchCase> cases;
  for (const int dof : {1, 3, 6, 7, 9}) {
    cases.push_back(MakeRandomCase(dof, dof % 2 == 1, rows));
  }
  cases.push_back(MakeRandomCase(30, 30, true, rows));
  for (BatchCase& batch : cases) AddTaskInputs(batch, 1);
  for (const int dof : {4, 7}) {
    cases.push_back(MakeRandomCase(dof, dof == 4, rows));
    AddTaskInputs(cases.back(), 2);
    AddSurroundings(cases.back(), 3);
  }
  return cases;
}

TEST(RowIndependence, CountPositionAndChunksDoNotMatter) {
  for (const LaneKernels* kernels : Targets()) {
    const std::int64_t W = kernels->lanes_f64;
    for (const BatchCase& batch : Cases(8 * W + 2)) {
      const BatchResult whole = Evaluate(batch, *kernels);
      for (const std::int64_t count :
           {std::int64_t{1}, W - 1, W, W + 1, 3 * W, 8 * W + 2}) {
        for (const std::int64_t begin :
             {std::int64_t{0}, std::int64_t{1}, batch.rows - count}) {
          if (count == 0 || begin + count > batch.rows) continue;
          const BatchResult part =
              Evaluate(Slice(batch, begin, count), *kernels, W);
          for (std::int64_t k = 0; k < count; ++k) {
            EXPECT_TRUE(SameRow(part, k, whole, begin + k))
                << batch.name << " on " << kernels->target << ", row "
                << begin + k << " in " << count << " from " << begin;
          }
        }
      }
      const BatchResult one_lane = Evaluate(batch, *kernels->one_lane);
      for (std::int64_t k = 0; kOneLaneHasBitsOfLanes && k < batch.rows; ++k) {
        EXPECT_TRUE(SameRow(one_lane, k, whole, k))
            << batch.name << " on " << kernels->target << ", row " << k
            << " alone";
      }
      for (const std::int64_t chunk : {std::int64_t{1}, W - 1, W, W + 1}) {
        if (chunk == 0) continue;
        const BatchResult chunked = Evaluate(batch, *kernels, chunk);
        for (std::int64_t k = 0; k < batch.rows; ++k) {
          EXPECT_TRUE(SameRow(chunked, k, whole, k))
              << batch.name << " on " << kernels->target << ", row " << k
              << " in chunks of " << chunk;
        }
      }
    }
  }
}

TEST(RowIndependence, SinglePrecisionRowsAreIndependentToo) {
  for (const LaneKernels* kernels : Targets()) {
    const std::int64_t W = kernels->lanes_f32;
    for (BatchCase& batch : Cases(3 * W + 1)) {
      batch.options.precision = Precision::kSingle;
      const BatchResult whole = Evaluate(batch, *kernels);
      for (const std::int64_t chunk : {std::int64_t{1}, W - 1, W + 1}) {
        const BatchResult chunked = Evaluate(batch, *kernels, chunk);
        for (std::int64_t k = 0; k < batch.rows; ++k) {
          EXPECT_TRUE(SameRow(chunked, k, whole, k))
              << batch.name << " on " << kernels->target << ", row " << k;
        }
      }
    }
  }
}

TEST(RowIndependence, NeighboursThatAreNotFiniteOrFarAwayDoNotMatter) {
  for (const LaneKernels* kernels : Targets()) {
    // Room for all ways to spoil a row.
    for (BatchCase& batch : Cases(33)) {
      const BatchResult clean = Evaluate(batch, *kernels);
      const auto n = static_cast<std::size_t>(batch.model->nv());
      // Every other row is spoilt, each in its own way.
      const double bad[] = {kNaN, std::numeric_limits<double>::infinity(), 1e9,
                            -1e300};
      for (std::int64_t row = 0; row < batch.rows; row += 2) {
        const auto at = static_cast<std::size_t>(row);
        std::vector<double>* const tables[] = {&batch.q, &batch.v, &batch.a,
                                               &batch.tau};
        const std::size_t k = at / 2;
        (*tables[k % 4])[at * n + k % n] = bad[k / 4 % 4];
      }
      const BatchResult spoilt = Evaluate(batch, *kernels);
      for (std::int64_t row = 1; row < batch.rows; row += 2) {
        EXPECT_TRUE(SameRow(spoilt, row, clean, row))
            << batch.name << " on " << kernels->target << ", row " << row;
      }
      // Row 0 has a NaN in q.
      EXPECT_TRUE(std::isnan(spoilt.tables.at(Output::kTau)[0]));
      ASSERT_FALSE(spoilt.issues.empty());
      EXPECT_EQ(spoilt.issues[0].row, 0);
      EXPECT_EQ(spoilt.issues[0].code, RowCode::kInvalidInput);
      EXPECT_EQ(spoilt.issues[0].input, Input::kQ);
    }
  }
}

TEST(RowIndependence, RowsThatAreNotFiniteSpareWhatIsGivenOnceForAll) {
  for (const LaneKernels* kernels : Targets()) {
    const std::int64_t rows = 4 * kernels->lanes_f64 + 1;
    for (BatchCase& batch : Cases(rows)) {
      for (int k = 0; k < kInputCount; ++k) {
        std::vector<double>* const given_once = &batch[static_cast<Input>(k)];
        const std::vector<double> all = *given_once;
        given_once->resize(all.size() / static_cast<std::size_t>(rows));
        const BatchResult clean = Evaluate(batch, *kernels);
        // Row 0 is spoilt by another table.
        std::vector<double>& other = given_once == &batch.v ? batch.q : batch.v;
        const double good = other[0];
        other[0] = kNaN;
        const BatchResult spoilt = Evaluate(batch, *kernels);
        other[0] = good;
        for (std::int64_t row = 1; row < rows; ++row) {
          EXPECT_TRUE(SameRow(spoilt, row, clean, row))
              << batch.name << " on " << kernels->target << ", row " << row;
        }
        *given_once = all;
      }
    }
  }
}

TEST(RowIndependence, QuantitiesOfManyNumbersDoNotMatterEither) {
  // Too many for lanes: they are computed one state at a time.
  BatchCase batch = MakeRandomCase(1, 45, true, 11);
  batch.options.quantities = {Quantity::kInverseDynamics, Quantity::kMassMatrix,
                              Quantity::kForwardDynamics,
                              Quantity::kChristoffelSymbols};
  BatchCase few = batch;
  few.options.quantities = {Quantity::kInverseDynamics, Quantity::kMassMatrix,
                            Quantity::kForwardDynamics};
  batch.v[45 * 3] = few.v[45 * 3] = kNaN;
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult all = Evaluate(batch, *kernels);
    for (const auto& [output, table] : Evaluate(few, *kernels).tables) {
      EXPECT_EQ(std::memcmp(table.data(), all.tables.at(output).data(),
                            table.size() * sizeof(double)),
                0)
          << ToString(output);
    }
    BatchCase alone = batch;
    alone.options.quantities = {Quantity::kChristoffelSymbols};
    alone.wrench.clear();
    const auto& symbols = all.tables.at(Output::kChristoffel);
    const BatchResult expected = Evaluate(alone, *kernels);
    EXPECT_EQ(std::memcmp(symbols.data(),
                          expected.tables.at(Output::kChristoffel).data(),
                          symbols.size() * sizeof(double)),
              0);
    ASSERT_EQ(all.issues.size(), 1u);
    EXPECT_EQ(all.issues[0].row, 3);
  }
}

TEST(RowIndependence, ARobotAnswersAsIfEveryStateWereItsFirst) {
  using Eigen::VectorXd;
  const auto model = MakeShippedCase("panda", 1, 1).model;
  const VectorXd wrench = VectorXd::LinSpaced(6, -3, 5);
  // All that a robot answers, one below the other.
  const auto answers = [&](Robot& robot, const VectorXd& q) {
    const VectorXd v = VectorXd::LinSpaced(7, -1, 2);
    const auto task = robot.OperationalSpace(q, v);
    std::vector<double> all = {static_cast<double>(task.diagnostics.rank)};
    const auto add = [&all](const Eigen::MatrixXd& numbers) {
      all.insert(all.end(), numbers.data(), numbers.data() + numbers.size());
    };
    add(task.lambda), add(task.eta), add(robot.MassMatrix(q));
    add(robot.InverseDynamics(q, v, v)), add(robot.Jacobian(q));
    add(robot.InverseDynamics(q, v, v, wrench));
    add(robot.ForwardDynamics(q, v, v)), add(robot.FramePose(q));
    add(robot.ForwardDynamics(q, v, v, wrench));
    add(robot.BiasForces(q, v)), add(robot.JacobianDrift(q, v));
    return all;
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
      const auto actual = answers(robot, q), expected = answers(first, q);
      ASSERT_EQ(actual.size(), expected.size());
      EXPECT_EQ(std::memcmp(actual.data(), expected.data(),
                            actual.size() * sizeof(double)),
                0)
          << kernels->target << ", q " << q.transpose();
      EXPECT_EQ(robot.last_error(), first.last_error());
    }
  }
}

TEST(RowIndependence, ThreadsDoNotMatter) {
  const BatchCase batch = MakeRandomCase(7, 7, false, 500);
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult alone = Evaluate(batch, *kernels);
    const auto plan = std::get<EvaluationPlan>(
        EvaluationPlan::Create(batch.model, batch.options, batch.Inputs()));
    for (const int threads : {1, 2, 5}) {
      std::vector<double> tau(alone.tables.at(Output::kTau).size());
      EvaluationOutputs outputs;
      outputs[Output::kTau] = {tau.data(), NumberType::kF64};
      Engine engine({.threads = threads, .chunk_rows = 13, .target = kernels});
      EXPECT_EQ(engine.target(), kernels->target);
      engine.Evaluate(plan, outputs);
      EXPECT_EQ(tau, alone.tables.at(Output::kTau));
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support
