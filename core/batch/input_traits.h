// What the tables of states are called, how they are laid out, and what they
// are for.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/batch/evaluation.h"
#include "core/batch/quantity_needs.h"

namespace torqued {

/// What a row of a table is.
enum class InputShape : unsigned char {
  kPositions,    // nq
  kJointVector,  // nv
  kVector3,      // 3
  kVector6,      // 6
  kWrenches,     // 6 for each external wrench of the options
  kTaskVector,   // m
};

struct InputTraits {
  std::string_view name;  // that of the field on the wire
  InputArray EvaluationInputs::* array;
  InputShape shape;
  /// A table that nothing would read is refused with this sentence, unless the
  /// sentence is empty.
  QuantitySet readers;
  std::string_view refusal;
};

inline constexpr std::string_view kNoWrenches =
    "A wrench takes part only in inverse and forward dynamics, their "
    "derivatives, the wrenches through joints and base, the task torque and "
    "the power balance, and none of these was asked for.";
inline constexpr std::string_view kNoMotionOfTheBase =
    "None of the quantities that were asked for depends on the motion of the "
    "base.";
inline constexpr std::string_view kNoGravity =
    "None of the quantities that were asked for depends on gravity.";
inline constexpr std::string_view kNoTaskTorque =
    "Only the task torque takes it, which was not asked for.";

inline constexpr QuantitySet kAnybody;
inline constexpr QuantitySet kTaskTorqueAlone = {Quantity::kTaskTorque};

/// In the order of Input.
inline constexpr std::array<InputTraits, kInputCount> kInputTraits = {{
    {"q", &EvaluationInputs::q, InputShape::kPositions, kAnybody, ""},
    {"v", &EvaluationInputs::v, InputShape::kJointVector, kAnybody, ""},
    {"a", &EvaluationInputs::a, InputShape::kJointVector, kAnybody, ""},
    {"tau", &EvaluationInputs::tau, InputShape::kJointVector, kAnybody, ""},
    {"tip_wrench_on_environment", &EvaluationInputs::tip_wrench,
     InputShape::kVector6, kQuantitiesUnderWrenches, kNoWrenches},
    {"base_twist", &EvaluationInputs::base_twist, InputShape::kVector6,
     kQuantitiesOnMovingBases, kNoMotionOfTheBase},
    {"base_acceleration", &EvaluationInputs::base_acceleration,
     InputShape::kVector6, kQuantitiesOnMovingBases, kNoMotionOfTheBase},
    {"external_wrenches_on_robot", &EvaluationInputs::external_wrenches,
     InputShape::kWrenches, kQuantitiesUnderWrenches, kNoWrenches},
    {"task_acceleration", &EvaluationInputs::task_acceleration,
     InputShape::kTaskVector, kTaskTorqueAlone, kNoTaskTorque},
    {"null_space_torque", &EvaluationInputs::null_space_torque,
     InputShape::kJointVector, kTaskTorqueAlone, kNoTaskTorque},
    {"gravity", &EvaluationInputs::gravity, InputShape::kVector3,
     kQuantitiesOfGravity, kNoGravity},
}};

inline const InputTraits& TraitsOf(Input input) {
  return kInputTraits[static_cast<std::size_t>(input)];
}

/// What EvaluationInputs::operator[] gives, without a call.
inline const InputArray& TableOf(const EvaluationInputs& inputs, Input input) {
  return inputs.*TraitsOf(input).array;
}

}  // namespace torqued
