// The mass matrix of a block and its factors.
#pragma once

#include "core/dynamics/ltdl-inl.h"
#include "core/dynamics/rank_bound-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/dynamics/task_inertia-inl.h"
#include "core/engine/certificate_thresholds.h"
#include "core/math/pack.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// M, packed, and in its place M = Lᵀ D L. There is one copy of the code for
/// each size, whoever calls it; arms with and without a gripper are unrolled,
/// as if all their joints stood in a row.
template <class N>
class MassFactors {
 public:
  using P = Pack<N>;

  MassFactors(const CompiledTree<N>& tree, const TipPath& path, Arena& arena)
      : joints_{tree.bodies, tree.n}, path_(path) {
    const auto size = static_cast<unsigned long>(tree.n);
    arena.Take(M_, static_cast<unsigned long>(PackedSize(tree.n)));
    arena.Take(diagonal_, size);
    arena.Take(reciprocal_, size);
    arena.Take(Y_, 6 * size);
    arena.Take(y_h_, size);
  }

  /// For M, before it is factorized.
  P* M() { return M_; }

  /// Returns the lanes in which M is not certainly regular: the trace of the
  /// scaled M⁻¹ is not below a bound. `root_scales` are bounds of √s, by joint.
  TORQUED_ONE_COPY unsigned Factor(const P* root_scales) {
    for (int i = 0; i < joints_.n; ++i) diagonal_[i] = M_[PackedEntry(i, i)];
    const P most(N(1 / CertificateThresholds<N>::kEigenvalue)), zero(N(0));
    P trace = zero, least = most;
    P *const M = M_, *const reciprocal = reciprocal_, *const y = y_h_;
    WithSize([&](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      FactorLtdl(joints, M, reciprocal);
      trace = BoundOfScaledTrace(joints, M, reciprocal, root_scales, y);
      for (int i = 0; i < joints.n; ++i) least = Min(reciprocal[i], least);
    });
    unsigned uncertain = LaneBits(!((trace < most) & (least > zero)));
    if (uncertain != 0) [[unlikely]] {
      trace = ScaledTrace(joints_, M_, reciprocal_, root_scales, y_h_);
      uncertain &= LaneBits(!((trace < most) & (least > zero)));
    }
    return uncertain;
  }

  /// x ← M⁻¹ x.
  TORQUED_ONE_COPY void Solve(P* x) const {
    const P *const LD = M_, *const reciprocal = reciprocal_;
    WithSize([&](auto joints, auto /*path*/)
                 TORQUED_INLINE_BODY { SolveLtdl(joints, LD, reciprocal, x); });
  }

  /// X[n x n] ← −M⁻¹ X, row-major.
  TORQUED_ONE_COPY void SolveNegative(P* X) const {
    const P* const LD = M_;
    P* const minus = y_h_;
    for (int i = 0; i < joints_.n; ++i) minus[i] = -reciprocal_[i];
    WithSize([&](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      const P* const scale = minus;
      const int n = joints.n, blocks = n - n % 3;
      for (int c = 0; c < blocks; c += 3) {
        SolveLtdl<3>(joints, LD, scale, X + c, n);
      }
      for (int c = blocks; c < n; ++c) SolveLtdl(joints, LD, scale, X + c, n);
    });
  }

  /// X[n x n] ← M⁻¹.
  TORQUED_ONE_COPY void Invert(P* X) const {
    const P *const LD = M_, *const reciprocal = reciprocal_;
    WithSize([&](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      InvertLtdl(joints, LD, reciprocal, AllEntries<P>{X, joints.n});
    });
  }

  /// See TaskInertia. Returns the lanes in which Λ is certainly of full rank
  /// and not round-off.
  TORQUED_ONE_COPY unsigned SolveTask(int rows, const P* const* J,
                                      const RowScales<N>& scales,
                                      const P& bound,
                                      TaskResult<P>& task) const {
    unsigned sound = 0, certain = 0;
    const P *const LD = M_, *const reciprocal = reciprocal_;
    P* const Y = Y_;
    WithRows(rows, [&](auto m) TORQUED_INLINE_BODY {
      WithSize([&](auto joints, auto path) TORQUED_INLINE_BODY {
        TaskInertia(m, path, J, LD, reciprocal, Y, task);
        sound =
            LaneBits(PivotsAreSound(m, task.pivots, task.mobility, task.lambda,
                                    CertificateThresholds<N>::kBound));
        certain =
            sound & LaneBits(MobilityShowsRank(m, joints.n, scales, bound, task,
                                               diagonal_, reciprocal));
      });
      if (certain != sound) {
        certain |= sound & LaneBits(JacobianShowsRank(
                               m, path_, J, scales, bound,
                               CertificateThresholds<N>::kBound));
      }
    });
    return certain;
  }

  /// See TaskBias; after SolveTask.
  TORQUED_ONE_COPY void SolveTaskBias(int rows, const P* lambda, const P* h,
                                      const P* drift, P* eta) const {
    const P *const LD = M_, *const reciprocal = reciprocal_, *const Y = Y_;
    P* const y_h = y_h_;
    WithRows(rows, [&](auto m) TORQUED_INLINE_BODY {
      WithSize([&](auto joints, auto path) TORQUED_INLINE_BODY {
        TaskBias(m, joints, path, LD, reciprocal, Y, lambda, h, drift, y_h,
                 eta);
      });
    });
  }

  /// x ← M⁻¹ Jᵀ e_i, for one of the m rows of the task; after SolveTask.
  TORQUED_ONE_COPY void SolveTaskRow(int m, int i, P* x) const {
    for (int k = 0; k < joints_.n; ++k) x[k] = P(N(0));
    WithSize([&](auto joints, auto path) TORQUED_INLINE_BODY {
      for (int a = 0; a < path.length; ++a) {
        x[path[a]] = Y_[a * m + i] * reciprocal_[path[a]];
      }
      SolveOutward(joints, static_cast<const P*>(M_), x);
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
  template <class Function>
  static TORQUED_INLINE void WithRows(int m, const Function& f) {
    if (m == 6) return f(Int<6>{});
    f(m);
  }

  const Branches<N> joints_;
  const TipPath path_;
  P *M_, *diagonal_, *reciprocal_, *Y_, *y_h_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
