#include "core/batch/option_checks.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "core/model/description_checks.h"
#include "core/model/mass_checks.h"
#include "core/model/payload.h"
#include "core/model/text.h"
#include "core/model/tree_checks.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;
using MaybeError = std::optional<ArgumentError>;

/// What grows with the cube of the degrees of freedom, and the regressor, which
/// has ten times their square, for a block to take 0.2 s at most.
constexpr struct {
  Quantity quantity;
  int max_dof;
  std::string_view name;
} kLimitedQuantities[] = {
    {Quantity::kChristoffelSymbols, 100, "The Christoffel symbols"},
    {Quantity::kRegressor, 256, "The regressor"},
    {Quantity::kMassMatrixInverse, 256, "The inverse of the mass matrix"},
    {Quantity::kForwardDynamicsDerivatives, 256,
     "The derivatives of forward dynamics"},
    {Quantity::kOperationalSpace, 256, "The operational-space quantities"},
    {Quantity::kTaskProjection, 256, "The projections of the task"},
    {Quantity::kTaskTorque, 256, "The task torque"},
};

constexpr std::size_t kMaxExternalWrenches = 256;

/// In a sentence.
constexpr std::size_t kNamedLeaves = 3;

/// Of joint velocities, where F tanh(v / ε) is as good as a step.
constexpr double kMinSmoothing = 1e-9;

ArgumentError Fail(Code code, std::string field, std::string message) {
  return {code, std::move(field), std::move(message)};
}

/// The frame on which something acts: its own, or that of the options.
std::variant<int, ArgumentError> FindFrameOf(const Model& model,
                                             const std::string& own,
                                             const EvaluationOptions& options,
                                             const std::string& field,
                                             std::string_view what) {
  auto found =
      FindFrameOrTip(model, own.empty() ? options.tip_frame : own, field);
  if (auto* error = std::get_if<ArgumentError>(&found)) {
    return std::move(*error);
  }
  const std::optional<int> frame = std::get<std::optional<int>>(found);
  if (!frame) return TipFrameRequired(model, field, what);
  return *frame;
}

}  // namespace

ArgumentError TipFrameRequired(const Model& model, std::string field,
                               std::string_view what) {
  std::vector<std::string> leaves;
  for (const Frame& frame : model.frames()) {
    if (frame.is_leaf) leaves.push_back(frame.name);
  }
  std::string some;
  for (std::size_t k = 0; k < leaves.size() && k < kNamedLeaves; ++k) {
    if (k > 0) some += " or ";
    some += Quoted(leaves[k]);
  }
  ArgumentError error =
      Fail(Code::kTipFrameRequired, std::move(field),
           "The model has several leaf links and no default tip: name " +
               std::string(what) + ", a link of the model: " + some + ", say.");
  error.candidates = std::move(leaves);
  return error;
}

std::variant<std::optional<int>, ArgumentError> FindFrameOrTip(
    const Model& model, const std::string& name, const std::string& field) {
  if (name.empty()) return model.tip_frame();
  const std::optional<int> frame = model.FindFrame(name);
  if (frame) return frame;
  ArgumentError error = Fail(Code::kUnknownFrame, field,
                             "The model has no frame " + Quoted(name) + ".");
  error.wanted = name;
  for (const bool leaf : {true, false}) {
    for (const Frame& other : model.frames()) {
      if (other.is_leaf == leaf) error.candidates.push_back(other.name);
    }
  }
  return error;
}

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
      ArgumentError error =
          Fail(Code::kWrongJointNames, field,
               "The model has no movable joint " + Quoted(names[k]) + ".");
      error.wanted = names[k];
      for (const Joint& other : model.joints()) {
        error.candidates.push_back(other.name);
      }
      return error;
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

std::variant<std::shared_ptr<const Model>, ArgumentError> TakeUpPayload(
    const std::shared_ptr<const Model>& model, EvaluationOptions& options) {
  if (!options.payload) return model;
  PayloadOptions& payload = *options.payload;
  LintReport report;
  LinkDescription link[] = {{.name = "payload", .inertial = payload.inertial}};
  CheckLinks(link, report);
  const Effect effect[] = {EffectOf(link[0])};
  CheckMassProperties(link, effect, Validation::kStrict, /*way_around=*/{},
                      report);
  for (const Finding& finding : report.findings()) {
    if (finding.severity == Severity::kError) {
      return Fail(Code::kInvalidOption, "options.payload", finding.message);
    }
  }
  auto found = FindFrameOf(*model, payload.frame, options,
                           "options.payload.frame", "the payload's frame");
  if (auto* error = std::get_if<ArgumentError>(&found)) {
    return std::move(*error);
  }
  const int frame = std::get<int>(found);
  payload.frame = model->frames()[static_cast<std::size_t>(frame)].name;
  auto loaded = WithPayload(model, frame, payload.inertial);
  if (!InertiasAreFinite(loaded->tree())) {
    return Fail(Code::kInvalidOption, "options.payload",
                "With the payload the inertia that joints move is beyond the "
                "range of double precision.");
  }
  return loaded;
}

std::variant<std::vector<WrenchPlace>, ArgumentError> FindWrenchPlaces(
    const Model& model, EvaluationOptions& options) {
  std::vector<WrenchPlace> places;
  if (options.external_wrenches.size() > kMaxExternalWrenches) {
    return Fail(Code::kInvalidOption, "options.external_wrenches",
                "At most " + std::to_string(kMaxExternalWrenches) +
                    " external wrenches may act.");
  }
  for (std::size_t k = 0; k < options.external_wrenches.size(); ++k) {
    ExternalWrenchOptions& wrench = options.external_wrenches[k];
    auto found = FindFrameOf(
        model, wrench.frame, options,
        "options.external_wrenches[" + std::to_string(k) + "].frame",
        "the frame on which the wrench acts");
    if (auto* error = std::get_if<ArgumentError>(&found)) {
      return std::move(*error);
    }
    const Frame& frame =
        model.frames()[static_cast<std::size_t>(std::get<int>(found))];
    wrench.frame = frame.name;
    places.push_back({frame.placement, wrench.reference_frame});
  }
  return places;
}

MaybeError CheckTerms(const Terms& terms) {
  for (const double g : *terms.gravity) {
    if (!std::isfinite(g)) {
      return Fail(Code::kInvalidOption, "options.terms.gravity",
                  "Gravity must be finite.");
    }
  }
  const double smoothing = terms.coulomb_smoothing;
  if (smoothing == 0) return std::nullopt;
  if (!(smoothing >= kMinSmoothing && std::isfinite(smoothing))) {
    return Fail(Code::kInvalidOption, "options.terms.coulomb_smoothing",
                "The smoothing velocity must be 0, or at least 1e-9 and "
                "finite.");
  }
  if (!terms.coulomb_friction) {
    return Fail(Code::kInvalidOption, "options.terms.coulomb_smoothing",
                "Smoothing has a meaning only with Coulomb friction.");
  }
  return std::nullopt;
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
  if (!(task.characteristic_length >= kLeastLength &&
        task.characteristic_length <= kLargestLength)) {
    return Fail(Code::kInvalidOption, "operational_space.characteristic_length",
                "The characteristic length must be from 1e-30 to 1e30 m.");
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

MaybeError CheckSizes(const QuantitySet& quantities, int nv) {
  for (const auto& [quantity, max_dof, name] : kLimitedQuantities) {
    if (!quantities.Has(quantity) || nv <= max_dof) continue;
    return Fail(Code::kInvalidOption, "quantities",
                Cat(name, " of a model of ", std::to_string(nv),
                    " degrees of freedom are not offered; at most ",
                    std::to_string(max_dof), " are."));
  }
  return std::nullopt;
}

}  // namespace torqued
