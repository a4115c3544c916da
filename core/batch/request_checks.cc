#include "core/batch/request_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/model/checks.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;

constexpr std::size_t kMaxExternalWrenches = 256;

/// In a sentence.
constexpr std::size_t kNamedLeaves = 3;

/// Of joint velocities, where F tanh(v / ε) is as good as a step.
constexpr double kMinSmoothing = 1e-9;

[[noreturn]] void Refuse(Code code, std::string field, std::string message) {
  throw ArgumentError{code, std::move(field), std::move(message)};
}

/// Of an option out of its range, unless it is `right`.
void Require(bool right, std::string field, const char* message) {
  if (!right) Refuse(Code::kInvalidOption, std::move(field), message);
}

/// "The model has several leaf links and no default tip: name WHAT, a link:
/// finger_left or finger_right, say."
[[noreturn]] void RefuseWithoutTip(const Model& model, std::string field,
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
  throw ArgumentError{
      .code = Code::kTipFrameRequired,
      .field = std::move(field),
      .message =
          Cat("The model has several leaf links and no default tip: name ",
              what, ", a link of the model: ", some, ", say."),
      .candidates = std::move(leaves)};
}

/// The frame of this name; of none, the model's tip, if it has one.
std::optional<int> FindFrameOrTip(const Model& model, const std::string& name,
                                  const std::string& field) {
  if (name.empty()) return model.tip_frame();
  if (const auto frame = model.FindFrame(name)) return frame;
  ArgumentError error = {Code::kUnknownFrame, field,
                         "The model has no frame " + Quoted(name) + "."};
  error.wanted = name;
  for (const bool leaf : {true, false}) {
    for (const Frame& other : model.frames()) {
      if (other.is_leaf == leaf) error.candidates.push_back(other.name);
    }
  }
  throw error;
}

/// The frame on which something acts: its own, or that of the options. It is
/// named afterwards.
int FindFrameOf(const Model& model, std::string& own,
                const EvaluationOptions& options, const std::string& field,
                std::string_view what) {
  const auto frame =
      FindFrameOrTip(model, own.empty() ? options.tip_frame : own, field);
  if (!frame) RefuseWithoutTip(model, field, what);
  own = model.frames()[static_cast<std::size_t>(*frame)].name;
  return *frame;
}

/// The model with the payload of the options, whose frame is named afterwards.
std::shared_ptr<const Model> ApplyPayload(
    const std::shared_ptr<const Model>& model, EvaluationOptions& options) {
  if (!options.payload) return model;
  PayloadOptions& payload = *options.payload;
  LintReport report;
  LinkDescription link[] = {{.name = "payload", .inertial = payload.inertial}};
  CheckLinks(link, report);
  CheckMassProperties(link, std::array{char{1}}, Validation::kStrict,
                      /*hint=*/{}, report);
  for (const Finding& finding : report.findings()) {
    if (finding.severity == Severity::kError) {
      Refuse(Code::kInvalidOption, "options.payload", finding.message);
    }
  }
  const int frame = FindFrameOf(*model, payload.frame, options,
                                "options.payload.frame", "the payload's frame");
  auto loaded = model->WithPayload(frame, payload.inertial);
  Require(InertiasAreFinite(loaded->tree()), "options.payload",
          "With the payload the inertia that joints move is beyond the range "
          "of double precision.");
  return loaded;
}

/// Where the external wrenches act, whose frames are named afterwards.
std::vector<WrenchPlace> FindWrenchPlaces(const Model& model,
                                          EvaluationOptions& options) {
  std::vector<WrenchPlace> places;
  if (options.external_wrenches.size() > kMaxExternalWrenches) {
    Refuse(Code::kInvalidOption, "options.external_wrenches",
           "At most " + std::to_string(kMaxExternalWrenches) +
               " external wrenches may act.");
  }
  for (std::size_t k = 0; k < options.external_wrenches.size(); ++k) {
    ExternalWrenchOptions& wrench = options.external_wrenches[k];
    const int frame = FindFrameOf(
        model, wrench.frame, options,
        "options.external_wrenches[" + std::to_string(k) + "].frame",
        "the frame on which the wrench acts");
    places.push_back({model.frames()[static_cast<std::size_t>(frame)].placement,
                      wrench.reference_frame});
  }
  return places;
}

/// Gravity must have been settled.
void CheckTerms(const Terms& terms) {
  for (const double g : *terms.gravity) {
    Require(std::isfinite(g), "options.terms.gravity",
            "Gravity must be finite.");
  }
  const double smoothing = terms.coulomb_smoothing;
  if (smoothing == 0) return;
  Require(smoothing >= kMinSmoothing && std::isfinite(smoothing),
          "options.terms.coulomb_smoothing",
          "The smoothing velocity must be 0, or at least 1e-9 and finite.");
  Require(terms.coulomb_friction, "options.terms.coulomb_smoothing",
          "Smoothing has a meaning only with Coulomb friction.");
}

void CheckTask(const TaskOptions& task) {
  if (task.axis_count < 1 || task.axis_count > 6) {
    Refuse(Code::kInvalidOption, "operational_space.axes",
           "A task has one to six axes, not " +
               std::to_string(task.axis_count) + ".");
  }
  unsigned seen = 0;
  for (int k = 0; k < task.axis_count; ++k) {
    const unsigned axis = task.axes[static_cast<std::size_t>(k)];
    const std::string field =
        "operational_space.axes[" + std::to_string(k) + "]";
    Require(axis <= 5, field, "There is no such task axis.");
    Require((seen >> axis & 1u) == 0, field,
            "A task axis may be named only once.");
    seen |= 1u << axis;
  }
  Require(task.rank_tolerance >= 0 && task.rank_tolerance < 1,
          "operational_space.rank_tolerance",
          "The rank tolerance must be in [0, 1).");
  Require(task.characteristic_length >= kLeastLength &&
              task.characteristic_length <= kLargestLength,
          "operational_space.characteristic_length",
          "The characteristic length must be from 1e-30 to 1e30 m.");
  const bool damped = task.singularity == SingularityRule::kDamped;
  Require(!damped || (task.damping > 0 && std::isfinite(task.damping)),
          "operational_space.damping",
          "The damped rule needs a positive, finite damping.");
  Require(damped || task.damping == 0, "operational_space.damping",
          "Damping has a meaning only under the damped rule.");
}

void CheckSize(const QuantityRow& quantity, int nv) {
  if (quantity.max_dof == 0 || nv <= quantity.max_dof) return;
  Refuse(Code::kInvalidOption, "quantities",
         Cat("The quantity ", quantity.name, " is for models of at most ",
             std::to_string(quantity.max_dof),
             " degrees of freedom; this one has ", std::to_string(nv), "."));
}

/// A table of the states that cannot stand beside what was asked for.
[[noreturn]] void RefuseTable(Code code, Input input, std::string message) {
  Refuse(code, std::string(ToString(input)), std::move(message));
}

/// Calls f for each table that is there.
template <class Function>
void ForPresent(const EvaluationInputs& inputs, const Function& f) {
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    if (inputs[input].present()) f(input, inputs[input]);
  }
}

}  // namespace

int CheckedRequest::SizeOf(int dimension) const {
  switch (dimension) {
    case table::kPositions:
      return model->nq();
    case table::kJoints:
      return model->nv();
    case table::kAxes:
      return options.task.axis_count;
    case table::kPlaces:
      return static_cast<int>(wrench_places.size());
    case 0:
      return 1;
    default:
      return dimension;
  }
}

int CheckedRequest::ColumnsOf(const Shape& shape) const {
  const int size = SizeOf(shape.sizes[0]);
  if (shape.sizes[1] != table::kSymmetric) {
    return size * SizeOf(shape.sizes[1]) * SizeOf(shape.sizes[2]);
  }
  const bool packed =
      shape.sizes[0] == table::kJoints &&
      options.mass_matrix_layout == MassMatrixLayout::kPackedLower;
  return packed ? size * (size + 1) / 2 : size * size;
}

std::vector<int> ResolveJointOrder(const Model& model,
                                   const std::vector<std::string>& names) {
  std::vector<int> order;
  if (names.empty()) return order;
  const std::size_t n = model.joints().size();
  std::vector<bool> seen(n, false);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string field = "options.joint_names[" + std::to_string(k) + "]";
    const std::optional<int> joint = model.FindJoint(names[k]);
    if (!joint) {
      ArgumentError error = {
          Code::kWrongJointNames, field,
          "The model has no movable joint " + Quoted(names[k]) + "."};
      error.wanted = names[k];
      for (const Joint& other : model.joints()) {
        error.candidates.push_back(other.name);
      }
      throw error;
    }
    if (seen[static_cast<std::size_t>(*joint)]) {
      Refuse(Code::kWrongJointNames, field,
             "Joint " + Quoted(names[k]) + " is named twice.");
    }
    seen[static_cast<std::size_t>(*joint)] = true;
    order.push_back(*joint);
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (seen[j]) continue;
    Refuse(Code::kWrongJointNames, "options.joint_names",
           "Joint " + Quoted(model.joints()[j].name) +
               " is missing: every movable joint must be named once.");
  }
  return order;
}

CheckedRequest CheckRequest(std::shared_ptr<const Model> model,
                            EvaluationOptions options) {
  const QuantitySet quantities = options.quantities;
  Require(!quantities.empty(), "quantities", "Name at least one quantity.");
  CheckedRequest checked;
  checked.joint_order = ResolveJointOrder(*model, options.joint_names);
  checked.tip_frame =
      FindFrameOrTip(*model, options.tip_frame, "options.tip_frame");
  model = checked.model = ApplyPayload(model, options);
  if (!options.terms.gravity) options.terms.gravity = model->gravity();
  CheckTerms(options.terms);
  for (int k = 0; k < kQuantityCount; ++k) {
    if (!quantities.Has(static_cast<Quantity>(k))) continue;
    const QuantityRow& row = table::kQuantities[k];
    CheckSize(row, model->nv());
    checked.reads |= row.reads;
    checked.outputs |= row.outputs;
  }
  if (quantities.HasAny(kTaskQuantities)) CheckTask(options.task);
  checked.wrench_places = FindWrenchPlaces(*model, options);
  if (!checked.tip_frame && quantities.HasAny(kTipQuantities)) {
    RefuseWithoutTip(*model, "options.tip_frame", "the tip frame");
  }
  checked.options = std::move(options);
  return checked;
}

std::int64_t CheckStates(const CheckedRequest& request,
                         const EvaluationInputs& inputs) {
  const int nq = request.model->nq(), nv = request.model->nv();
  // What a table is for comes before how it is laid out: without places of
  // wrenches there is no number of columns.
  ForPresent(inputs, [&](Input input, const InputArray& /*array*/) {
    const char* const refusal = RowOf(input).refusal;
    if (*refusal == 0 || (request.reads & Bit(input)) != 0) return;
    RefuseTable(Code::kInvalidOption, input, refusal);
  });
  if (inputs.external_wrenches.present() && request.wrench_places.empty()) {
    RefuseTable(Code::kInvalidOption, Input::kExternalWrenches,
                "options.external_wrenches does not say where they act.");
  }
  if (inputs.tip_wrench.present() && !request.tip_frame) {
    RefuseWithoutTip(*request.model, "options.tip_frame", "the tip frame");
  }
  // A model without joints has no states to tell apart: one row.
  std::int64_t rows = nq == 0 ? 1 : 0;
  ForPresent(inputs, [&](Input input, const InputArray& array) {
    const int columns = request.ColumnsOf(RowOf(input).shape);
    if (array.columns != columns) {
      RefuseTable(Code::kWrongColumnCount, input,
                  "Expected " + std::to_string(columns) + " columns, got " +
                      std::to_string(array.columns) + ".");
    }
    if (array.data == nullptr && columns > 0) {
      RefuseTable(Code::kMissingInput, input,
                  "The table has rows and no numbers.");
    }
    // q comes first and, unless it is one row for all, says how many there are.
    if (rows <= 1) rows = std::max(rows, array.rows);
  });
  if (nq > 0 && !inputs.q.present()) {
    RefuseTable(Code::kMissingInput, Input::kQ,
                "q is required: one row of " + std::to_string(nq) +
                    " numbers per state.");
  }
  if ((request.reads & Bit(Input::kTau)) != 0 && nv > 0 &&
      !inputs.tau.present()) {
    RefuseTable(Code::kMissingInput, Input::kTau,
                "Forward dynamics needs tau: one row of " + std::to_string(nv) +
                    " numbers per state.");
  }
  ForPresent(inputs, [rows](Input input, const InputArray& array) {
    if (array.rows <= 1 || array.rows == rows) return;
    RefuseTable(Code::kWrongRowCount, input,
                "Expected 1 or " + std::to_string(rows) + " rows, got " +
                    std::to_string(array.rows) + ".");
  });
  return rows;
}

}  // namespace torqued
