#include "core/engine/evaluation_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ranges>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/engine/evaluate_rows.h"
#include "core/model/assembly.h"

namespace torqued {
namespace {

/// The memory of a block grows with the square of this.
constexpr int kMaxLaneDof = 256;

/// So does that of a result with its columns.
constexpr int kMaxLaneColumns = 1 << 16;

/// Calls that write more than this use streaming stores. Measured.
constexpr double kMaxCachedBytes = 32 << 20;

using Code = ArgumentError::Code;

[[noreturn]] void Refuse(Code code, std::string_view field,
                         const auto&... pieces) {
  throw ArgumentError{code, std::string(field), Cat(pieces...)};
}

/// Of an option out of its range, unless it is `right`.
void Require(bool right, std::string_view field, const char* message) {
  if (!right) Refuse(Code::kInvalidOption, field, message);
}

std::string Indexed(std::string_view list, std::size_t k) {
  return Cat(list, "[", k, "]");
}

[[noreturn]] void RefuseWithoutTip(const Model& model, std::string_view field,
                                   std::string_view what) {
  std::vector<std::string> leaves;
  for (const Frame& frame : model.frames()) {
    if (frame.is_leaf) leaves.push_back(frame.name);
  }
  std::string some;
  for (const std::string& leaf : leaves | std::views::take(3)) {
    some += Cat(some.empty() ? "" : " or ", Quoted(leaf));
  }
  throw ArgumentError{
      .code = Code::kTipFrameRequired,
      .field = std::string(field),
      .message =
          Cat("The model has several leaf links and no default tip: name ",
              what, ", a link of the model: ", some, ", say."),
      .candidates = std::move(leaves)};
}

/// The frame of this name; of none, the model's tip, if it has one.
std::optional<int> FindFrameOrTip(const Model& model, const std::string& name,
                                  std::string_view field) {
  if (name.empty()) return model.tip_frame();
  if (const auto frame = model.FindFrame(name)) return frame;
  ArgumentError error = {
      .code = Code::kUnknownFrame,
      .field = std::string(field),
      .message = Cat("The model has no frame ", Quoted(name), "."),
      .wanted = name};
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
                const EvaluationOptions& options, std::string_view field,
                std::string_view what) {
  const auto frame =
      FindFrameOrTip(model, own.empty() ? options.tip_frame : own, field);
  if (!frame) RefuseWithoutTip(model, field, what);
  own = model.frames()[*frame].name;
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

/// Gravity must have been settled.
void CheckTerms(const Terms& terms) {
  for (const double g : *terms.gravity) {
    Require(std::isfinite(g), "options.terms.gravity",
            "Gravity must be finite.");
  }
  const double smoothing = terms.coulomb_smoothing;
  if (smoothing == 0) return;
  // Below, F tanh(v / ε) is as good as a step.
  Require(smoothing >= 1e-9 && std::isfinite(smoothing),
          "options.terms.coulomb_smoothing",
          "The smoothing velocity must be 0, or at least 1e-9 and finite.");
  Require(terms.coulomb_friction, "options.terms.coulomb_smoothing",
          "Smoothing has a meaning only with Coulomb friction.");
}

void CheckTask(const TaskOptions& task) {
  if (task.axis_count < 1 || task.axis_count > 6) {
    Refuse(Code::kInvalidOption, "operational_space.axes",
           "A task has one to six axes, not ", task.axis_count, ".");
  }
  unsigned seen = 0;
  for (int k = 0; k < task.axis_count; ++k) {
    const unsigned axis = task.axes[k];
    const std::string field = Indexed("operational_space.axes", k);
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

/// Calls f for each table that is there.
template <class Function>
void ForPresent(const EvaluationInputs& inputs, const Function& f) {
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    if (inputs[input].present()) f(input, inputs[input]);
  }
}

/// The rotation R and the translation p of T_{k',tip} = C_k⁻¹ T_{k,tip}; of a
/// frame on the base, as it is.
BodyFrame InLoweredFrame(const CompiledTree<double>& tree,
                         const BodyFrame& tip) {
  if (tip.body == kBase) return tip;
  const BodyFrame& C = tree.frames[tip.body];
  BodyFrame result{};
  result.body = tip.body;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) {
        result.R[3 * i + j] += C.R[3 * k + i] * tip.R[3 * k + j];
      }
      result.p[i] += C.R[3 * k + i] * (tip.p[k] - C.p[k]);
    }
  }
  return result;
}

}  // namespace

std::vector<int> ResolveJointOrder(const Model& model,
                                   const std::vector<std::string>& names) {
  std::vector<int> order;
  if (names.empty()) return order;
  const auto joints = model.joints();
  std::vector<bool> seen(joints.size());
  for (const std::string& name : names) {
    const std::string field = Indexed("options.joint_names", order.size());
    const std::optional<int> joint = model.FindJoint(name);
    if (!joint) {
      ArgumentError error = {
          .code = Code::kWrongJointNames,
          .field = field,
          .message = Cat("The model has no movable joint ", Quoted(name), "."),
          .wanted = name};
      for (const Joint& other : joints) error.candidates.push_back(other.name);
      throw error;
    }
    if (seen[*joint]) {
      Refuse(Code::kWrongJointNames, field, "Joint ", Quoted(name),
             " is named twice.");
    }
    seen[*joint] = true;
    order.push_back(*joint);
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (seen[j]) continue;
    Refuse(Code::kWrongJointNames, "options.joint_names", "Joint ",
           Quoted(joints[j].name),
           " is missing: every movable joint must be named once.");
  }
  return order;
}

EvaluationPlan::Checked::Checked(std::shared_ptr<const Model> of,
                                 EvaluationOptions asked)
    : Request{.model = std::move(of), .options = std::move(asked)} {
  const QuantitySet quantities = options.quantities;
  Require(!quantities.empty(), "quantities", "Name at least one quantity.");
  joint_order = ResolveJointOrder(*model, options.joint_names);
  tip_frame = FindFrameOrTip(*model, options.tip_frame, "options.tip_frame");
  model = ApplyPayload(model, options);
  const Tree tree = setup.tree = model->tree();
  setup.compiled_f64 = model->compiled().f64();
  setup.compiled_f32 = model->compiled().f32();
  for (int i = 0; i < tree.n; ++i) {
    const int parent = tree.bodies[i].parent;
    roots.push_back(parent == kBase ? i : roots[parent]);
  }
  if (!options.terms.gravity) options.terms.gravity = model->gravity();
  CheckTerms(options.terms);
  for (int k = 0; k < kQuantityCount; ++k) {
    if (!quantities.Has(static_cast<Quantity>(k))) continue;
    const QuantityRow& row = table::kQuantities[k];
    if (row.max_dof != 0 && model->nv() > row.max_dof) {
      Refuse(Code::kInvalidOption, "quantities", "The quantity ", row.name,
             " is for models of at most ", row.max_dof,
             " degrees of freedom; this one has ", model->nv(), ".");
    }
    reads |= row.reads;
    outputs |= row.outputs;
  }
  if (quantities.HasAny(kTaskQuantities)) CheckTask(options.task);
  auto& wrenches = options.external_wrenches;
  Require(wrenches.size() <= 256, "options.external_wrenches",
          "At most 256 external wrenches may act.");
  for (std::size_t k = 0; k < wrenches.size(); ++k) {
    const int frame =
        FindFrameOf(*model, wrenches[k].frame, options,
                    Indexed("options.external_wrenches", k) + ".frame",
                    "the frame on which the wrench acts");
    frame_paths.push_back(PlaceOf(frame, wrenches[k].reference_frame));
  }
  if (!tip_frame && quantities.HasAny(kTipQuantities)) {
    RefuseWithoutTip(*model, "options.tip_frame", "the tip frame");
  }

  for (const int j : joint_order) {
    const Joint& joint = model->joints()[j];
    for (int k = 0; k < joint.nq; ++k)
      q_permutation.push_back(joint.q_index + k);
    for (int k = 0; k < joint.nv; ++k)
      v_permutation.push_back(joint.v_index + k);
  }
  if (options.mass_matrix_layout == MassMatrixLayout::kAncestorPairs) {
    for (int k = 0; k < tree.n; ++k) {
      const int i = CanonicalIndex(v_permutation, k);
      for (const int j : PathTo(i)) ancestor_pairs.emplace_back(i, j);
    }
  }
  if (quantities.HasAny(kSolvesMassMatrix))
    inertia_scales = InertiaScales(tree);
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if ((outputs & Bit(output)) == 0) continue;
    const KernelShape& shape = setup.shapes[k] = LayOut(output);
    output_columns[k] = shape.columns;
    if (shape.columns > kMaxLaneColumns) large.Add(QuantityOf(output));
  }
  one_lane = tree.n > kMaxLaneDof || (kOneLaneHasBitsOfLanes && !large.empty());
  if (tree.n > 0 && tree.n <= kMaxLaneDof) precision = options.precision;
  // To within some factor: passes over the bodies, numbers that are written,
  // factorizations.
  const double n = model->nv();
  double ns = 5 + 8 * n;
  for (const KernelShape& shape : setup.shapes) ns += 0.8 * shape.columns;
  if (quantities.HasAny(kTaskQuantities)) ns += 0.06 * n * n * n;
  if (quantities.HasAny(kTakesInverse)) ns += 0.4 * n * n * n;
  cost = one_lane ? 3 * ns : ns;

  setup.scale_bounds = inertia_scales.bounds().data();
  std::ranges::copy(*options.terms.gravity, setup.gravity);
  setup.viscous_friction = options.terms.viscous_friction;
  setup.coulomb_friction = options.terms.coulomb_friction;
  setup.coulomb_smoothing = options.terms.coulomb_smoothing;
  setup.wrench_reference = options.wrench_frame;
  setup.tip = PlaceOf(TipFrame((reads & Bit(Input::kTipWrench)) != 0),
                      options.reference_frame);
  setup.wrench_places = frame_paths.data();
  setup.wrench_place_count = static_cast<int>(frame_paths.size());
  setup.task = quantities.HasAny(kTaskQuantities);
  if (setup.task) FillTask();
}

std::int64_t EvaluationPlan::Checked::CheckStates(
    const EvaluationInputs& inputs) const {
  const int nq = model->nq(), nv = model->nv();
  // What a table is for comes before how it is laid out: without places of
  // wrenches there is no number of columns.
  ForPresent(inputs, [&](Input input, const InputArray& /*array*/) {
    const char* const refusal = RowOf(input).refusal;
    if (*refusal == 0 || (reads & Bit(input)) != 0) return;
    Refuse(Code::kInvalidOption, ToString(input), refusal);
  });
  if (inputs.external_wrenches.present() && options.external_wrenches.empty()) {
    Refuse(Code::kInvalidOption, ToString(Input::kExternalWrenches),
           "options.external_wrenches does not say where they act.");
  }
  if (inputs.tip_wrench.present() && !tip_frame) {
    RefuseWithoutTip(*model, "options.tip_frame", "the tip frame");
  }
  // A model without joints has no states to tell apart: one row.
  std::int64_t rows = nq == 0 ? 1 : 0;
  ForPresent(inputs, [&](Input input, const InputArray& array) {
    const int columns = ColumnsOf(input);
    if (array.columns != columns) {
      Refuse(Code::kWrongColumnCount, ToString(input), "Expected ", columns,
             " columns, got ", array.columns, ".");
    }
    if (array.data == nullptr && columns > 0) {
      Refuse(Code::kMissingInput, ToString(input),
             "The table has rows and no numbers.");
    }
    // q comes first and, unless it is one row for all, says how many there are.
    if (rows <= 1) rows = std::max(rows, array.rows);
  });
  if (nq > 0 && !inputs.q.present()) {
    Refuse(Code::kMissingInput, ToString(Input::kQ),
           "q is required: one row of ", nq, " numbers per state.");
  }
  if ((reads & Bit(Input::kTau)) != 0 && nv > 0 && !inputs.tau.present()) {
    Refuse(Code::kMissingInput, ToString(Input::kTau),
           "Forward dynamics needs tau: one row of ", nv,
           " numbers per state.");
  }
  ForPresent(inputs, [rows](Input input, const InputArray& array) {
    if (array.rows <= 1 || array.rows == rows) return;
    Refuse(Code::kWrongRowCount, ToString(input), "Expected 1 or ", rows,
           " rows, got ", array.rows, ".");
  });
  return rows;
}

int EvaluationPlan::Checked::SizeOf(int dimension) const {
  switch (dimension) {
    case table::kPositions:
      return model->nq();
    case table::kJoints:
      return model->nv();
    case table::kAxes:
      return options.task.axis_count;
    case table::kPlaces:
      return static_cast<int>(options.external_wrenches.size());
    default:
      return std::max(dimension, 1);
  }
}

int EvaluationPlan::Checked::ColumnsOf(Input input) const {
  const auto& sizes = RowOf(input).shape.sizes;
  return SizeOf(sizes[0]) * SizeOf(sizes[1]) * SizeOf(sizes[2]);
}

/// From the base.
std::vector<int> EvaluationPlan::Checked::PathTo(int body) const {
  std::vector<int> path;
  for (; body != kBase; body = setup.tree.bodies[body].parent) {
    path.push_back(body);
  }
  std::ranges::reverse(path);
  return path;
}

FramePath EvaluationPlan::Checked::PlaceOf(std::optional<int> frame,
                                           ReferenceFrame reference) {
  BodyFrame at{.body = kBase, .R = {}, .p = {}};
  if (frame) at = FrameOnBody(model->frames()[*frame]);
  // On the base it has no path: it does not move, and a wrench there moves
  // nothing.
  const std::vector<int>& path = paths.emplace_back(PathTo(at.body));
  return {InLoweredFrame(setup.compiled_f64, at), reference, path.data(),
          static_cast<int>(path.size())};
}

void EvaluationPlan::Checked::FillTask() {
  const BodyFrame tip = FrameOnBody(model->frames()[*tip_frame]);
  const TaskOptions& task = options.task;
  setup.task_rows = task.axis_count;
  setup.linear_scale = 1 / task.characteristic_length;
  for (int k = 0; k < task.axis_count; ++k) {
    const int axis = task.axes[k];
    setup.task_axes[k] = axis;
    setup.row_scale[k] = axis >= 3 ? setup.linear_scale : 1.0;
  }
  setup.constant_reach = std::hypot(tip.p[0], tip.p[1], tip.p[2]);
  for (int i = tip.body; i != kBase; i = setup.tree.bodies[i].parent) {
    const TreeBody& body = setup.tree.bodies[i];
    setup.constant_reach += std::hypot(body.p[0], body.p[1], body.p[2]);
    if (body.motion == JointMotion::kPrismatic) sliding.push_back(i);
  }
  setup.sliding = sliding.data();
  setup.sliding_count = static_cast<int>(sliding.size());
  // Above the bound by what the lanes' own numbers may be off.
  constexpr auto kSingle =
      static_cast<double>(std::numeric_limits<float>::epsilon());
  const int joints = setup.tip.path_length;
  const double in_double = LeastRankTolerance(
                   joints, std::numeric_limits<double>::epsilon()),
               in_single = LeastRankTolerance(joints, kSingle);
  const double least = std::max(task.rank_tolerance, in_double);
  setup.least_share_f64 = least + in_double;
  setup.least_share_f32 = least + in_single;
  setup.least_of_reach_f64 = in_double * setup.linear_scale;
  setup.least_of_reach_f32 = in_single * setup.linear_scale;
}

std::variant<EvaluationPlan, ArgumentError> EvaluationPlan::Create(
    std::shared_ptr<const Model> model, EvaluationOptions options) try {
  return EvaluationPlan(
      std::make_shared<const Checked>(std::move(model), std::move(options)));
} catch (ArgumentError& error) {
  return std::move(error);
}

std::variant<EvaluationPlan, ArgumentError> EvaluationPlan::Create(
    std::shared_ptr<const Model> model, EvaluationOptions options,
    const EvaluationInputs& inputs) {
  auto created = Create(std::move(model), std::move(options));
  if (auto* plan = std::get_if<EvaluationPlan>(&created)) {
    if (auto error = plan->Rebind(inputs)) return *std::move(error);
  }
  return created;
}

std::optional<ArgumentError> EvaluationPlan::Rebind(
    const EvaluationInputs& inputs) try {
  rows_ = checked().CheckStates(inputs);
  inputs_ = inputs;
  return std::nullopt;
} catch (ArgumentError& error) {
  return std::move(error);
}

BlockJob JobOf(const EvaluationPlan& plan, const EvaluationOutputs& outputs) {
  const EvaluationPlan::Checked& checked = plan.checked();
  BlockJob job;  // of the outputs only what is wanted is set
  job.setup = &checked.setup;
  job.single_precision = checked.precision == Precision::kSingle;
  job.rows = nullptr;
  job.task = checked.setup.task;
  job.wanted = 0;
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    const InputArray& array = plan.inputs()[input];
    job.inputs[k] = {};
    if (!array.present()) continue;
    const std::vector<int>& permutation = checked.Permutation(input);
    job.inputs[k] = {array.data, array.type == NumberType::kF32,
                     array.rows == 1, array.columns,
                     permutation.empty() ? nullptr : permutation.data()};
  }
  double bytes_per_row = 0;
  for (OutputBits left = checked.outputs; left != 0; left &= left - 1) {
    const int k = __builtin_ctzll(left);
    const OutputArray& array = outputs[static_cast<Output>(k)];
    if (array.data == nullptr) continue;
    bytes_per_row += checked.setup.shapes[k].columns * SizeOf(array.type);
    job.wanted |= OutputBits{1} << k;
    job.outputs[k] = {array.data, array.type == NumberType::kF32};
  }
  job.streaming_stores =
      bytes_per_row * static_cast<double>(plan.rows()) > kMaxCachedBytes;
  return job;
}

double EvaluationPlan::nanoseconds() const {
  // Fewer rows than lanes take as long as a block.
  constexpr std::int64_t kRowsOfABlock = 4;
  return checked().cost * static_cast<double>(std::max(rows_, kRowsOfABlock));
}

std::int64_t EvaluationPlan::bytes() const {
  std::int64_t bytes = checked().inertia_scales.bytes();
  for (const auto& order : checked().output_permutations)
    bytes += std::ssize(order) * std::int64_t{sizeof(int)};
  for (const auto& zeros : checked().zero_pieces) bytes += std::ssize(zeros);
  if (!options().payload) return bytes;
  // A copy of the model: bodies, twice compiled, and names.
  for (const Frame& frame : model().frames()) {
    bytes += static_cast<std::int64_t>(2 * (sizeof(frame) + frame.name.size()));
  }
  return bytes + 4 * model().nv() * std::int64_t{sizeof(TreeBody)};
}

}  // namespace torqued
