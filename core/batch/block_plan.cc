#include "core/batch/block_plan.h"

#include <algorithm>
#include <cstddef>

#include "core/batch/evaluation_plan.h"

namespace torqued {
namespace {

/// The memory of a block grows with the square of this.
constexpr int kMaxLaneDof = 256;

/// Measured: pieces of rows are the best way into the first cache, whole
/// registers into the others, and none of them beyond.
StorePath StorePathOf(double bytes) {
  constexpr double kFirstCache = 32 << 10;
  constexpr double kCaches = 16 << 20;
  if (bytes <= kFirstCache) return StorePath::kDirect;
  return bytes <= kCaches ? StorePath::kStaged : StorePath::kPastCaches;
}

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

LaneInput ToLane(const InputArray& array, const std::vector<int>& places) {
  if (!array.present()) return {nullptr, false, false, 0, nullptr};
  return {array.data, array.type == NumberType::kF32, array.rows == 1,
          array.columns, places.empty() ? nullptr : places.data()};
}

}  // namespace

BlockPlan::BlockPlan(const EvaluationPlan& plan) {
  const Model& model = plan.model();
  const Tree tree = model.tree();
  const EvaluationOptions& options = plan.options();
  usable_ =
      tree.n > 0 && tree.n <= kMaxLaneDof && options.texts != Texts::kReference;
  job_.tip.body = kBase;
  if (const auto tip = plan.tip_frame_of_any_states()) {
    job_.tip = model.frames()[static_cast<std::size_t>(*tip)].placement;
    // A frame on the base has no Jacobian to speak of; a wrench there moves
    // nothing.
    if (job_.tip.body == kBase && plan.tip_frame()) usable_ = false;
  }
  if (!usable_) return;
  job_.tree = tree;
  job_.lowered_f64 = model.lowered().f64();
  job_.lowered_f32 = model.lowered().f32();
  job_.single_precision = options.precision == Precision::kSingle;
  job_.lowered = options.texts == Texts::kLowered;
  std::copy(options.terms.gravity->begin(), options.terms.gravity->end(),
            job_.gravity);
  job_.viscous_friction = options.terms.viscous_friction;
  job_.coulomb_friction = options.terms.coulomb_friction;
  job_.reference = options.reference_frame;
  job_.wrench_reference = options.wrench_frame;
  if (job_.tip.body != kBase) {
    job_.lowered_tip = InLoweredFrame(
        job_.lowered_f64.frames[static_cast<std::size_t>(job_.tip.body)],
        job_.tip);
    for (int i = job_.tip.body; i != kBase; i = tree.bodies[i].parent) {
      path_.push_back(i);
    }
    std::reverse(path_.begin(), path_.end());
    job_.path_length = static_cast<int>(path_.size());
  }

  const TaskOptions& task = options.task;
  job_.task = options.quantities.Has(Quantity::kOperationalSpace);
  job_.task_rows = task.axis_count;
  // Round-off limits what a rank decision can tell apart.
  constexpr double kEpsilon = 2.220446049250313e-16;
  job_.rank_tolerance = std::max(task.rank_tolerance,
                                 std::max(task.axis_count, tree.n) * kEpsilon);
  for (int k = 0; k < task.axis_count; ++k) {
    const int axis = task.axes[static_cast<std::size_t>(k)];
    job_.task_axes[k] = axis;
    job_.row_scale[k] = axis >= 3 ? 1 / task.characteristic_length : 1.0;
  }

  const std::vector<int>& order = plan.v_columns();
  const auto joint = [&order](int k) {
    return order.empty() ? k : order[static_cast<std::size_t>(k)];
  };
  const bool full = options.mass_matrix_layout == MassMatrixLayout::kFull;
  if (plan.Produces(Output::kMassMatrix) && (full || !order.empty())) {
    for (int i = 0; i < tree.n; ++i) {
      for (int j = 0; j < (full ? tree.n : i + 1); ++j) {
        mass_sources_.push_back(Packed(joint(i), joint(j)));
      }
    }
  }
  if (plan.Produces(Output::kJacobian) && !order.empty()) {
    for (int row = 0; row < 6; ++row) {
      for (int j = 0; j < tree.n; ++j) {
        jacobian_sources_.push_back(row * tree.n + joint(j));
      }
    }
  }
  if (plan.Produces(Output::kLambda)) {
    for (int i = 0; i < task.axis_count; ++i) {
      for (int j = 0; j < task.axis_count; ++j) {
        lambda_sources_.push_back(Packed(i, j));
      }
    }
  }
}

BlockJob BlockPlan::Job(const EvaluationPlan& plan,
                        const EvaluationOutputs& outputs) const {
  static const std::vector<int> kAsTheyStand;
  BlockJob job = job_;
  const EvaluationInputs& in = plan.inputs();
  job.q = ToLane(in.q, plan.q_columns());
  job.v = ToLane(in.v, plan.v_columns());
  job.a = ToLane(in.a, plan.v_columns());
  job.tau = ToLane(in.tau, plan.v_columns());
  job.wrench = ToLane(in.tip_wrench, kAsTheyStand);
  job.path = path_.data();
  double bytes_per_row = 0;
  const auto lane = [&](Output output, const std::vector<int>& sources) {
    if (!plan.Produces(output)) return LaneOutput{};
    const OutputArray& array = outputs[output];
    if (array.data == nullptr) return LaneOutput{};
    const int columns = plan.columns(output);
    bytes_per_row += columns * SizeOf(array.type);
    return LaneOutput{array.data, array.type == NumberType::kF32, columns,
                      sources.empty() ? nullptr : sources.data()};
  };
  const std::vector<int>& joints = plan.v_columns();
  job.tau_out = lane(Output::kTau, joints);
  job.mass_matrix = lane(Output::kMassMatrix, mass_sources_);
  job.acceleration = lane(Output::kAcceleration, joints);
  job.bias = lane(Output::kBias, joints);
  job.pose = lane(Output::kPose, kAsTheyStand);
  job.jacobian = lane(Output::kJacobian, jacobian_sources_);
  job.drift = lane(Output::kJacobianDrift, kAsTheyStand);
  job.lambda = lane(Output::kLambda, lambda_sources_);
  job.eta = lane(Output::kEta, kAsTheyStand);
  job.store_path =
      StorePathOf(bytes_per_row * static_cast<double>(plan.rows()));
  return job;
}

}  // namespace torqued
