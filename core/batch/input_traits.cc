#include "core/batch/input_traits.h"

#include <array>
#include <cstddef>

#include "core/batch/quantity_needs.h"

namespace torqued {
namespace {

constexpr std::string_view kNoWrenches =
    "A wrench takes part only in inverse and forward dynamics, their "
    "derivatives, the wrenches through joints and base, the task torque and "
    "the power balance, and none of these was asked for.";
constexpr std::string_view kNoMotionOfTheBase =
    "None of the quantities that were asked for depends on the motion of the "
    "base.";
constexpr std::string_view kNoGravity =
    "None of the quantities that were asked for depends on gravity.";
constexpr std::string_view kNoTaskTorque =
    "Only the task torque takes it, which was not asked for.";

constexpr QuantitySet kAnybody;

/// In the order of Input.
constexpr std::array<InputTraits, kInputCount> kTraits = {{
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
    {"task_acceleration",
     &EvaluationInputs::task_acceleration,
     InputShape::kTaskVector,
     {Quantity::kTaskTorque},
     kNoTaskTorque},
    {"null_space_torque",
     &EvaluationInputs::null_space_torque,
     InputShape::kJointVector,
     {Quantity::kTaskTorque},
     kNoTaskTorque},
    {"gravity", &EvaluationInputs::gravity, InputShape::kVector3,
     kQuantitiesOfGravity, kNoGravity},
}};

}  // namespace

const InputTraits& TraitsOf(Input input) {
  return kTraits[static_cast<std::size_t>(input)];
}

std::string_view ToString(Input input) { return TraitsOf(input).name; }

const InputArray& EvaluationInputs::operator[](Input input) const {
  return this->*TraitsOf(input).array;
}

InputArray& EvaluationInputs::operator[](Input input) {
  return this->*TraitsOf(input).array;
}

}  // namespace torqued
