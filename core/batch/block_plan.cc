#include "core/batch/block_plan.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "core/batch/evaluation_plan.h"
#include "core/batch/input_groups.h"
#include "core/batch/input_traits.h"
#include "core/batch/quantity_needs.h"
#include "core/dynamics/frame_scale.h"

namespace torqued {
namespace {

/// The memory of a block grows with the square of this.
constexpr int kMaxLaneDof = 256;

/// So does that of a result with its columns.
constexpr int kMaxLaneColumns = 1 << 16;

/// What is written by one call and no cache holds had better pass by them all.
constexpr double kCaches = 32 << 20;  // bytes; measured

/// Where entry (i, j) of a symmetric matrix stands in its packed lower half.
int Packed(int i, int j) {
  const auto [low, high] = std::minmax(i, j);
  return high * (high + 1) / 2 + low;
}

/// The rotation R and the translation p of T_{k',tip} = C_k⁻¹ T_{k,tip}.
BodyFrame InLoweredFrame(const BodyFrame& C, const BodyFrame& tip) {
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

/// The index of the result in each column of an output; empty: the same.
std::vector<int> Sources(const EvaluationPlan& plan, Output output) {
  const std::vector<int>& order = plan.v_columns();
  const int n = plan.model().nv();
  const auto joint = [&order](int k) {
    return order.empty() ? k : order[static_cast<std::size_t>(k)];
  };
  std::vector<int> sources;
  const OutputShape shape = TraitsOf(output).shape;
  // Matrices that the kernels give as packed lower halves.
  if (shape == OutputShape::kMassMatrix) {
    const bool full =
        plan.options().mass_matrix_layout == MassMatrixLayout::kFull;
    if (!full && order.empty()) return sources;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < (full ? n : i + 1); ++j) {
        sources.push_back(Packed(joint(i), joint(j)));
      }
    }
    return sources;
  }
  if (shape == OutputShape::kTaskMatrix) {
    const int m = plan.options().task.axis_count;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) sources.push_back(Packed(i, j));
    }
    return sources;
  }
  if (order.empty()) return sources;
  const auto joint_blocks = [&](int first, int size) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < size; ++k) {
        sources.push_back(first + size * joint(j) + k);
      }
    }
  };
  switch (shape) {
    case OutputShape::kJointVector:
      return order;
    case OutputShape::kJointMatrix:
      for (int i = 0; i < n; ++i) joint_blocks(n * joint(i), 1);
      break;
    case OutputShape::kSixByJoints:
      for (int row = 0; row < 6; ++row) joint_blocks(n * row, 1);
      break;
    case OutputShape::kJointsBySix:
      joint_blocks(0, 6);
      break;
    case OutputShape::kJointCube:
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          joint_blocks(n * (n * joint(i) + joint(j)), 1);
        }
      }
      break;
    case OutputShape::kJointsByAxes:
      joint_blocks(0, plan.options().task.axis_count);
      break;
    case OutputShape::kRegressor:
      for (int i = 0; i < n; ++i) joint_blocks(10 * n * joint(i), 10);
      break;
    case OutputShape::kScalar:
    case OutputShape::kVector3:
    case OutputShape::kVector6:
    case OutputShape::kPose:
    case OutputShape::kMassMatrix:
    case OutputShape::kTaskVector:
    case OutputShape::kTaskMatrix:
    case OutputShape::kPowers:
      break;
  }
  return sources;
}

/// See LaneShape::symmetric.
int SymmetricSize(const EvaluationPlan& plan, Output output) {
  if (TraitsOf(output).shape == OutputShape::kTaskMatrix) {
    return plan.options().task.axis_count;
  }
  const bool full =
      output == Output::kMassMatrix &&
      plan.options().mass_matrix_layout == MassMatrixLayout::kFull &&
      plan.v_columns().empty();
  return full ? plan.model().nv() : 0;
}

/// Of a job whose states bring what not all quantities take.
void CutIntoParts(const InputGroups& groups, BlockJob& job) {
  job.part_count = 0;
  for (const InputGroup& group : groups.all()) {
    job.parts[job.part_count++] = {group.quantities.bits(),
                                   kInputsOfGeneralTexts & ~group.taken,
                                   job.lowered && group.plain()};
  }
  // One part has all there is.
  if (job.part_count == 1) job.lowered = job.parts[0].lowered;
}

}  // namespace

BlockPlan::BlockPlan(const EvaluationPlan& plan) {
  const Model& model = plan.model();
  const Tree tree = model.tree();
  const EvaluationOptions& options = plan.options();
  usable_ =
      tree.n > 0 && tree.n <= kMaxLaneDof && options.texts != Texts::kReference;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (!plan.Produces(output)) continue;
    products_.push_back(output);
    const std::vector<int>& sources =
        sources_.emplace_back(Sources(plan, output));
    setup_.shapes[k] = {plan.columns(output),
                        sources.empty() ? nullptr : sources.data(),
                        SymmetricSize(plan, output)};
    bytes_ += static_cast<std::int64_t>(sources.size() * sizeof(int));
    if (plan.columns(output) > kMaxLaneColumns) {
      by_rows_.Add(QuantityOf(output));
    }
  }
  if (!usable_) {
    by_rows_ = options.quantities;
    return;
  }
  for (int k = 0; k < kInputCount; ++k) {
    const std::vector<int>& places = plan.places(static_cast<Input>(k));
    places_[static_cast<std::size_t>(k)] =
        places.empty() ? nullptr : places.data();
  }
  setup_.tip.body = kBase;
  if (const auto tip = plan.tip_frame_of_any_states()) {
    setup_.tip = model.frames()[static_cast<std::size_t>(*tip)].placement;
  }
  setup_.tree = tree;
  setup_.lowered_f64 = model.lowered().f64();
  setup_.lowered_f32 = model.lowered().f32();
  setup_.scale_bounds = plan.pivot_scales().bounds().data();
  std::copy(options.terms.gravity->begin(), options.terms.gravity->end(),
            setup_.gravity);
  setup_.viscous_friction = options.terms.viscous_friction;
  setup_.coulomb_friction = options.terms.coulomb_friction;
  setup_.coulomb_smoothing = options.terms.coulomb_smoothing;
  setup_.reference = options.reference_frame;
  setup_.wrench_reference = options.wrench_frame;
  setup_.wrench_places = plan.wrench_places().data();
  setup_.wrench_place_count = static_cast<int>(plan.wrench_places().size());
  // On the base it has no path: it does not move, and a wrench there moves
  // nothing.
  setup_.lowered_tip = setup_.tip;
  if (setup_.tip.body != kBase) {
    setup_.lowered_tip = InLoweredFrame(
        setup_.lowered_f64.frames[static_cast<std::size_t>(setup_.tip.body)],
        setup_.tip);
    path_.reserve(static_cast<std::size_t>(tree.n));
    for (int i = setup_.tip.body; i != kBase; i = tree.bodies[i].parent) {
      path_.push_back(i);
    }
    std::reverse(path_.begin(), path_.end());
    setup_.path_length = static_cast<int>(path_.size());
    setup_.path = path_.data();
  }

  const TaskOptions& task = options.task;
  setup_.task = options.quantities.HasAny(kQuantitiesOfTheTask);
  setup_.task_rows = task.axis_count;
  // Round-off limits what a rank decision can tell apart.
  constexpr double kEpsilon = 2.220446049250313e-16;
  setup_.rank_tolerance = std::max(
      task.rank_tolerance, std::max(task.axis_count, tree.n) * kEpsilon);
  for (int k = 0; k < task.axis_count; ++k) {
    const int axis = task.axes[static_cast<std::size_t>(k)];
    setup_.task_axes[k] = axis;
    setup_.row_scale[k] = axis >= 3 ? 1 / task.characteristic_length : 1.0;
  }
  if (options.quantities.HasAny(kQuantitiesOfTheTask)) PrepareFrameScale(task);
}

void BlockPlan::PrepareFrameScale(const TaskOptions& task) {
  const Tree& tree = setup_.tree;
  std::copy_if(path_.begin(), path_.end(), std::back_inserter(sliding_),
               [&tree](int i) {
                 return tree.bodies[i].motion == JointMotion::kPrismatic;
               });
  setup_.sliding = sliding_.data();
  setup_.sliding_count = static_cast<int>(sliding_.size());
  constexpr double kPoint = 1e-30;  // m, for single precision, too
  const FrameReach reach = ReachOfFrame(tree, setup_.tip, setup_.reference);
  setup_.constant_reach =
      reach.reach > 0 || !sliding_.empty() ? std::max(reach.reach, kPoint) : 1;
  // Above what either bound may be, by what the lanes' own numbers may be off.
  const int joints = setup_.path_length;
  const auto least_square = [&](double epsilon) {
    const double share = std::max(task.rank_tolerance,
                                  reach.excess() * RoundOffOfJacobian(joints)) +
                         reach.excess() * RoundOffOfJacobian(joints, epsilon);
    return share * share * 2 * joints;
  };
  setup_.least_square_f64 =
      least_square(std::numeric_limits<double>::epsilon());
  setup_.least_square_f32 =
      least_square(static_cast<double>(std::numeric_limits<float>::epsilon()));
}

BlockJob BlockPlan::Job(const EvaluationPlan& plan,
                        const EvaluationOutputs& outputs) const {
  BlockJob job;  // of the outputs only what is wanted is set
  job.setup = &setup_;
  job.single_precision = plan.precision() == Precision::kSingle;
  const EvaluationInputs& in = plan.inputs();
  const QuantitySet quantities = plan.options().quantities;
  job.lowered = plan.options().texts == Texts::kLowered;
  job.task = setup_.task;
  job.part_count = 1;
  if (GeneralInputs(in) != 0) CutIntoParts(InputGroups(in, quantities), job);
  for (int k = 0; k < kInputCount; ++k) {
    const auto input = static_cast<Input>(k);
    const InputArray& array = TableOf(in, input);
    LaneInput& to = job.inputs[k];
    to = {};
    if (!array.present()) continue;
    to = {array.data, array.type == NumberType::kF32, array.rows == 1,
          array.columns, places_[static_cast<std::size_t>(k)]};
  }
  job.wanted = 0;
  double bytes_per_row = 0;
  for (const Output output : products_) {
    const OutputArray& array = outputs[output];
    if (array.data == nullptr || by_rows_.Has(QuantityOf(output))) continue;
    bytes_per_row += shape(output).columns * SizeOf(array.type);
    job.wanted |= Bit(output);
    job.outputs[static_cast<std::size_t>(output)] = {
        array.data, array.type == NumberType::kF32};
  }
  job.past_caches = bytes_per_row * static_cast<double>(plan.rows()) > kCaches;
  return job;
}

}  // namespace torqued
