#include "core/batch/block_plan.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/batch/evaluation_plan.h"

namespace torqued {
namespace {

/// The memory of a block grows with the square of this.
constexpr int kMaxLaneDof = 256;

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

/// The index of the kernels' result in each column of an output; empty: the
/// same.
std::vector<int> Sources(const EvaluationPlan& plan, Output output) {
  const std::vector<int>& order = plan.v_columns();
  const int n = plan.model().nv();
  const auto joint = [&order](int k) {
    return order.empty() ? k : order[static_cast<std::size_t>(k)];
  };
  std::vector<int> sources;
  switch (output) {
    case Output::kTau:
    case Output::kAcceleration:
    case Output::kBias:
      return order;
    case Output::kMassMatrix: {
      const bool full =
          plan.options().mass_matrix_layout == MassMatrixLayout::kFull;
      if (!full && order.empty()) break;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < (full ? n : i + 1); ++j) {
          sources.push_back(Packed(joint(i), joint(j)));
        }
      }
      break;
    }
    case Output::kJacobian:
      if (order.empty()) break;
      for (int row = 0; row < 6; ++row) {
        for (int j = 0; j < n; ++j) sources.push_back(row * n + joint(j));
      }
      break;
    case Output::kLambda: {
      const int m = plan.options().task.axis_count;
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) sources.push_back(Packed(i, j));
      }
      break;
    }
    case Output::kPose:
    case Output::kJacobianDrift:
    case Output::kEta:
      break;
  }
  return sources;
}

/// See LaneOutput::symmetric.
int SymmetricSize(const EvaluationPlan& plan, Output output) {
  if (output == Output::kLambda) return plan.options().task.axis_count;
  const bool full =
      output == Output::kMassMatrix &&
      plan.options().mass_matrix_layout == MassMatrixLayout::kFull &&
      plan.v_columns().empty();
  return full ? plan.model().nv() : 0;
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
  // On the base it has no path: it does not move, and a wrench there moves
  // nothing.
  job_.lowered_tip = job_.tip;
  if (job_.tip.body != kBase) {
    job_.lowered_tip = InLoweredFrame(
        job_.lowered_f64.frames[static_cast<std::size_t>(job_.tip.body)],
        job_.tip);
    path_.reserve(static_cast<std::size_t>(tree.n));
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

  constexpr std::pair<Output, LaneOutput BlockJob::*> kLanes[] = {
      {Output::kTau, &BlockJob::tau_out},
      {Output::kMassMatrix, &BlockJob::mass_matrix},
      {Output::kAcceleration, &BlockJob::acceleration},
      {Output::kBias, &BlockJob::bias},
      {Output::kPose, &BlockJob::pose},
      {Output::kJacobian, &BlockJob::jacobian},
      {Output::kJacobianDrift, &BlockJob::drift},
      {Output::kLambda, &BlockJob::lambda},
      {Output::kEta, &BlockJob::eta}};
  for (const auto& [output, lane] : kLanes) {
    if (!plan.Produces(output)) continue;
    products_.push_back({output, lane, plan.columns(output),
                         Sources(plan, output), SymmetricSize(plan, output)});
  }
}

BlockJob BlockPlan::Job(const EvaluationPlan& plan,
                        const EvaluationOutputs& outputs) const {
  BlockJob job = job_;
  const EvaluationInputs& in = plan.inputs();
  const auto lane = [](const InputArray& array, const std::vector<int>* order) {
    LaneInput to = {};
    if (!array.present()) return to;
    to = {array.data, array.type == NumberType::kF32, array.rows == 1,
          array.columns, nullptr};
    if (order != nullptr && !order->empty()) to.places = order->data();
    return to;
  };
  job.q = lane(in.q, &plan.q_columns());
  job.v = lane(in.v, &plan.v_columns());
  job.a = lane(in.a, &plan.v_columns());
  job.tau = lane(in.tau, &plan.v_columns());
  job.wrench = lane(in.tip_wrench, nullptr);
  job.path = path_.data();
  double bytes_per_row = 0;
  for (const Product& product : products_) {
    const OutputArray& array = outputs[product.output];
    if (array.data == nullptr) continue;
    bytes_per_row += product.columns * SizeOf(array.type);
    job.*product.lane = {
        array.data, array.type == NumberType::kF32, product.columns,
        product.sources.empty() ? nullptr : product.sources.data(),
        product.symmetric};
  }
  job.past_caches = bytes_per_row * static_cast<double>(plan.rows()) > kCaches;
  return job;
}

}  // namespace torqued
