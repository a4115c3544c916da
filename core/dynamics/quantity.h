// What can be asked of a model, and the tables of numbers that go in and come
// out; core/dynamics/quantities.def lists them.
//
// Free of standard headers, so that units compiled for different instruction
// sets can share it.
#pragma once

namespace torqued {

enum class Quantity : unsigned char {
#define QUANTITY(id, ...) id,
#include "core/dynamics/quantities.def"
};

/// One table per input, a row for each state or one for all.
enum class Input : unsigned char {
#define INPUT(id, ...) id,
#include "core/dynamics/quantities.def"
};

/// One table per result, a row for each state.
enum class Output : unsigned char {
#define QUANTITY(id, name, reads, traits, outputs, ...) outputs
#define OUTPUT(id, ...) id,
#include "core/dynamics/quantities.def"
};

/// Sets of each, as bits.
using QuantityBits = unsigned long long;
using OutputBits = unsigned long long;
using InputBits = unsigned;

/// In a unit of its own for every instruction set, so never shared.
#define TORQUED_PER_TARGET __attribute__((always_inline)) static constexpr

TORQUED_PER_TARGET QuantityBits Bit(Quantity quantity) {
  return 1ULL << static_cast<unsigned>(quantity);
}
TORQUED_PER_TARGET OutputBits Bit(Output output) {
  return 1ULL << static_cast<unsigned>(output);
}
TORQUED_PER_TARGET InputBits Bit(Input input) {
  return 1U << static_cast<unsigned>(input);
}

/// The quantity that a table belongs to.
TORQUED_PER_TARGET Quantity QuantityOf(Output output) {
  switch (output) {
#define QUANTITY(id, name, reads, traits, outputs, ...) \
  outputs return Quantity::id;
#define OUTPUT(id, ...) case Output::id:
#include "core/dynamics/quantities.def"
  }
  __builtin_unreachable();
}

/// The dimensions of a row, of which the last runs fastest: plain numbers, 0
/// after the last, or one of the following.
struct Shape {
  signed char sizes[3];
};

struct InputRow {
  const char* name;
  /// Refuses a table that no quantity reads; empty: it is accepted.
  const char* refusal;
  Shape shape;
};
struct OutputRow {
  const char* name;
  Shape shape;
};
struct QuantityRow {
  const char* name;
  InputBits reads;  // beside q
  unsigned traits;
  OutputBits outputs;
  int max_dof = 0;  // 0: any model's
};

/// The words of core/dynamics/quantities.def.
namespace table {

constexpr InputBits kV = Bit(Input::kV), kA = Bit(Input::kA),
                    kTau = Bit(Input::kTau), kGravity = Bit(Input::kGravity);
constexpr InputBits kBaseMotion =
    Bit(Input::kBaseTwist) | Bit(Input::kBaseAcceleration);
constexpr InputBits kForces = kBaseMotion | kGravity | Bit(Input::kTipWrench) |
                              Bit(Input::kExternalWrenches);
constexpr InputBits kTask =
    Bit(Input::kTaskAcceleration) | Bit(Input::kNullSpaceTorque);

/// Refers to the tip frame, with or without a wrench.
constexpr unsigned kOfTip = 1;
constexpr unsigned kSolvesMass = 2;
constexpr unsigned kSolvesTask = 4 | kSolvesMass | kOfTip;
/// Needs all of M⁻¹.
constexpr unsigned kTakesInverse = 8 | kSolvesMass;

constexpr signed char kPositions = -1;  // nq
constexpr signed char kJoints = -2;     // nv
constexpr signed char kAxes = -3;       // of the task
constexpr signed char kPlaces = -4;     // of external wrenches
/// As many as before it: of a symmetric matrix, whose lower half the algorithms
/// store row by row.
constexpr signed char kSymmetric = -5;

constexpr char kNoWrenches[] =
    "A wrench takes part only in inverse and forward dynamics, their "
    "derivatives, the wrenches through joints and base, the task torque and "
    "the power balance, and none of these was asked for.";
constexpr char kNoBaseMotion[] =
    "None of the quantities that were asked for depends on the motion of the "
    "base.";
constexpr char kNoGravity[] =
    "None of the quantities that were asked for depends on gravity.";
constexpr char kNoTaskTorque[] =
    "Only the task torque takes it, which was not asked for.";

/// In the order of Quantity, Output and Input.
constexpr QuantityRow kQuantities[] = {
#define QUANTITY(id, name, reads, traits, outputs, ...) \
  {name, reads, traits, 0 outputs, __VA_ARGS__},
#define OUTPUT(id, ...) | Bit(Output::id)
#include "core/dynamics/quantities.def"
};
constexpr OutputRow kOutputs[] = {
#define QUANTITY(id, name, reads, traits, outputs, ...) outputs
#define OUTPUT(id, name, ...) {name, {__VA_ARGS__}},
#include "core/dynamics/quantities.def"
};
constexpr InputRow kInputs[] = {
#define INPUT(id, member, name, refusal, ...) {name, refusal, {__VA_ARGS__}},
#include "core/dynamics/quantities.def"
};

}  // namespace table

constexpr int kQuantityCount = sizeof(table::kQuantities) / sizeof(QuantityRow);
constexpr int kOutputCount = sizeof(table::kOutputs) / sizeof(OutputRow);
constexpr int kInputCount = sizeof(table::kInputs) / sizeof(InputRow);

TORQUED_PER_TARGET const QuantityRow& RowOf(Quantity quantity) {
  return table::kQuantities[static_cast<unsigned>(quantity)];
}
TORQUED_PER_TARGET const OutputRow& RowOf(Output output) {
  return table::kOutputs[static_cast<unsigned>(output)];
}
TORQUED_PER_TARGET const InputRow& RowOf(Input input) {
  return table::kInputs[static_cast<unsigned>(input)];
}

/// The quantities that read one of these inputs.
TORQUED_PER_TARGET QuantityBits ReadersOf(InputBits inputs) {
  QuantityBits readers = 0;
  for (int k = 0; k < kQuantityCount; ++k) {
    if ((table::kQuantities[k].reads & inputs) != 0) readers |= 1ULL << k;
  }
  return readers;
}
/// The quantities that have all of these traits.
TORQUED_PER_TARGET QuantityBits QuantitiesWith(unsigned traits) {
  QuantityBits found = 0;
  for (int k = 0; k < kQuantityCount; ++k) {
    if ((table::kQuantities[k].traits & traits) == traits) found |= 1ULL << k;
  }
  return found;
}
#undef TORQUED_PER_TARGET

constexpr QuantityBits kTipQuantities = QuantitiesWith(table::kOfTip);
constexpr QuantityBits kTaskQuantities = QuantitiesWith(table::kSolvesTask);
constexpr QuantityBits kSolvesMassMatrix = QuantitiesWith(table::kSolvesMass);
constexpr QuantityBits kTakesInverse = QuantitiesWith(table::kTakesInverse);

}  // namespace torqued
