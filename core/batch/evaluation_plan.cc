#include "core/batch/evaluation_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/dynamics/operational_space.h"

namespace torqued {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// The memory of a block grows with the square of this.
constexpr int kMaxLaneDof = 256;

/// So does that of a result with its columns.
constexpr int kMaxLaneColumns = 1 << 16;

/// Calls that write more than this use streaming stores. Measured.
constexpr double kMaxCachedBytes = 32 << 20;

/// Index of entry (i, j) of a symmetric matrix in its packed lower half.
int Packed(int i, int j) {
  const auto [low, high] = std::minmax(i, j);
  return high * (high + 1) / 2 + low;
}

/// The rotation R and the translation p of T_{k',tip} = C_k⁻¹ T_{k,tip}; of a
/// frame on the base, as it is.
BodyFrame InLoweredFrame(const LoweredTreeOf<double>& tree,
                         const BodyFrame& tip) {
  if (tip.body == kBase) return tip;
  const BodyFrame& C = tree.frames[static_cast<std::size_t>(tip.body)];
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

EvaluationPlan::Checked::Checked(CheckedRequest request)
    : CheckedRequest(std::move(request)) {
  for (const int j : joint_order) {
    const Joint& joint = model->joints()[static_cast<std::size_t>(j)];
    for (int k = 0; k < joint.nq; ++k) {
      q_permutation.push_back(joint.q_index + k);
    }
    for (int k = 0; k < joint.nv; ++k) {
      v_permutation.push_back(joint.v_index + k);
    }
  }
  const Tree tree = model->tree();
  if (options.quantities.HasAny(kSolvesMassMatrix)) {
    pivot_scales = PivotScales(tree);
  }
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if ((outputs & Bit(output)) == 0) continue;
    setup.shapes[k] = LayOut(output);
    if (setup.shapes[k].columns > kMaxLaneColumns) {
      large.Add(QuantityOf(output));
    }
  }
  one_lane = tree.n > kMaxLaneDof || (kOneLaneHasBitsOfLanes && !large.empty());
  FillSetup();
  if (tree.n > 0 && tree.n <= kMaxLaneDof) {
    precision = options.precision;
  }
  cost = GuessCost();
}

/// How rows of an output are made of the numbers that the algorithms store.
LaneShape EvaluationPlan::Checked::LayOut(Output output) {
  const Shape& shape = RowOf(output).shape;
  const bool symmetric = shape.sizes[1] == table::kSymmetric;
  const int dimensions[] = {shape.sizes[0], shape.sizes[symmetric ? 0 : 1],
                            shape.sizes[2]};
  const int rows = SizeOf(dimensions[0]), columns = SizeOf(dimensions[1]),
            depth = SizeOf(dimensions[2]), count = ColumnsOf(shape);
  const bool in_pairs =
      options.mass_matrix_layout == MassMatrixLayout::kAncestorPairs &&
      (output == Output::kMassMatrix || output == Output::kRegressor);
  if (in_pairs) {
    auto& pairs = output_permutations[static_cast<std::size_t>(output)];
    for (const auto& [i, j] : AncestorPairs()) {
      for (int k = 0; k < depth; ++k) {
        pairs.push_back(symmetric ? Packed(i, j)
                                  : (j * columns + i) * depth + k);
      }
    }
    return {static_cast<int>(pairs.size()), pairs.data(), 0};
  }
  const bool unpacked = symmetric && count == rows * columns;
  const bool permuted = !v_permutation.empty() &&
                        std::ranges::count(dimensions, table::kJoints) > 0;
  if (!unpacked && !permuted) return {count, nullptr, 0};
  const auto place = [&](int dimension, int index) {
    return permuted && dimensions[dimension] == table::kJoints
               ? v_permutation[static_cast<std::size_t>(index)]
               : index;
  };
  auto& permutation = output_permutations[static_cast<std::size_t>(output)];
  permutation.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < (symmetric && !unpacked ? i + 1 : columns); ++j) {
      for (int k = 0; k < depth; ++k) {
        const int row = place(0, i), column = place(1, j);
        permutation.push_back(symmetric ? Packed(row, column)
                                        : (row * columns + column) * depth +
                                              place(2, k));
      }
    }
  }
  return {count, permutation.data(), permuted ? 0 : rows};
}

std::vector<std::pair<int, int>> EvaluationPlan::Checked::AncestorPairs()
    const {
  const Tree tree = model->tree();
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < tree.n; ++k) {
    const int i =
        v_permutation.empty() ? k : v_permutation[static_cast<std::size_t>(k)];
    const auto first = static_cast<std::ptrdiff_t>(pairs.size());
    for (int j = i; j != kBase; j = tree.bodies[j].parent) {
      pairs.emplace_back(i, j);
    }
    std::reverse(pairs.begin() + first, pairs.end());
  }
  return pairs;
}

/// For the kernels; rows and results are laid out.
void EvaluationPlan::Checked::FillSetup() {
  setup.tree = model->tree();
  setup.lowered_f64 = model->lowered().f64();
  setup.lowered_f32 = model->lowered().f32();
  setup.scale_bounds = pivot_scales.bounds().data();
  std::copy(options.terms.gravity->begin(), options.terms.gravity->end(),
            setup.gravity);
  setup.viscous_friction = options.terms.viscous_friction;
  setup.coulomb_friction = options.terms.coulomb_friction;
  setup.coulomb_smoothing = options.terms.coulomb_smoothing;
  setup.wrench_reference = options.wrench_frame;
  BodyFrame tip{.body = kBase, .R = {}, .p = {}};
  if (const auto frame = TipFrame((reads & Bit(Input::kTipWrench)) != 0)) {
    tip = model->frames()[static_cast<std::size_t>(*frame)].placement;
  }
  setup.tip = PlaceOf(tip, options.reference_frame);
  for (const WrenchPlace& place : wrench_places) {
    lane_places.push_back(PlaceOf(place.frame, place.reference));
  }
  setup.wrench_places = lane_places.data();
  setup.wrench_place_count = static_cast<int>(lane_places.size());
  setup.task = options.quantities.HasAny(kTaskQuantities);
  if (setup.task) FillTask(tip);
}

LanePlace EvaluationPlan::Checked::PlaceOf(const BodyFrame& frame,
                                           ReferenceFrame reference) {
  // On the base it has no path: it does not move, and a wrench there moves
  // nothing.
  std::vector<int>& path = paths.emplace_back();
  for (int i = frame.body; i != kBase; i = setup.tree.bodies[i].parent) {
    path.push_back(i);
  }
  std::reverse(path.begin(), path.end());
  return {InLoweredFrame(setup.lowered_f64, frame), reference, path.data(),
          static_cast<int>(path.size())};
}

void EvaluationPlan::Checked::FillTask(const BodyFrame& tip) {
  const TaskOptions& task = options.task;
  const Tree& tree = setup.tree;
  setup.task_rows = task.axis_count;
  setup.linear_scale = 1 / task.characteristic_length;
  for (int k = 0; k < task.axis_count; ++k) {
    const int axis = task.axes[static_cast<std::size_t>(k)];
    setup.task_axes[k] = axis;
    setup.row_scale[k] = axis >= 3 ? setup.linear_scale : 1.0;
  }
  const auto length = [](const double* p) {
    return std::hypot(p[0], p[1], p[2]);
  };
  setup.constant_reach = length(tip.p);
  for (int i = tip.body; i != kBase; i = tree.bodies[i].parent) {
    setup.constant_reach += length(tree.bodies[i].p);
    if (tree.bodies[i].motion == JointMotion::kPrismatic) sliding.push_back(i);
  }
  setup.sliding = sliding.data();
  setup.sliding_count = static_cast<int>(sliding.size());
  // Above the bound by what the lanes' own numbers may be off.
  constexpr auto kSingle =
      static_cast<double>(std::numeric_limits<float>::epsilon());
  const int joints = setup.tip.path_length;
  const double least =
      std::max(task.rank_tolerance, LeastRankTolerance(joints, kEpsilon));
  setup.least_share_f64 = least + LeastRankTolerance(joints, kEpsilon);
  setup.least_share_f32 = least + LeastRankTolerance(joints, kSingle);
  setup.least_of_reach_f64 =
      LeastRankTolerance(joints, kEpsilon) * setup.linear_scale;
  setup.least_of_reach_f32 =
      LeastRankTolerance(joints, kSingle) * setup.linear_scale;
}

/// Nanoseconds of a row on one core, to within some factor: passes over the
/// bodies, numbers that are written, factorizations.
double EvaluationPlan::Checked::GuessCost() const {
  const double n = model->nv();
  double ns = 5 + 8 * n;
  for (const LaneShape& shape : setup.shapes) ns += 0.8 * shape.columns;
  if (options.quantities.HasAny(kTaskQuantities)) ns += 0.06 * n * n * n;
  if (options.quantities.HasAny(kTakesInverse)) {
    ns += 0.4 * n * n * n;
  }
  return one_lane ? 3 * ns : ns;
}

std::variant<EvaluationPlan, ArgumentError> EvaluationPlan::Create(
    std::shared_ptr<const Model> model, EvaluationOptions options) {
  try {
    return EvaluationPlan(std::make_shared<const Checked>(
        CheckRequest(std::move(model), std::move(options))));
  } catch (ArgumentError& error) {
    return std::move(error);
  }
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
    const EvaluationInputs& inputs) {
  try {
    rows_ = CheckStates(*checked_, inputs);
  } catch (ArgumentError& error) {
    return std::move(error);
  }
  inputs_ = inputs;
  return std::nullopt;
}

const std::vector<int>& EvaluationPlan::input_permutation(Input input) const {
  static const std::vector<int> kNone;
  switch (RowOf(input).shape.sizes[0]) {
    case table::kPositions:
      return checked_->q_permutation;
    case table::kJoints:
      return checked_->v_permutation;
    default:
      return kNone;
  }
}

BlockJob EvaluationPlan::JobOfInputs() const {
  BlockJob job;  // of the outputs only what is wanted is set
  job.setup = &checked_->setup;
  job.single_precision = precision() == Precision::kSingle;
  job.rows = nullptr;
  job.task = checked_->setup.task;
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    const InputArray& array = inputs_[input];
    job.inputs[k] = {};
    if (!array.present()) continue;
    const std::vector<int>& permutation = input_permutation(input);
    job.inputs[k] = {array.data, array.type == NumberType::kF32,
                     array.rows == 1, array.columns,
                     permutation.empty() ? nullptr : permutation.data()};
  }
  job.wanted = 0;
  job.streaming_stores = false;
  return job;
}

BlockJob EvaluationPlan::Job(const EvaluationOutputs& outputs) const {
  BlockJob job = JobOfInputs();
  double bytes_per_row = 0;
  for (OutputBits left = checked_->outputs; left != 0; left &= left - 1) {
    const int k = __builtin_ctzll(left);
    const auto output = static_cast<Output>(k);
    const OutputArray& array = outputs[output];
    if (array.data == nullptr) continue;
    bytes_per_row += shape(output).columns * SizeOf(array.type);
    job.wanted |= Bit(output);
    job.outputs[k] = {array.data, array.type == NumberType::kF32};
  }
  job.streaming_stores =
      bytes_per_row * static_cast<double>(rows_) > kMaxCachedBytes;
  return job;
}

double EvaluationPlan::nanoseconds() const {
  // Fewer rows than lanes take as long as a block.
  constexpr std::int64_t kRowsOfABlock = 4;
  return cost() * static_cast<double>(std::max(rows_, kRowsOfABlock));
}

std::int64_t EvaluationPlan::bytes() const {
  std::int64_t bytes =
      static_cast<std::int64_t>(wrench_places().size() * sizeof(WrenchPlace)) +
      pivot_scales().bytes();
  for (const auto& permutation : checked_->output_permutations) {
    bytes += static_cast<std::int64_t>(permutation.size() * sizeof(int));
  }
  if (!options().payload) return bytes;
  // A copy of the model: bodies, twice lowered, and names.
  for (const Frame& frame : model().frames()) {
    bytes += static_cast<std::int64_t>(2 * (sizeof(frame) + frame.name.size()));
  }
  return bytes + 4 * model().nv() * std::int64_t{sizeof(TreeBody)};
}

}  // namespace torqued
