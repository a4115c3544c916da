// The mass matrix of a block and its factors.
#pragma once

#include "core/dynamics/ltdl-inl.h"
#include "core/dynamics/rank_bound-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/dynamics/task_inertia-inl.h"
#include "core/lanes/pack.h"
#include "core/lanes/trust.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// M, packed, and in its place M = Lᵀ D L. There is one copy of the code for
/// each size, whoever calls it; arms with and without a gripper are unrolled,
/// as if all their joints stood in a row.
template <class N>
class MassFactors {
 public:
  using P = Pack<N>;

  MassFactors(const LoweredTreeOf<N>& tree, const TipPath& path, Carver& carver)
      : joints_{tree.bodies, tree.n}, path_(path) {
    const auto size = static_cast<unsigned long>(tree.n);
    carver.Take(M_, static_cast<unsigned long>(PackedSize(tree.n)));
    carver.Take(diagonal_, size);
    carver.Take(reciprocal_, size);
    carver.Take(Y_, 6 * size);
    carver.Take(y_h_, size);
  }

  /// For M, before it is factorized.
  P* M() { return M_; }

  /// Returns the lanes in which M is not certainly regular: the trace of the
  /// scaled M⁻¹ is not below a bound. `root_scales` are bounds of √s, by joint.
  unsigned Factor(const P* root_scales) {
    for (int i = 0; i < joints_.n; ++i) diagonal_[i] = M_[PackedEntry(i, i)];
    const P most(N(1 / Trust<N>::kEigenvalue)), zero(N(0));
    P trace = zero, least = most;
    WithSize([&](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      FactorSized(joints, M_, reciprocal_, root_scales, y_h_, trace, least);
    });
    unsigned uncertain = LaneBits(!((trace < most) & (least > zero)));
    if (uncertain != 0) [[unlikely]] {
      uncertain &= LaneBits(!((TraceOf(root_scales) < most) & (least > zero)));
    }
    return uncertain;
  }

  /// x ← M⁻¹ x.
  void Solve(P* x) const {
    WithSize([this, x](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      SolveSized(joints, M_, reciprocal_, x);
    });
  }

  /// X[n x n] ← M⁻¹.
  void Invert(P* X) const {
    WithSize([this, X](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      InvertSized(joints, M_, reciprocal_, X);
    });
  }

  /// See TaskInertia. Returns the lanes in which Λ is certainly of full rank
  /// and not round-off.
  unsigned SolveTask(int m, const P* const* rows, const RowScales<N>& scales,
                     const P& bound, TaskResult<P>& task) const {
    Mask<N> sound, certain;
    WithSize([&](auto joints, auto path) TORQUED_INLINE_BODY {
      if (m == 6) {
        SolveTaskSized(Int<6>{}, joints, path, *this, rows, scales, bound, task,
                       sound, certain);
      } else {
        SolveTaskSized(m, joints, path, *this, rows, scales, bound, task, sound,
                       certain);
      }
    });
    const unsigned open = LaneBits(sound & !certain);
    if (open == 0) return LaneBits(certain);
    if (m == 6) {
      ShowRankSized(Int<6>{}, path_, rows, scales, bound, sound);
    } else {
      ShowRankSized(m, path_, rows, scales, bound, sound);
    }
    return LaneBits(certain) | (open & LaneBits(sound));
  }

  /// See TaskBias; after SolveTask.
  void SolveTaskBias(int m, const P* lambda, const P* h, const P* drift,
                     P* eta) const {
    WithSize([&](auto joints, auto path) TORQUED_INLINE_BODY {
      if (m == 6) {
        SolveTaskBiasSized(Int<6>{}, joints, path, *this, lambda, h, drift,
                           eta);
      } else {
        SolveTaskBiasSized(m, joints, path, *this, lambda, h, drift, eta);
      }
    });
  }

  /// x ← M⁻¹ Jᵀ e_i, for one of the m rows of the task; after SolveTask.
  void SolveTaskRow(int m, int i, P* x) const {
    for (int k = 0; k < joints_.n; ++k) x[k] = P(N(0));
    WithSize([&](auto joints, auto path) TORQUED_INLINE_BODY {
      for (int a = 0; a < path.length; ++a) {
        x[path[a]] = Y_[a * m + i] * reciprocal_[path[a]];
      }
      SolveOutwardSized(joints, M_, x);
    });
  }

 private:
  template <class Function>
  TORQUED_INLINE void WithSize(const Function& f) const {
    switch (joints_.n) {
      case 6:
        return f(Chain<Int<6>>{}, WholeChain<Int<6>>{});
      case 7:
        return f(Chain<Int<7>>{}, WholeChain<Int<7>>{});
      case 8:
        return f(Chain<Int<8>>{}, WholeChain<Int<8>>{});
      case 9:
        return f(Chain<Int<9>>{}, WholeChain<Int<9>>{});
      default:
        return f(joints_, path_);
    }
  }

  template <class Joints>
  TORQUED_ONE_COPY static void FactorSized(Joints joints, P* M, P* reciprocal,
                                           const P* root_scales, P* y, P& trace,
                                           P& least) {
    FactorLtdl(joints, M, reciprocal);
    trace = BoundOfScaledTrace(joints, M, reciprocal, root_scales, y);
    for (int i = 0; i < joints.n; ++i) least = Min(reciprocal[i], least);
  }

  TORQUED_ONE_COPY P TraceOf(const P* root_scales) const {
    return ScaledTrace(joints_, static_cast<const P*>(M_),
                       static_cast<const P*>(reciprocal_), root_scales, y_h_);
  }

  template <class Joints>
  TORQUED_ONE_COPY static void SolveSized(Joints joints, const P* LD,
                                          const P* reciprocal, P* x) {
    SolveLtdl(joints, LD, reciprocal, x);
  }

  template <class Joints>
  TORQUED_ONE_COPY static void SolveOutwardSized(Joints joints, const P* LD,
                                                 P* x) {
    SolveOutward(joints, LD, x);
  }

  template <class Joints>
  TORQUED_ONE_COPY static void InvertSized(Joints joints, const P* LD,
                                           const P* reciprocal, P* X) {
    InvertLtdl(joints, LD, reciprocal, AllEntries<P>{X, joints.n});
  }

  template <class Rows, class Joints, class Path>
  TORQUED_ONE_COPY static void SolveTaskSized(
      Rows m, Joints joints, Path path, const MassFactors& mass,
      const P* const* rows, const RowScales<N>& scales, const P& bound,
      TaskResult<P>& task, Mask<N>& sound, Mask<N>& certain) {
    TaskInertia(m, path, rows, mass.M_, mass.reciprocal_, mass.Y_, task);
    sound = PivotsAreSound(m, task.pivots, task.mobility, task.lambda,
                           Trust<N>::kBound);
    certain = sound & MobilityShowsRank(m, joints.n, scales, bound, task,
                                        mass.diagonal_, mass.reciprocal_);
  }

  template <class Rows>
  TORQUED_ONE_COPY static void ShowRankSized(Rows m, const TipPath& path,
                                             const P* const* rows,
                                             const RowScales<N>& scales,
                                             const P& bound, Mask<N>& shown) {
    shown = JacobianShowsRank(m, path, rows, scales, bound, Trust<N>::kBound);
  }

  template <class Rows, class Joints, class Path>
  TORQUED_ONE_COPY static void SolveTaskBiasSized(Rows m, Joints joints,
                                                  Path path,
                                                  const MassFactors& mass,
                                                  const P* lambda, const P* h,
                                                  const P* drift, P* eta) {
    TaskBias(m, joints, path, mass.M_, mass.reciprocal_, mass.Y_, lambda, h,
             drift, mass.y_h_, eta);
  }

  const Branches<N> joints_;
  const TipPath path_;
  P *M_, *diagonal_, *reciprocal_, *Y_, *y_h_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
