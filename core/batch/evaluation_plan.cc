#include "core/batch/evaluation_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "core/batch/input_groups.h"
#include "core/batch/input_traits.h"
#include "core/batch/option_checks.h"
#include "core/batch/quantity_needs.h"
#include "core/dynamics/power.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;
using MaybeError = std::optional<ArgumentError>;

ArgumentError Fail(Code code, std::string field, std::string message) {
  return {code, std::move(field), std::move(message)};
}

ArgumentError NoTipFrame(const Model& model) {
  return TipFrameRequired(model, "options.tip_frame", "the tip frame");
}

ArgumentError WrongColumns(Input input, int got, int expected) {
  return Fail(Code::kWrongColumnCount, std::string(ToString(input)),
              "Expected " + std::to_string(expected) + " columns, got " +
                  std::to_string(got) + ".");
}

/// Nanoseconds of a row on one core, to within some factor: passes over the
/// bodies, numbers that are written, factorizations.
double GuessedCost(const EvaluationPlan& plan) {
  constexpr QuantitySet kInverted = {Quantity::kMassMatrixInverse,
                                     Quantity::kForwardDynamicsDerivatives};
  const QuantitySet quantities = plan.options().quantities;
  const double n = plan.model().nv();
  double ns = 5 + 8 * n;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (plan.Produces(output)) ns += 0.8 * plan.columns(output);
  }
  if (quantities.HasAny(kQuantitiesOfTheTask)) ns += 0.06 * n * n * n;
  if (quantities.HasAny(kInverted)) ns += 0.4 * n * n * n;
  const bool in_lanes =
      plan.blocks().usable() && plan.blocks().by_rows().empty();
  return in_lanes ? ns : 3 * ns;
}

}  // namespace

bool EvaluationPlan::UsesTipFrame(bool has_wrench) const {
  return has_wrench || options().quantities.HasAny(kQuantitiesOfTheFrame);
}

bool EvaluationPlan::UsesTipWrench() const {
  return options().quantities.HasAny(kQuantitiesUnderWrenches);
}

std::variant<EvaluationPlan, ArgumentError> EvaluationPlan::Create(
    std::shared_ptr<const Model> model, EvaluationOptions options) {
  const QuantitySet& quantities = options.quantities;
  if (quantities.empty()) {
    return Fail(Code::kInvalidOption, "quantities",
                "Name at least one quantity.");
  }
  auto order = ResolveJointOrder(*model, options.joint_names);
  if (auto* error = std::get_if<ArgumentError>(&order)) {
    return std::move(*error);
  }
  auto tip_frame =
      FindFrameOrTip(*model, options.tip_frame, "options.tip_frame");
  if (auto* error = std::get_if<ArgumentError>(&tip_frame)) {
    return std::move(*error);
  }
  auto loaded = TakeUpPayload(model, options);
  if (auto* error = std::get_if<ArgumentError>(&loaded)) {
    return std::move(*error);
  }
  model = std::get<std::shared_ptr<const Model>>(std::move(loaded));
  if (!options.terms.gravity) options.terms.gravity = model->gravity();
  if (MaybeError error = CheckTerms(options.terms)) return *std::move(error);
  if (MaybeError error = CheckSizes(quantities, model->nv())) {
    return *std::move(error);
  }
  if (quantities.HasAny(kQuantitiesOfTheTask)) {
    if (MaybeError error = CheckTask(options.task)) return *std::move(error);
  }
  auto wrench_places = FindWrenchPlaces(*model, options);
  if (auto* error = std::get_if<ArgumentError>(&wrench_places)) {
    return std::move(*error);
  }

  const auto checked = std::make_shared<Checked>();
  checked->joint_order = std::get<std::vector<int>>(std::move(order));
  for (const int j : checked->joint_order) {
    const Joint& joint = model->joints()[static_cast<std::size_t>(j)];
    for (int k = 0; k < joint.nq; ++k) {
      checked->q_columns.push_back(joint.q_index + k);
    }
    for (int k = 0; k < joint.nv; ++k) {
      checked->v_columns.push_back(joint.v_index + k);
    }
  }
  checked->tip_frame = std::get<std::optional<int>>(tip_frame);
  checked->wrench_places =
      std::get<std::vector<WrenchPlace>>(std::move(wrench_places));
  checked->model = std::move(model);
  checked->options = std::move(options);
  EvaluationPlan plan(checked);
  if (!checked->tip_frame && plan.UsesTipFrame(false)) {
    return NoTipFrame(*checked->model);
  }
  if (checked->options.quantities.HasAny(kQuantitiesOfTheInverse)) {
    checked->pivot_scales = PivotScales(checked->model->tree());
  }
  checked->blocks = BlockPlan(plan);
  if (checked->blocks.usable() && !checked->model->needs_double()) {
    checked->precision = checked->options.precision;
  }
  checked->cost = GuessedCost(plan);
  return plan;
}

std::variant<EvaluationPlan, ArgumentError> EvaluationPlan::Create(
    std::shared_ptr<const Model> model, EvaluationOptions options,
    const EvaluationInputs& inputs) {
  auto created = Create(std::move(model), std::move(options));
  if (auto* plan = std::get_if<EvaluationPlan>(&created)) {
    if (MaybeError error = plan->Rebind(inputs)) return *std::move(error);
  }
  return created;
}

int EvaluationPlan::ColumnsOf(Input input) const {
  switch (TraitsOf(input).shape) {
    case InputShape::kPositions:
      return model().nq();
    case InputShape::kJointVector:
      return model().nv();
    case InputShape::kVector3:
      return 3;
    case InputShape::kVector6:
      return 6;
    case InputShape::kWrenches:
      return 6 * static_cast<int>(wrench_places().size());
    case InputShape::kTaskVector:
      return options().task.axis_count;
  }
  return 0;
}

MaybeError EvaluationPlan::CheckUse(const EvaluationInputs& inputs,
                                    std::span<const Input> present) const {
  const auto useless = [](Input input, std::string_view message) {
    return Fail(Code::kInvalidOption, std::string(ToString(input)),
                std::string(message));
  };
  for (const Input input : present) {
    const InputTraits& traits = TraitsOf(input);
    if (!traits.refusal.empty() &&
        !options().quantities.HasAny(traits.readers)) {
      return useless(input, traits.refusal);
    }
  }
  if (inputs.external_wrenches.present() && wrench_places().empty()) {
    return useless(Input::kExternalWrenches,
                   "options.external_wrenches does not say where they act.");
  }
  if (inputs.tip_wrench.present() && !checked_->tip_frame) {
    return NoTipFrame(model());
  }
  return std::nullopt;
}

std::optional<ArgumentError> EvaluationPlan::Rebind(
    const EvaluationInputs& inputs) {
  const int nq = model().nq(), nv = model().nv();
  std::array<Input, kInputCount> all{};
  std::size_t count = 0;
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    if (TableOf(inputs, input).present()) all[count++] = input;
  }
  const std::span<const Input> present(all.data(), count);
  // What it is for comes before how it is laid out: of a wrench without a place
  // there is no number of columns.
  if (MaybeError error = CheckUse(inputs, present)) return error;
  // A model without joints has no states to tell apart: one row.
  std::int64_t rows = nq == 0 ? 1 : 0;
  for (const Input input : present) {
    const InputArray& array = TableOf(inputs, input);
    const int columns = ColumnsOf(input);
    if (array.columns != columns) {
      return WrongColumns(input, array.columns, columns);
    }
    if (array.data == nullptr && columns > 0) {
      return Fail(Code::kMissingInput, std::string(ToString(input)),
                  "The table has rows and no numbers.");
    }
    // q comes first and, unless it is one row for all, says how many there are.
    if (rows <= 1) rows = std::max(rows, array.rows);
  }
  if (nq > 0 && !inputs.q.present()) {
    return Fail(Code::kMissingInput, "q",
                "q is required: one row of " + std::to_string(nq) +
                    " numbers per state.");
  }
  if (options().quantities.HasAny(kQuantitiesOfTau) && nv > 0 &&
      !inputs.tau.present()) {
    return Fail(Code::kMissingInput, "tau",
                "Forward dynamics needs tau: one row of " + std::to_string(nv) +
                    " numbers per state.");
  }
  for (const Input input : present) {
    const std::int64_t has = TableOf(inputs, input).rows;
    if (has > 1 && has != rows) {
      return Fail(Code::kWrongRowCount, std::string(ToString(input)),
                  "Expected 1 or " + std::to_string(rows) + " rows, got " +
                      std::to_string(has) + ".");
    }
  }

  rows_ = rows;
  inputs_ = inputs;
  return std::nullopt;
}

double EvaluationPlan::nanoseconds() const {
  // Fewer rows than lanes take as long as a block.
  constexpr std::int64_t kRowsOfABlock = 4;
  return cost() * static_cast<double>(std::max(rows_, kRowsOfABlock));
}

const std::vector<int>& EvaluationPlan::places(Input input) const {
  static const std::vector<int> kAsTheyStand;
  switch (TraitsOf(input).shape) {
    case InputShape::kPositions:
      return q_columns();
    case InputShape::kJointVector:
      return v_columns();
    default:
      return kAsTheyStand;
  }
}

std::int64_t EvaluationPlan::bytes() const {
  std::int64_t bytes =
      blocks().bytes() +
      static_cast<std::int64_t>(wrench_places().size() * sizeof(WrenchPlace)) +
      pivot_scales().bytes();
  if (!options().payload) return bytes;
  // A copy of the model: bodies, twice lowered, and names.
  for (const Frame& frame : model().frames()) {
    bytes += static_cast<std::int64_t>(2 * (sizeof(frame) + frame.name.size()));
  }
  return bytes + 4 * model().nv() * std::int64_t{sizeof(TreeBody)};
}

bool EvaluationPlan::Produces(Output output) const {
  return options().quantities.Has(QuantityOf(output));
}

int EvaluationPlan::columns(Output output) const {
  const int n = model().nv(), m = options().task.axis_count;
  switch (TraitsOf(output).shape) {
    case OutputShape::kScalar:
      return 1;
    case OutputShape::kVector3:
      return 3;
    case OutputShape::kVector6:
      return 6;
    case OutputShape::kPose:
      return 12;
    case OutputShape::kJointVector:
      return n;
    case OutputShape::kJointMatrix:
      return n * n;
    case OutputShape::kMassMatrix:
      return options().mass_matrix_layout == MassMatrixLayout::kFull
                 ? n * n
                 : n * (n + 1) / 2;
    case OutputShape::kSixByJoints:
    case OutputShape::kJointsBySix:
      return 6 * n;
    case OutputShape::kJointCube:
      return n * n * n;
    case OutputShape::kRegressor:
      return 10 * n * n;
    case OutputShape::kJointsByAxes:
      return n * m;
    case OutputShape::kTaskVector:
      return m;
    case OutputShape::kTaskMatrix:
      return m * m;
    case OutputShape::kPowers:
      return kPowerShareCount;
  }
  return 0;
}

}  // namespace torqued
