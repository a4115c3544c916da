// The task of a block: its inertia and bias forces, its projections, and the
// torque that moves it as wanted.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/engine/block_job.h"
#include "core/engine/mass_factors-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Members that store call store(Output, const P* numbers, int count).
template <class N>
class BlockTask {
 public:
  using P = Pack<N>;

  /// `mass` must hold the factors of M before anything is computed.
  BlockTask(const BlockJob& job, QuantityBits wanted,
            const MassFactors<N>& mass, Arena& arena)
      : setup_(*job.setup),
        n_(setup_.tree.n),
        m_(setup_.task_rows),
        wanted_(wanted),
        mass_(mass) {
    const auto n = static_cast<unsigned long>(n_);
    if (Wants(Quantity::kTaskTorque) || Wants(Quantity::kTaskProjection)) {
      arena.Take(work_, n);
    }
    if (Wants(Quantity::kTaskTorque)) arena.Take(tau_, n);
    if (Wants(Quantity::kTaskProjection)) {
      arena.Take(J_bar_, 6 * n);
      arena.Take(projector_, n * n);
    }
  }

  /// For a Jacobian of the tip, 6 x n, that each block then has there. Before
  /// the first block.
  void Prepare(const P* J) {
    for (int k = 0; k < m_; ++k) {
      const double square = setup_.row_scale[k] * setup_.row_scale[k];
      scales_.inverse_square[k] = static_cast<N>(1 / square);
      rows_[k] = J + setup_.task_axes[k] * n_;
    }
    J_ = J;
  }

  /// Λ from the factors of M and the Jacobian at q. Returns the lanes in which
  /// it is not certain.
  template <class Store>
  unsigned ComputeInertia(const P* q, TaskResult<P>& task, const Store& store) {
    const unsigned certain =
        mass_.SolveTask(m_, rows_, scales_, RankBound(q), task);
    store(Output::kLambda, task.lambda, PackedSize(m_));
    if (Wants(Quantity::kTaskProjection)) ComputeProjections(task, store);
    // Fewer joints than task rows: never of full rank.
    const bool enough = setup_.tip.path_length >= m_;
    return ~(enough ? certain : 0U) & (~0U >> (32 - P::kLanes));
  }

  /// η from Λ, the bias forces h without wrenches, and the drift of all six
  /// axes.
  template <class Store>
  void ComputeBias(const TaskResult<P>& task, const P* h, const P* drift,
                   const Store& store) {
    P task_drift[6], eta[6];
    TakeAxes(drift, task_drift);
    mass_.SolveTaskBias(m_, task.lambda, h, task_drift, eta);
    store(Output::kEta, eta, m_);
  }

  /// Jᵀ (Λ a* + η) + Nᵀ τ_0 with h under all wrenches; null: zeros. Computed as
  ///   τ_0 + Jᵀ Λ (a* − J̇ q̇ + J M⁻¹ (h − τ_0)).
  template <class Store>
  __attribute__((noinline)) void ComputeTorque(const TaskResult<P>& task,
                                               const P* h, const P* drift,
                                               const P* task_acceleration,
                                               const P* null_space_torque,
                                               const Store& store) {
    P r[6];
    TakeAxes(drift, r);
    for (int k = 0; k < n_; ++k) {
      tau_[k] = null_space_torque == nullptr ? P(N(0)) : null_space_torque[k];
      work_[k] = h[k] - tau_[k];
    }
    mass_.Solve(work_);
    for (int i = 0; i < m_; ++i) {
      r[i] = task_acceleration == nullptr ? -r[i] : task_acceleration[i] - r[i];
      for (int k = 0; k < n_; ++k) r[i] = r[i] + rows_[i][k] * work_[k];
    }
    for (int i = 0; i < m_; ++i) {
      P force(N(0));
      for (int j = 0; j < m_; ++j) {
        force = force + task.lambda[PackedEntry(i, j)] * r[j];
      }
      for (int k = 0; k < n_; ++k) tau_[k] = tau_[k] + rows_[i][k] * force;
    }
    store(Output::kTaskTorque, tau_, n_);
  }

 private:
  bool Wants(Quantity quantity) const { return (wanted_ & Bit(quantity)) != 0; }

  /// See BlockSetup::least_share_f64: of the square of a singular value, with
  /// (a + b)² ≤ 2 a² + 2 b².
  P RankBound(const P* q) const {
    constexpr bool kDouble = sizeof(N) == sizeof(double);
    const double share =
        kDouble ? setup_.least_share_f64 : setup_.least_share_f32;
    const double of_reach =
        kDouble ? setup_.least_of_reach_f64 : setup_.least_of_reach_f32;
    P reach(static_cast<N>(setup_.constant_reach));
    for (int k = 0; k < setup_.sliding_count; ++k) {
      reach = reach + Abs(q[setup_.sliding[k]]);
    }
    reach = reach * P(static_cast<N>(of_reach));
    const P norm =
        ScaledNorm(TipPath{setup_.tip.path, setup_.tip.path_length}, n_, J_,
                   static_cast<N>(setup_.linear_scale * setup_.linear_scale));
    return Fma(P(static_cast<N>(2 * share * share)), norm,
               P(N(2)) * reach * reach);
  }

  void TakeAxes(const P* of_all, P* of_task) const {
    for (int k = 0; k < m_; ++k) of_task[k] = of_all[setup_.task_axes[k]];
  }

  /// W, J̄ = M⁻¹ Jᵀ Λ and N = 1 − J̄ J.
  template <class Store>
  __attribute__((noinline)) void ComputeProjections(const TaskResult<P>& task,
                                                    const Store& store) {
    store(Output::kMobility, task.mobility, PackedSize(m_));
    for (int k = 0; k < n_ * m_; ++k) J_bar_[k] = P(N(0));
    for (int i = 0; i < m_; ++i) {
      mass_.SolveTaskRow(m_, i, work_);
      for (int k = 0; k < n_; ++k) {
        for (int j = 0; j < m_; ++j) {
          P& entry = J_bar_[k * m_ + j];
          entry = entry + work_[k] * task.lambda[PackedEntry(i, j)];
        }
      }
    }
    store(Output::kConsistentInverse, J_bar_, n_ * m_);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) {
        P entry(N(i == j ? 1 : 0));
        for (int k = 0; k < m_; ++k) {
          entry = entry - J_bar_[i * m_ + k] * rows_[k][j];
        }
        projector_[i * n_ + j] = entry;
      }
    }
    store(Output::kNullSpaceProjector, projector_, n_ * n_);
  }

  const BlockSetup& setup_;
  const int n_;
  const int m_;  // rows of the task
  const QuantityBits wanted_;
  const MassFactors<N>& mass_;
  const P* rows_[6] = {};  // of the Jacobian
  RowScales<N> scales_{};
  const P* J_ = nullptr;
  P *work_ = nullptr, *tau_ = nullptr;
  P *J_bar_ = nullptr, *projector_ = nullptr;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
