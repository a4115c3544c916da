// A row's answer is its own: bit by bit the same whatever stands around it.
// Numbers that are not finite are found wherever they stand, and spoil no
// other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "core/engine/robot.h"
#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
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
  for (BatchCase& batch : cases) {
    AddTaskInputs(batch, 1);
    for (double& q : std::span(batch.q).first(batch.model->nv())) q *= 1e7;
  }
  return cases;
}

TEST(RowIndependence, CountPositionAndChunksDoNotMatter) {
  for (const Route& route : Routes()) {
    const bool single = route.precision == Precision::kSingle;
    const SimdKernels& kernels = route.kernels;
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

void ExpectSameRowsFromOne(const BatchResult& a, const BatchResult& b, int step,
                           const std::string& where) {
  for (std::int64_t row = 1; row < std::ssize(a.rank); row += step) {
    EXPECT_TRUE(SameRow(a, row, b, row)) << where << ", row " << row;
  }
}

TEST(RowIndependence, NeighboursThatAreNotFiniteOrFarAwayDoNotMatter) {
  const double bad[] = {kNaN, kInfinity, 1e9, -1e300};
  // Room for all ways to spoil a row.
  for (const BatchCase& batch : Cases(33)) {
    BatchCase spoilt = batch;
    // Every other row is spoilt, each in its own way.
    for (int row = 0; row < batch.rows; row += 2) {
      const int n = batch.model->nv(), k = row / 2;
      spoilt[static_cast<Input>(k % 4)][row * n + k % n] = bad[k / 4 % 4];
    }
    for (const Route& route : Routes()) {
      ExpectSameRowsFromOne(Evaluate(spoilt, route), Evaluate(batch, route), 2,
                            batch.name + route.name);
    }
  }
}

TEST(RowIndependence, RowsThatAreNotFiniteSpareWhatIsGivenOnceForAll) {
  for (const SimdKernels* kernels : Targets()) {
    for (const BatchCase& all : Cases(4 * kernels->lanes_f64 + 1)) {
      for (int k = 0; k < kInputCount; ++k) {
        const auto given_once = static_cast<Input>(k);
        BatchCase batch = all;
        batch[given_once].resize(all[given_once].size() / all.rows);
        const BatchResult clean = Evaluate(batch, *kernels);
        // Row 0 is spoilt by another table.
        (given_once == Input::kV ? batch.q : batch.v)[0] = kNaN;
        ExpectSameRowsFromOne(Evaluate(batch, *kernels), clean, 1,
                              batch.name + kernels->target);
      }
    }
  }
}

TEST(RowIndependence, ARobotAnswersAsABatchWhateverItAnsweredBefore) {
  using Eigen::VectorXd;
  BatchCase batch = MakeShippedCase("ur5e", 34, 1);
  batch.options.reference_frame = ReferenceFrame::kLocal;
  for (int row = 0; row < 34; ++row) batch.q[6 * row + 4] = std::pow(2, -row);
  batch.q[6 * 33 + 4] = 0;  // singular
  batch.q[6 * 9] = kNaN;
  for (const SimdKernels* kernels : Targets()) {
    const BatchResult result = Evaluate(batch, *kernels);
    Robot::Options options;
    options.target = kernels;
    Robot robot(batch.model, options);
    for (int row = 0; row < 34; ++row) {
      const auto in = [&](Input input) {
        return VectorXd(VectorXd::Map(&batch[input][6 * row], 6));
      };
      const auto expect = [&](const RowMajorMatrix& is, Output output) {
        const auto table = RowOf(result, output, row, int(is.rows()));
        EXPECT_EQ(std::memcmp(is.data(), table.data(), 8 * is.size()), 0)
            << ToString(output) << " of row " << row << kernels->target;
      };
      const VectorXd q = in(Input::kQ), v = in(Input::kV), a = in(Input::kA),
                     tau = in(Input::kTau), F = in(Input::kTipWrench);
      const auto task = robot.OperationalSpace(q, v);
      expect(task.lambda, Output::kLambda);
      expect(task.eta.transpose(), Output::kEta);
      EXPECT_EQ(task.diagnostics.rank, result.rank[row]);
      EXPECT_EQ(task.diagnostics.rule, result.rule[row]);
      if (row % 4 == 1) robot.ForwardDynamics(q, v, tau);  // of another form
      if (row % 4 == 2) robot.MassMatrix(F.head<5>());     // and size
      expect(robot.MassMatrix(q), Output::kMassMatrix);
      expect(robot.InverseDynamics(q, v, a, F).transpose(), Output::kTau);
      expect(robot.ForwardDynamics(q, v, tau, F).transpose(),
             Output::kAcceleration);
      expect(robot.BiasForces(q, v).transpose(), Output::kBias);
      expect(robot.FramePose(q).topRows<3>(), Output::kPose);
      expect(robot.Jacobian(q), Output::kJacobian);
      expect(robot.JacobianDrift(q, v).transpose(), Output::kJacobianDrift);
    }
  }
}

/// Puts a number that is not finite into one place of every row, in the next
/// lane each time, until all places of these inputs had it, and expects to be
/// told of all.
void ExpectFound(const std::vector<Input>& inputs,
                 const std::function<BatchCase(std::int64_t rows)>& make) {
  const BatchCase one = make(1);
  std::vector<std::pair<Input, int>> places;
  for (const Input input : inputs) {
    for (int k = 0; k < one.ColumnsOf(input); ++k) places.push_back({input, k});
  }
  BatchCase batch = make(std::ssize(places));
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto [input, column] = places[row];
    batch[input][row * batch.ColumnsOf(input) + column] =
        std::array{kNaN, kInfinity, -kInfinity}[row % 3];
  }
  for (const Route& route : Routes()) {
    for (const NumberType type : {NumberType::kF64, NumberType::kF32}) {
      batch.input_type = type;
      const BatchResult result = Evaluate(batch, route);
      ASSERT_EQ(result.issues.size(), places.size()) << route.name;
      for (std::size_t row = 0; row < places.size(); ++row) {
        const RowIssue& issue = result.issues[row];
        EXPECT_EQ(issue.row, row);
        EXPECT_EQ(issue.code, RowCode::kInvalidInput);
        EXPECT_EQ(issue.input, places[row].first);
        EXPECT_EQ(issue.column, places[row].second);
        for (const auto& [output, unused] : result.tables) {
          EXPECT_TRUE(RowOf(result, output, issue.row).array().isNaN().all())
              << ToString(output);
        }
      }
    }
  }
}

TEST(NotFinite, EveryInputIsLookedAt) {
  std::vector<Input> inputs(kInputCount);
  for (int k = 0; k < kInputCount; ++k) inputs[k] = static_cast<Input>(k);
  for (const int dof : {1, 2, 3, 5, 7}) {
    ExpectFound(inputs, [dof](std::int64_t rows) {
      BatchCase batch = MakeRandomCase(dof, false, rows);
      AddTaskInputs(batch, 1);
      AddSurroundings(batch, 2);
      return batch;
    });
    // Also what no result depends on: that of the first body, which the other
    // joints do not move.
    ExpectFound({Input::kQ, Input::kV}, [dof](std::int64_t rows) {
      BatchCase batch = MakeRandomCase(dof, false, rows);
      batch.options.quantities = {Quantity::kFramePose,
                                  Quantity::kJacobianDrift};
      batch.options.tip_frame = batch.model->joints()[0].child_link;
      batch.wrench.clear();
      return batch;
    });
  }
}

TEST(NotFinite, ResultsTooLargeForTheirArrayAreThoseOfTheReference) {
  // From what fits in single precision to what does not, row by row.
  BatchCase batch = MakeRandomCase(4, 4, true, 40);
  batch.options.quantities = {Quantity::kInverseDynamics,
                              Quantity::kForwardDynamics};
  for (int k = 0; k < 4 * 40; ++k) {
    const int row = k / 4;
    batch.a[k] *= std::pow(10.0, 33 + row / 8.0);
    batch.tau[k] *= std::pow(10.0, 33 + row / 8.0);
  }
  EXPECT_TRUE(Reference(batch).issues.empty());
  for (const NumberType type : {NumberType::kF64, NumberType::kF32}) {
    batch.output_type = type;
    const std::vector<RowIssue> expected = Reference(batch).issues;
    for (const SimdKernels* kernels : Targets()) {
      const std::vector<RowIssue> issues = Evaluate(batch, *kernels).issues;
      ASSERT_EQ(issues.size(), expected.size());
      for (std::size_t k = 0; k < issues.size(); ++k) {
        EXPECT_EQ(issues[k].row, expected[k].row);
        EXPECT_EQ(issues[k].code, RowCode::kNotFiniteResult);
        EXPECT_EQ(issues[k].output, expected[k].output);
      }
    }
  }
  EXPECT_GT(Reference(batch).issues.size(), 5u);
  EXPECT_LT(Reference(batch).issues.size(), 35u);
}

void Round(std::vector<double>& table) {
  for (double& x : table) x = static_cast<double>(static_cast<float>(x));
}

TEST(NumberTypes, SingleInputsAreTheSameNumbersAndSingleOutputsRounded) {
  for (const Route& route : Routes()) {
    for (const int dof : {1, 3, 4, 7, 13}) {
      BatchCase batch =
          MakeRandomCase(dof, dof % 2 == 0, 2 * route.kernels.lanes_f32 + 3);
      for (int k = 0; k < kInputCount; ++k) Round(batch[static_cast<Input>(k)]);
      for (const bool turned : {false, true}) {
        if (turned) TurnJointsAround(batch);
        const std::string where = batch.name + " on " + route.name;
        BatchResult expected = Evaluate(batch, route);
        BatchCase single = batch;
        single.input_type = NumberType::kF32;
        ExpectSameRows(Evaluate(single, route), expected, where);
        for (auto& [unused, table] : expected.tables) Round(table);
        single.input_type = NumberType::kF64;
        single.output_type = NumberType::kF32;
        ExpectSameRows(Evaluate(single, route), expected, where);
      }
    }
  }
}

// The law: the bits of a quantity depend on the inputs that it takes, never on
// what is asked for beside it.

/// A chain of which the last two joints turn about the same axis with a light
/// link between them: its share of their inertia is `lightness`.
BatchCase WristWithLightLink(double lightness, std::int64_t rows) {
  const auto body = [](double m) {
    return Link("", m, {0.1, 0.2, 0.05}, {m, m, m});
  };
  LinkDescription light = body(lightness);
  light.inertial->origin.p = {};
  const std::array<double, 3> at = {0.3, 0.1, 0.2};
  BatchCase batch =
      MakeCase(MakeTree({Turning({0, 0, 1}, at), Turning({0, 1, 0}, at),
                         Turning({1, 0, 0}, at), Turning({0, 0, 1}, at),
                         Turning({0, 0, 1})},
                        {body(1), body(1), body(1), light, body(1)}),
               rows, 3);
  batch.name = "wrist with a light link";
  return batch;
}

/// With all inputs, and states that lanes leave undecided for some of the
/// quantities.
BatchCase WithDoubts(BatchCase batch) {
  const int n = batch.model->nv();
  if (n < 6) batch.options.task.axis_count = n > 1 ? 2 : 1;
  batch.options.terms.viscous_friction = true;
  batch.options.terms.coulomb_friction = true;
  AddTaskInputs(batch, 7);
  AddSurroundings(batch, 5);
  const auto fill = [n](std::vector<double>& table, int row, double x) {
    std::fill_n(table.begin() + row * n, n, x);
  };
  fill(batch.q, 1, 0);        // stretched: few tasks are of full rank
  fill(batch.v, 2, 1e160);    // what is quadratic in v overflows
  fill(batch.a, 3, 1e308);    // so does what takes a
  fill(batch.tau, 3, 1e308);  // or tau
  fill(batch.v, 4, 0);
  batch.v[5 * n] = kNaN;
  return batch;
}

std::vector<BatchCase> CasesWithDoubts() {
  constexpr std::int64_t kRows = 9;  // some whole blocks and a part
  std::vector<BatchCase> cases;
  for (const BatchCase& batch :
       {MakeRandomCase(6, false, kRows), MakeRandomCase(1, false, kRows),
        MakeRandomCase(4, true, kRows), MakeRandomCase(9, true, kRows),
        // Articulated bodies instead of factors, which they doubt more often.
        MakeRandomCase(26, false, kRows), WristWithLightLink(1e-10, kRows),
        WristWithLightLink(1e-14, kRows)}) {
    cases.push_back(WithDoubts(batch));
    int some = 0;
    for (const QuantityBits doubts :
         Evaluate(cases.back(), BestTarget()).doubts) {
      if (doubts != 0 && doubts != ~QuantityBits{0}) ++some;
    }
    EXPECT_GE(some, 2) << "of " << batch.name << " share not all doubts";
  }
  return cases;
}

/// What some quantities take of all that is there.
BatchCase Asked(const BatchCase& all, QuantitySet quantities,
                InputBits present) {
  BatchCase batch = all;
  batch.options.quantities = quantities;
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    const bool optional = *RowOf(input).refusal != 0;
    if (optional && ((present & Bit(input)) == 0 ||
                     !quantities.HasAny(ReadersOf(Bit(input))))) {
      batch[input].clear();
    }
  }
  return batch;
}

/// The answers to each set of quantities, of the inputs that not all take with
/// none, all, and each alone: what each of the quantities is alone.
void ExpectLaw(const BatchCase& all, const SimdKernels& kernels,
               const std::vector<QuantitySet>& sets) {
  std::map<std::pair<InputBits, Quantity>, BatchResult> alone;
  const auto expect = [&](InputBits present, QuantitySet set) {
    const BatchResult together = Evaluate(Asked(all, set, present), kernels);
    for (int k = 0; k < kQuantityCount; ++k) {
      const auto quantity = static_cast<Quantity>(k);
      if (!set.Has(quantity)) continue;
      BatchResult& own = alone[{present, quantity}];
      if (own.tables.empty()) {
        own = Evaluate(Asked(all, {quantity}, present), kernels);
      }
      bool same = quantity != Quantity::kOperationalSpace ||
                  (own.rank == together.rank && own.rule == together.rule);
      for (const auto& [output, table] : own.tables) {
        same &= std::memcmp(table.data(), together.tables.at(output).data(),
                            table.size() * sizeof(double)) == 0;
      }
      EXPECT_TRUE(same) << ToString(quantity) << " of " << all.name << " on "
                        << kernels.target << ", inputs " << present
                        << ", beside " << set.bits();
    }
  };
  for (const QuantitySet set : sets) {
    expect(0, set);
    expect(~InputBits{0}, set);
    for (int k = 0; k < kInputCount; ++k) {
      const auto input = static_cast<Input>(k);
      if (*RowOf(input).refusal != 0) expect(Bit(input), set);
    }
  }
}

/// All pairs, some triples, and all together.
std::vector<QuantitySet> Sets() {
  std::vector<QuantitySet> sets = {kEverything};
  Random random(11);
  const auto any = [&] { return Quantity(random.Index(kQuantityCount)); };
  for (int k = 0; k < 40; ++k) sets.push_back({any(), any(), any()});
  for (int i = 0; i < kQuantityCount; ++i) {
    for (int j = 0; j < i; ++j) sets.push_back({Quantity(i), Quantity(j)});
  }
  return sets;
}

TEST(QuantitiesBeside, ChangeNoBit) {
  for (const BatchCase& batch : CasesWithDoubts()) {
    for (const SimdKernels* kernels : Targets()) {
      ExpectLaw(batch, *kernels, Sets());
    }
  }
}

TEST(QuantitiesBeside, ChangeNoBitInSinglePrecision) {
  for (BatchCase& batch : CasesWithDoubts()) {
    batch.options.precision = Precision::kSingle;
    batch.input_type = batch.output_type = NumberType::kF32;
    for (const SimdKernels* kernels : Targets()) {
      ExpectLaw(batch, *kernels, Sets());
    }
  }
}

TEST(QuantitiesBeside, ChangeNoBitWhereSomeAreTooLongForLanes) {
  // The Christoffel symbols.
  const BatchCase batch = WithDoubts(MakeRandomCase(1, 45, true, 9));
  const auto issues = Evaluate(batch, BestTarget()).issues;
  EXPECT_TRUE(std::any_of(issues.begin(), issues.end(), [](const RowIssue& is) {
    return is.row == 5 && is.code == RowCode::kInvalidInput;
  }));
  std::vector<QuantitySet> sets;
  for (const Quantity quantity :
       {Quantity::kInverseDynamics, Quantity::kMassMatrix,
        Quantity::kBiasForces, Quantity::kTaskProjection,
        Quantity::kCoriolisForces}) {
    sets.push_back({Quantity::kChristoffelSymbols, quantity});
    sets.push_back(
        {Quantity::kChristoffelSymbols, quantity, Quantity::kForwardDynamics});
  }
  ExpectLaw(batch, BestTarget(), sets);
}

}  // namespace
}  // namespace torqued::testing_support
