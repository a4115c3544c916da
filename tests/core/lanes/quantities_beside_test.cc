// The law: the bits of a quantity depend on the inputs that it takes, never on
// what is asked for beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

/// A chain of revolute joints, of which the last two turn about the same axis
/// with a light link between them: its share of their inertia is `lightness`.
std::string WristWithLightLink(double lightness) {
  const char* const axes[] = {"0 0 1", "0 1 0", "1 0 0", "0 0 1", "0 0 1"};
  std::ostringstream urdf;
  urdf << R"(<robot name="wrist"><link name="link0"/>)";
  for (int i = 1; i <= 5; ++i) {
    const double mass = i == 4 ? lightness : 1;
    urdf << "<link name=\"link" << i << "\"><inertial>"
         << (i == 4 ? "" : R"(<origin xyz="0.1 0.2 0.05"/>)")
         << "<mass value=\"" << mass << "\"/><inertia ixx=\"" << mass
         << "\" iyy=\"" << mass << "\" izz=\"" << mass
         << R"(" ixy="0" ixz="0" iyz="0"/></inertial></link>)"
         << "<joint type=\"continuous\" name=\"joint" << i
         << "\"><parent link=\"link" << i - 1 << "\"/><child link=\"link" << i
         << "\"/>" << (i == 5 ? "" : R"(<origin xyz="0.3 0.1 0.2"/>)")
         << "<axis xyz=\"" << axes[i - 1] << "\"/></joint>";
  }
  urdf << "</robot>";
  return urdf.str();
}

/// With states that lanes leave undecided for some of the quantities.
void AddDoubts(BatchCase& batch) {
  const auto n = static_cast<std::size_t>(batch.model->nv());
  const auto row = [n](std::vector<double>& table, std::size_t k) {
    return table.begin() + static_cast<std::ptrdiff_t>(k * n);
  };
  // Stretched: few tasks are of full rank.
  std::fill_n(row(batch.q, 1), n, 0.0);
  // What is quadratic in v overflows.
  std::fill_n(row(batch.v, 2), n, 1e160);
  // So does what takes a or tau.
  std::fill_n(row(batch.a, 3), n, 1e308);
  std::fill_n(row(batch.tau, 3), n, 1e308);
  // At rest.
  std::fill_n(row(batch.v, 4), n, 0.0);
  // Not finite at all.
  *row(batch.v, 5) = std::numeric_limits<double>::quiet_NaN();
}

std::vector<BatchCase> Cases() {
  constexpr std::int64_t kRows = 9;  // some whole blocks and a part
  std::vector<BatchCase> cases;
  const auto add = [&](BatchCase batch) {
    const int dof = batch.model->nv();
    if (dof < 6) batch.options.task.axis_count = dof > 1 ? 2 : 1;
    batch.options.terms.viscous_friction = true;
    batch.options.terms.coulomb_friction = true;
    AddTaskInputs(batch, 7);
    AddSurroundings(batch, 5);
    AddDoubts(batch);
    cases.push_back(std::move(batch));
  };
  add(MakeRandomCase(6, false, kRows));
  add(MakeRandomCase(1, false, kRows));
  add(MakeRandomCase(4, true, kRows));
  add(MakeRandomCase(9, true, kRows));
  // Articulated bodies instead of factors.
  add(MakeRandomCase(14, true, kRows));
  for (const double lightness : {1e-10, 1e-14}) {
    BatchCase wrist =
        MakeCase(LoadModel(WristWithLightLink(lightness), "link5"), kRows, 3);
    wrist.name = "wrist with a light link";
    add(std::move(wrist));
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
      if (quantities.Has(quantity)) Compare(quantity, together, quantities);
    }
  }

 private:
  const BatchResult& Alone(Quantity quantity) {
    const auto known = alone_.find(quantity);
    if (known != alone_.end()) return known->second;
    return alone_
        .emplace(quantity,
                 Evaluate(Asked(all_, {quantity}, present_), kernels_))
        .first->second;
  }

  void Compare(Quantity quantity, const BatchResult& together,
               QuantitySet beside) {
    const BatchResult& alone = Alone(quantity);
    const auto where = [&] {
      return all_.name + " on " + kernels_.target + ", inputs " +
             std::to_string(present_) + ", beside " +
             std::to_string(beside.bits());
    };
    for (const auto& [output, table] : alone.tables) {
      EXPECT_EQ(std::memcmp(table.data(), together.tables.at(output).data(),
                            table.size() * sizeof(double)),
                0)
          << ToString(output) << " of " << where();
    }
    if (quantity != Quantity::kOperationalSpace) return;
    EXPECT_EQ(alone.rank, together.rank) << where();
    EXPECT_EQ(alone.rule, together.rule) << where();
  }

  const BatchCase all_;
  const LaneKernels& kernels_;
  const InputBits present_;
  std::map<Quantity, BatchResult> alone_;
};

/// Each of the inputs that not all quantities take alone, none, some, and all;
/// with a tip wrench and without.
std::vector<InputBits> Presences() {
  constexpr InputBits kTask =
      Bit(Input::kTaskAcceleration) | Bit(Input::kNullSpaceTorque);
  constexpr InputBits kWrench = Bit(Input::kTipWrench);
  return {kTask,
          kTask | kWrench,
          kTask | Bit(Input::kBaseTwist),
          kWrench | Bit(Input::kBaseAcceleration),
          Bit(Input::kGravity),
          kTask | kWrench | Bit(Input::kExternalWrenches),
          kTask | Bit(Input::kGravity) | Bit(Input::kExternalWrenches),
          kTask | kWrench | Bit(Input::kBaseTwist) |
              Bit(Input::kBaseAcceleration) | Bit(Input::kExternalWrenches) |
              Bit(Input::kGravity)};
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
  BatchCase batch = MakeRandomCase(1, 45, true, 5);
  AddTaskInputs(batch, 7);
  AddSurroundings(batch, 5);
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
