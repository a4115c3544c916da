#include "core/batch/evaluation_plan.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/batch/cost.h"
#include "core/batch/quantity_needs.h"
#include "core/dynamics/power.h"
#include "core/model/description_checks.h"
#include "core/model/payload.h"
#include "core/model/tree_checks.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;
using MaybeError = std::optional<ArgumentError>;

/// Their number is its cube; that of the regressor ten times its square.
constexpr int kMaxChristoffelDof = 100;
constexpr int kMaxRegressorDof = 256;

constexpr std::size_t kMaxExternalWrenches = 256;

/// Of joint velocities, where F tanh(v / ε) is as good as a step.
constexpr double kMinSmoothing = 1e-9;

ArgumentError Fail(Code code, std::string field, std::string message) {
  return {code, std::move(field), std::move(message)};
}

std::string Quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

ArgumentError TipFrameRequired() {
  return Fail(Code::kTipFrameRequired, "options.tip_frame",
              "The model has several leaf links and no default tip: name the "
              "tip frame.");
}

MaybeError CheckTask(const TaskOptions& task) {
  if (task.axis_count < 1 || task.axis_count > 6) {
    return Fail(Code::kInvalidOption, "operational_space.axes",
                "A task has one to six axes, not " +
                    std::to_string(task.axis_count) + ".");
  }
  unsigned seen = 0;
  for (int k = 0; k < task.axis_count; ++k) {
    const unsigned axis = task.axes[static_cast<std::size_t>(k)];
    const std::string field =
        "operational_space.axes[" + std::to_string(k) + "]";
    if (axis > 5) {
      return Fail(Code::kInvalidOption, field, "There is no such task axis.");
    }
    if ((seen >> axis & 1u) != 0) {
      return Fail(Code::kInvalidOption, field,
                  "A task axis may be named only once.");
    }
    seen |= 1u << axis;
  }
  if (!(task.rank_tolerance >= 0 && task.rank_tolerance < 1)) {
    return Fail(Code::kInvalidOption, "operational_space.rank_tolerance",
                "The rank tolerance must be in [0, 1).");
  }
  if (!(task.characteristic_length > 0 &&
        std::isfinite(task.characteristic_length))) {
    return Fail(Code::kInvalidOption, "operational_space.characteristic_length",
                "The characteristic length must be positive and finite.");
  }
  const bool damped = task.singularity == SingularityRule::kDamped;
  if (damped && !(task.damping > 0 && std::isfinite(task.damping))) {
    return Fail(Code::kInvalidOption, "operational_space.damping",
                "The damped rule needs a positive, finite damping.");
  }
  if (!damped && task.damping != 0) {
    return Fail(Code::kInvalidOption, "operational_space.damping",
                "Damping has a meaning only under the damped rule.");
  }
  return std::nullopt;
}

/// Joint at each place of the caller's order.
std::variant<std::vector<int>, ArgumentError> ResolveJointOrder(
    const Model& model, const std::vector<std::string>& names) {
  std::vector<int> order;
  if (names.empty()) return order;
  const std::size_t n = model.joints().size();
  std::vector<bool> seen(n, false);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string field = "options.joint_names[" + std::to_string(k) + "]";
    const std::optional<int> joint = model.FindJoint(names[k]);
    if (!joint) {
      return Fail(Code::kWrongJointNames, field,
                  "The model has no movable joint " +
                      Quoted(names[k].substr(0, 128)) + ".");
    }
    if (seen[static_cast<std::size_t>(*joint)]) {
      return Fail(Code::kWrongJointNames, field,
                  "Joint " + Quoted(names[k]) + " is named twice.");
    }
    seen[static_cast<std::size_t>(*joint)] = true;
    order.push_back(*joint);
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (!seen[j]) {
      return Fail(Code::kWrongJointNames, "options.joint_names",
                  "Joint " + Quoted(model.joints()[j].name) +
                      " is missing: every movable joint must be named once.");
    }
  }
  return order;
}

/// The model with its payload, whose frame is named afterwards.
std::variant<std::shared_ptr<const Model>, ArgumentError> TakeUp(
    const std::shared_ptr<const Model>& model, PayloadOptions& payload,
    const std::string& tip_frame) {
  LintReport report;
  LinkDescription link[] = {{.name = "payload", .inertial = payload.inertial}};
  CheckLinks(link, /*strict=*/true, report);
  for (const Finding& finding : report.findings()) {
    if (finding.severity == Severity::kError) {
      return Fail(Code::kInvalidOption, "options.payload", finding.message);
    }
  }
  const std::string name = payload.frame.empty() ? tip_frame : payload.frame;
  const std::optional<int> frame =
      name.empty() ? model->tip_frame() : model->FindFrame(name);
  if (frame) {
    payload.frame = model->frames()[static_cast<std::size_t>(*frame)].name;
    auto loaded = WithPayload(model, *frame, payload.inertial);
    if (!InertiasAreFinite(loaded->tree())) {
      return Fail(Code::kInvalidOption, "options.payload",
                  "With the payload the inertia that joints move is beyond the "
                  "range of double precision.");
    }
    return loaded;
  }
  if (name.empty()) {
    return Fail(Code::kTipFrameRequired, "options.payload.frame",
                "The model has several leaf links and no default tip: name the "
                "payload's frame.");
  }
  return Fail(Code::kUnknownFrame, "options.payload.frame",
              "The model has no frame " + Quoted(name.substr(0, 128)) + ".");
}

ArgumentError WrongColumns(Input input, int got, int expected) {
  return Fail(Code::kWrongColumnCount, std::string(ToString(input)),
              "Expected " + std::to_string(expected) + " columns, got " +
                  std::to_string(got) + ".");
}

/// Where the external wrenches act, whose frames are named afterwards.
MaybeError FindWrenchPlaces(const Model& model, EvaluationOptions& options,
                            std::vector<WrenchPlace>& places) {
  if (options.external_wrenches.size() > kMaxExternalWrenches) {
    return Fail(Code::kInvalidOption, "options.external_wrenches",
                "At most " + std::to_string(kMaxExternalWrenches) +
                    " external wrenches may act.");
  }
  for (std::size_t k = 0; k < options.external_wrenches.size(); ++k) {
    ExternalWrenchOptions& wrench = options.external_wrenches[k];
    const std::string field =
        "options.external_wrenches[" + std::to_string(k) + "].frame";
    const std::string& name =
        wrench.frame.empty() ? options.tip_frame : wrench.frame;
    const std::optional<int> frame =
        name.empty() ? model.tip_frame() : model.FindFrame(name);
    if (!frame && name.empty()) {
      return Fail(Code::kTipFrameRequired, field,
                  "The model has several leaf links and no default tip: name "
                  "the frame on which the wrench acts.");
    }
    if (!frame) {
      return Fail(
          Code::kUnknownFrame, field,
          "The model has no frame " + Quoted(name.substr(0, 128)) + ".");
    }
    const Frame& found = model.frames()[static_cast<std::size_t>(*frame)];
    wrench.frame = found.name;
    places.push_back({found.placement, wrench.reference_frame});
  }
  return std::nullopt;
}

}  // namespace

std::string_view ToString(Input input) {
  switch (input) {
    case Input::kQ:
      return "q";
    case Input::kV:
      return "v";
    case Input::kA:
      return "a";
    case Input::kTau:
      return "tau";
    case Input::kTipWrench:
      return "tip_wrench_on_environment";
    case Input::kBaseTwist:
      return "base_twist";
    case Input::kBaseAcceleration:
      return "base_acceleration";
    case Input::kExternalWrenches:
      return "external_wrenches_on_robot";
    case Input::kTaskAcceleration:
      return "task_acceleration";
    case Input::kNullSpaceTorque:
      return "null_space_torque";
    case Input::kGravity:
      return "gravity";
  }
  return "";
}

const InputArray& EvaluationInputs::operator[](Input input) const {
  switch (input) {
    case Input::kQ:
      return q;
    case Input::kV:
      return v;
    case Input::kA:
      return a;
    case Input::kTau:
      return tau;
    case Input::kTipWrench:
      return tip_wrench;
    case Input::kBaseTwist:
      return base_twist;
    case Input::kBaseAcceleration:
      return base_acceleration;
    case Input::kExternalWrenches:
      return external_wrenches;
    case Input::kTaskAcceleration:
      return task_acceleration;
    case Input::kNullSpaceTorque:
      return null_space_torque;
    case Input::kGravity:
      break;
  }
  return gravity;
}

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
  std::optional<int> tip_frame = model->tip_frame();
  if (!options.tip_frame.empty()) {
    tip_frame = model->FindFrame(options.tip_frame);
    if (!tip_frame) {
      return Fail(Code::kUnknownFrame, "options.tip_frame",
                  "The model has no frame " +
                      Quoted(options.tip_frame.substr(0, 128)) + ".");
    }
  }
  if (options.payload) {
    auto loaded = TakeUp(model, *options.payload, options.tip_frame);
    if (auto* error = std::get_if<ArgumentError>(&loaded)) {
      return std::move(*error);
    }
    model = std::get<std::shared_ptr<const Model>>(std::move(loaded));
  }
  if (!options.terms.gravity) options.terms.gravity = model->gravity();
  for (const double g : *options.terms.gravity) {
    if (!std::isfinite(g)) {
      return Fail(Code::kInvalidOption, "options.terms.gravity",
                  "Gravity must be finite.");
    }
  }
  const double smoothing = options.terms.coulomb_smoothing;
  if (smoothing != 0 &&
      !(smoothing >= kMinSmoothing && std::isfinite(smoothing))) {
    return Fail(Code::kInvalidOption, "options.terms.coulomb_smoothing",
                "The smoothing velocity must be 0, or at least 1e-9 and "
                "finite.");
  }
  if (smoothing != 0 && !options.terms.coulomb_friction) {
    return Fail(Code::kInvalidOption, "options.terms.coulomb_smoothing",
                "Smoothing has a meaning only with Coulomb friction.");
  }
  const auto too_many = [&](Quantity quantity, int most,
                            std::string_view numbers) -> MaybeError {
    if (!quantities.Has(quantity) || model->nv() <= most) return std::nullopt;
    return Fail(Code::kInvalidOption, "quantities",
                std::string(numbers) + " of a model of more than " +
                    std::to_string(most) + " degrees of freedom are too many.");
  };
  if (MaybeError error =
          too_many(Quantity::kChristoffelSymbols, kMaxChristoffelDof,
                   "The Christoffel symbols")) {
    return *std::move(error);
  }
  if (MaybeError error = too_many(Quantity::kRegressor, kMaxRegressorDof,
                                  "The entries of the regressor")) {
    return *std::move(error);
  }
  const bool wants_task = quantities.HasAny(kQuantitiesOfTheTask);
  if (wants_task) {
    if (MaybeError error = CheckTask(options.task)) return *std::move(error);
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

  checked->tip_frame = tip_frame;
  if (MaybeError error =
          FindWrenchPlaces(*model, options, checked->wrench_places)) {
    return *std::move(error);
  }

  checked->model = std::move(model);
  checked->options = std::move(options);
  EvaluationPlan plan(checked);
  if (!checked->tip_frame && plan.UsesTipFrame(false)) {
    return TipFrameRequired();
  }
  checked->blocks = BlockPlan(plan);
  checked->nanoseconds_per_row = NanosecondsPerRow(
      checked->options, checked->blocks.by_rows(), checked->model->nv());
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
  switch (input) {
    case Input::kQ:
      return model().nq();
    case Input::kV:
    case Input::kA:
    case Input::kTau:
    case Input::kNullSpaceTorque:
      return model().nv();
    case Input::kTipWrench:
    case Input::kBaseTwist:
    case Input::kBaseAcceleration:
      return 6;
    case Input::kExternalWrenches:
      return 6 * static_cast<int>(wrench_places().size());
    case Input::kTaskAcceleration:
      return options().task.axis_count;
    case Input::kGravity:
      return 3;
  }
  return 0;
}

MaybeError EvaluationPlan::CheckUse(const EvaluationInputs& inputs) const {
  const QuantitySet& quantities = options().quantities;
  const auto useless = [](Input input, std::string message) {
    return Fail(Code::kInvalidOption, std::string(ToString(input)),
                std::move(message));
  };
  for (const Input wrench : {Input::kTipWrench, Input::kExternalWrenches}) {
    if (inputs[wrench].present() &&
        !quantities.HasAny(kQuantitiesUnderWrenches)) {
      return useless(wrench,
                     "A wrench takes part only in inverse and forward "
                     "dynamics, their derivatives, the wrenches through joints "
                     "and base, the task torque and the power balance, and "
                     "none of these was asked for.");
    }
  }
  if (inputs.external_wrenches.present() && wrench_places().empty()) {
    return useless(Input::kExternalWrenches,
                   "options.external_wrenches does not say where they act.");
  }
  for (const Input base : {Input::kBaseTwist, Input::kBaseAcceleration}) {
    if (inputs[base].present() &&
        !quantities.HasAny(kQuantitiesOnMovingBases)) {
      return useless(base,
                     "None of the quantities that were asked for depends on "
                     "the motion of the base.");
    }
  }
  if (inputs.gravity.present() && !quantities.HasAny(kQuantitiesOfGravity)) {
    return useless(Input::kGravity,
                   "None of the quantities that were asked for depends on "
                   "gravity.");
  }
  for (const Input task : {Input::kTaskAcceleration, Input::kNullSpaceTorque}) {
    if (inputs[task].present() && !quantities.Has(Quantity::kTaskTorque)) {
      return useless(task,
                     "Only the task torque takes it, which was not asked for.");
    }
  }
  if (inputs.tip_wrench.present() && !checked_->tip_frame) {
    return TipFrameRequired();
  }
  return std::nullopt;
}

std::optional<ArgumentError> EvaluationPlan::Rebind(
    const EvaluationInputs& inputs) {
  const int nq = model().nq(), nv = model().nv();
  // What it is for comes before how it is laid out: of a wrench without a place
  // there is no number of columns.
  if (MaybeError error = CheckUse(inputs)) return error;
  // A model without joints has no states to tell apart: one row.
  std::int64_t rows = nq == 0 ? 1 : 0;
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    const InputArray& array = inputs[input];
    const int columns = ColumnsOf(input);
    if (array.present() && array.columns != columns) {
      return WrongColumns(input, array.columns, columns);
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
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    const std::int64_t has = inputs[input].rows;
    if (has > 1 && has != rows) {
      return Fail(Code::kWrongRowCount, std::string(ToString(input)),
                  "Expected 1 or " + std::to_string(rows) + " rows, got " +
                      std::to_string(has) + ".");
    }
  }

  rows_ = rows;
  inputs_ = inputs;
  nanoseconds_per_row_ = checked_->nanoseconds_per_row;
  if (blocks().NeedsGeneralTexts(inputs)) {
    nanoseconds_per_row_ *= kCostOfGeneralTexts;
  }
  if (inputs.external_wrenches.present()) {
    nanoseconds_per_row_ += NanosecondsOfWrenches(
        options().quantities, static_cast<int>(wrench_places().size()), nv);
  }
  return std::nullopt;
}

const std::vector<int>& EvaluationPlan::places(Input input) const {
  static const std::vector<int> kAsTheyStand;
  switch (input) {
    case Input::kQ:
      return q_columns();
    case Input::kV:
    case Input::kA:
    case Input::kTau:
    case Input::kNullSpaceTorque:
      return v_columns();
    default:
      return kAsTheyStand;
  }
}

std::int64_t EvaluationPlan::bytes() const {
  std::int64_t bytes = blocks().bytes();
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
