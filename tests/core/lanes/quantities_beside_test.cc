// The law: the bits of a quantity depend on the inputs that it takes, never on
// what is asked for beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

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
      MakeCase(MakeChain({Turning({0, 0, 1}, at), Turning({0, 1, 0}, at),
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
  batch.v[5 * n] = std::numeric_limits<double>::quiet_NaN();
  return batch;
}

std::vector<BatchCase> Cases() {
  constexpr std::int64_t kRows = 9;  // some whole blocks and a part
  return {WithDoubts(MakeRandomCase(6, false, kRows)),
          WithDoubts(MakeRandomCase(1, false, kRows)),
          WithDoubts(MakeRandomCase(4, true, kRows)),
          WithDoubts(MakeRandomCase(9, true, kRows)),
          // Articulated bodies instead of factors.
          WithDoubts(MakeRandomCase(14, true, kRows)),
          WithDoubts(WristWithLightLink(1e-10, kRows)),
          WithDoubts(WristWithLightLink(1e-14, kRows))};
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

/// The answers to one batch of states, to compare with what each of its
/// quantities is alone.
class Law {
 public:
  Law(BatchCase all, const LaneKernels& kernels, InputBits present)
      : all_(std::move(all)), kernels_(kernels), present_(present) {}

  void ExpectSameBeside(QuantitySet quantities) {
    const BatchResult together =
        Evaluate(Asked(all_, quantities, present_), kernels_);
    for (int k = 0; k < kQuantityCount; ++k) {
      const auto quantity = static_cast<Quantity>(k);
      if (!quantities.Has(quantity)) continue;
      BatchResult& alone = alone_[quantity];
      if (alone.tables.empty()) {
        alone = Evaluate(Asked(all_, {quantity}, present_), kernels_);
      }
      bool same = quantity != Quantity::kOperationalSpace ||
                  (alone.rank == together.rank && alone.rule == together.rule);
      for (const auto& [output, table] : alone.tables) {
        same &= std::memcmp(table.data(), together.tables.at(output).data(),
                            table.size() * sizeof(double)) == 0;
      }
      EXPECT_TRUE(same) << ToString(quantity) << " of " << all_.name << " on "
                        << kernels_.target << ", inputs " << present_
                        << ", beside " << quantities.bits();
    }
  }

 private:
  const BatchCase all_;
  const LaneKernels& kernels_;
  const InputBits present_;
  std::map<Quantity, BatchResult> alone_;
};

/// Of the inputs that not all quantities take none, all, and each alone.
std::vector<InputBits> Presences() {
  std::vector<InputBits> presences = {0, ~InputBits{0}};
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    if (*RowOf(input).refusal != 0) presences.push_back(Bit(input));
  }
  return presences;
}

void ExpectLaw(const BatchCase& batch, const LaneKernels& kernels) {
  Random random(11);
  for (const InputBits present : Presences()) {
    Law law(batch, kernels, present);
    const auto any = [&random] {
      return static_cast<Quantity>(random.Index(kQuantityCount));
    };
    for (int i = 0; i < kQuantityCount; ++i) {
      for (int j = 0; j < i; ++j) {
        law.ExpectSameBeside(
            {static_cast<Quantity>(i), static_cast<Quantity>(j)});
      }
    }
    for (int k = 0; k < 40; ++k) law.ExpectSameBeside({any(), any(), any()});
    law.ExpectSameBeside(Everything());
  }
}

TEST(QuantitiesBeside, ChangeNoBit) {
  for (const BatchCase& batch : Cases()) {
    for (const LaneKernels* kernels : Targets()) ExpectLaw(batch, *kernels);
  }
}

TEST(QuantitiesBeside, ChangeNoBitInSinglePrecision) {
  for (BatchCase& batch : Cases()) {
    batch.options.precision = Precision::kSingle;
    batch.input_type = NumberType::kF32;
    batch.output_type = NumberType::kF32;
    for (const LaneKernels* kernels : Targets()) ExpectLaw(batch, *kernels);
  }
}

TEST(QuantitiesBeside, ChangeNoBitWhereSomeAreTooLongForLanes) {
  // The Christoffel symbols.
  const BatchCase batch = WithDoubts(MakeRandomCase(1, 45, true, 9));
  const auto issues = Evaluate(batch, BestTarget()).issues;
  EXPECT_TRUE(std::any_of(issues.begin(), issues.end(), [](const RowIssue& is) {
    return is.row == 5 && is.code == RowCode::kInvalidInput;
  }));
  for (const InputBits present : Presences()) {
    Law law(batch, BestTarget(), present);
    for (const Quantity quantity :
         {Quantity::kInverseDynamics, Quantity::kMassMatrix,
          Quantity::kBiasForces, Quantity::kTaskProjection,
          Quantity::kCoriolisForces}) {
      law.ExpectSameBeside({Quantity::kChristoffelSymbols, quantity});
      law.ExpectSameBeside({Quantity::kChristoffelSymbols, quantity,
                            Quantity::kForwardDynamics});
    }
  }
}

TEST(QuantitiesBeside, CasesHaveDoubtsThatNotAllQuantitiesShare) {
  for (const BatchCase& batch : Cases()) {
    const BatchResult result = Evaluate(batch, BestTarget());
    int some = 0;
    for (const QuantityBits doubts : result.doubts) {
      if (doubts != 0 && doubts != ~QuantityBits{0}) ++some;
    }
    EXPECT_GE(some, 2) << batch.name;
  }
}

}  // namespace
}  // namespace torqued::testing_support
