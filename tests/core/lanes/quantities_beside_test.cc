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

#include "core/batch/input_groups.h"
#include "core/batch/input_traits.h"
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

/// With states that are left to the general text for some of the quantities.
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
    const InputTraits& traits = TraitsOf(input);
    const bool optional = !traits.refusal.empty();
    if (optional &&
        ((present & Bit(input)) == 0 || !quantities.HasAny(traits.readers))) {
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

/// Each of the inputs that choose an implementation alone, none, some, and all;
/// with a tip wrench, which chooses none, and without.
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
          kTask | kWrench | kInputsOfGeneralTexts};
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

TEST(QuantitiesBeside, ChangeNoBitOfTheGeneralTextsEither) {
  for (BatchCase& batch : Cases()) {
    for (const Texts texts : {Texts::kGeneral, Texts::kReference}) {
      batch.options.texts = texts;
      ExpectLaw(batch, BestTarget());
    }
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

bool TaskInDoubt(QuantityBits doubts) {
  return (doubts & Bit(Quantity::kTaskProjection)) != 0 ||
         (doubts & Bit(Quantity::kOperationalSpace)) != 0;
}

/// States on the line from a state to another, whose q alone matters.
void LayStates(const std::vector<double>& from, const std::vector<double>& to,
               double begin, double end, BatchCase& batch) {
  const std::size_t n = from.size();
  const auto rows = static_cast<std::size_t>(batch.rows);
  batch.q.resize(rows * n);
  for (std::size_t row = 0; row < rows; ++row) {
    const double share = static_cast<double>(row) / static_cast<double>(rows);
    const double t = begin + (end - begin) * share;
    for (std::size_t j = 0; j < n; ++j) {
      batch.q[row * n + j] = from[j] + t * (to[j] - from[j]);
    }
  }
}

TEST(QuantitiesBeside, LeaveNoDoubtAtTheMarginToOthers) {
  // The task is projected by the lowered texts and, where states bring gravity,
  // brought up by the general ones, which round otherwise: where full rank is
  // about to be certified they disagree now and then.
  BatchCase batch = MakeRandomCase(7, false, 64);
  batch.options.task.rank_tolerance = 0.005;
  batch.v.clear();
  batch.a.clear();
  batch.tau.clear();
  batch.wrench.clear();
  batch.gravity = {0, 0, -9.81};  // for all states
  const std::vector<double> states = batch.q;
  int disagreements = 0;
  for (const LaneKernels* kernels : Targets()) {
    const auto doubts = [&](Quantity quantity) {
      return Evaluate(Asked(batch, {quantity}, Bit(Input::kGravity)), *kernels)
          .doubts;
    };
    for (std::ptrdiff_t pair = 0; pair < 20; ++pair) {
      const auto at = states.begin() + 14 * pair;
      const std::vector<double> from(at, at + 7), to(at + 7, at + 14);
      // A finer and finer look at the first place where the doubt changes.
      double begin = 0, end = 1;
      bool found = true;
      while (found && end - begin > 4e-15) {
        LayStates(from, to, begin, end, batch);
        const auto all = doubts(Quantity::kTaskProjection);
        std::size_t k = 1;
        while (k < all.size() && TaskInDoubt(all[k]) == TaskInDoubt(all[0])) {
          ++k;
        }
        found = k < all.size();
        const double step = (end - begin) / static_cast<double>(all.size());
        begin += step * (static_cast<double>(k) - 1.5);
        end = begin + 2 * step;
      }
      if (!found) continue;
      LayStates(from, to, begin, end, batch);
      if (doubts(Quantity::kTaskProjection) !=
          doubts(Quantity::kOperationalSpace)) {
        ++disagreements;
      }
      Law law(batch, *kernels, Bit(Input::kGravity));
      law.ExpectSameBeside(
          {Quantity::kTaskProjection, Quantity::kOperationalSpace});
    }
  }
  EXPECT_GT(disagreements, 0);
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
