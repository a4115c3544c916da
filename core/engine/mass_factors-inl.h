// The mass matrix of a block, its factors, and the certificate of all that
// solves with it.
#pragma once

#include "core/dynamics/ltdl-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/dynamics/task_inertia-inl.h"
#include "core/engine/block_job.h"
#include "core/math/pack.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Thresholds of the lanes; DecideRow decides the rest.
template <class N>
struct CertificateThresholds {
  static constexpr bool kDouble = sizeof(N) == sizeof(double);
  /// Least 1 / trace H⁻¹ of a mass matrix that is divided by the scales of its
  /// joints. The rule calls it lost at 1e-13 or so.
  static constexpr N kEigenvalue = kDouble ? N(1e-11) : N(1e-5);
  /// For articulated bodies, see MassCertificate.
  static constexpr double kWeakPivot = 1e-2;
  static constexpr N kWeakProduct = kDouble ? N(1e-7) : N(0.01);
  /// Reciprocals of scales above this are out of range.
  static constexpr double kMostPerScale = kDouble ? 1e300 : 1e30;
  /// Least eigenvalue, at unit diagonal, of what has pivots beyond round-off.
  static constexpr N kBound = kDouble ? N(1e-9) : N(5e-5);
};

/// Certifies only states that the rule of core/dynamics/pivot_check.h calls
/// regular, and leaves the rest to that rule. Factors of M show the trace of
/// the scaled M⁻¹. Articulated bodies have only pivots: one is weak below a
/// share of the scale of its joint. The loss of weak pivots multiplies along a
/// path of joints, and not from branch to branch: a state is certain if the
/// product of min(1, share / kWeakPivot) along each path is above kWeakProduct.
template <class N>
class MassCertificate {
 public:
  using P = Pack<N>;

  /// Takes no memory unless it is needed.
  MassCertificate(const BlockSetup& setup, const CompiledTree<N>& tree,
                  bool needed, Arena& arena)
      : bounds_(setup.scale_bounds), joints_{tree.bodies, needed ? tree.n : 0} {
    const auto n = static_cast<unsigned long>(joints_.n);
    arena.Take(root_scales_, n);
    arena.Take(per_weak_, n);
    arena.Take(work_, n);
  }

  /// Before the first block.
  void Prepare() {
    for (int i = 0; i < joints_.n; ++i) {
      if (bounds_[i].growth > 0) slides_ = true;
      SetScale(i, P(N(0)));
    }
  }

  /// The positions of a block.
  TORQUED_INLINE void Load(const P* q) {
    if (slides_) [[unlikely]] {
      LoadSliding(q);
    }
  }

  /// The lanes in which M is not certainly regular, from its factors. `joints`
  /// are those of the tree, as they were factorized.
  template <class Joints>
  TORQUED_INLINE unsigned Uncertain(const Joints& joints, const P* LD,
                                    const P* reciprocal) const {
    const P most(N(1 / CertificateThresholds<N>::kEigenvalue)), zero(N(0));
    P trace = BoundOfScaledTrace(joints, LD, reciprocal, root_scales_, work_);
    P least = most;
    for (int i = 0; i < joints.n; ++i) least = Min(reciprocal[i], least);
    unsigned uncertain = LaneBits(!((trace < most) & (least > zero)));
    if (uncertain != 0) [[unlikely]] {
      trace = ScaledTrace(joints_, LD, reciprocal, root_scales_, work_);
      uncertain &= LaneBits(!((trace < most) & (least > zero)));
    }
    return uncertain;
  }

  /// The same from the pivots of articulated bodies.
  TORQUED_INLINE unsigned Uncertain(const P* pivots) const {
    const P one(N(1));
    P* const products = work_;  // from the base to each joint
    P least = one;
    for (int i = 0; i < joints_.n; ++i) {
      // 0 if NaN or negative
      const P share = Max(pivots[i] * per_weak_[i], P(N(0)));
      const int parent = joints_.bodies[i].parent;
      products[i] =
          (parent == kBase ? one : products[parent]) * Min(one, share);
      least = Min(least, products[i]);
    }
    return LaneBits(!(least > P(CertificateThresholds<N>::kWeakProduct)));
  }

 private:
  /// The bound of joint i's scale if no prismatic joint is further than
  /// `farthest` from its zero. Beyond the range of N nothing is certified.
  void SetScale(int i, const P& farthest) {
    const ScaleBound& bound = bounds_[i];
    const P root = P(N(bound.rest)) + P(N(bound.growth)) * farthest;
    const P per_scale = P(N(1)) / (root * root);
    const Mask<N> fits =
        per_scale < P(N(CertificateThresholds<N>::kMostPerScale));
    root_scales_[i] = Select(fits, root, P(N(__builtin_huge_val())));
    per_weak_[i] =
        Select(fits, per_scale * P(N(1 / CertificateThresholds<N>::kWeakPivot)),
               P(N(0)));
  }

  __attribute__((noinline)) void LoadSliding(const P* q) {
    P farthest(N(0));
    for (int i = 0; i < joints_.n; ++i) {
      if (bounds_[i].slides) farthest = Max(farthest, Abs(q[i]));
    }
    for (int i = 0; i < joints_.n; ++i) {
      if (bounds_[i].growth > 0) SetScale(i, farthest);
    }
  }

  const ScaleBound* const bounds_;
  const Branches<N> joints_;
  bool slides_ = false;  // a joint behind another
  P* root_scales_;       // bounds of √s_i
  P* per_weak_;          // 1 / (kWeakPivot s_i)
  P* work_;
};

/// M, packed, and in its place M = Lᵀ D L. There is one copy of the code for
/// each size, whichever function calls it. Arms with and without a gripper are
/// unrolled, as if all their joints formed a chain.
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

  /// Trees of so many joints are factorized as chains.
  static constexpr int kMostUnrolled = 9;

  /// For M, before it is factorized.
  P* M() { return M_; }

  /// Returns the lanes in which M is not certainly regular.
  TORQUED_ONE_COPY unsigned Factor(const MassCertificate<N>& certificate) {
    for (int i = 0; i < joints_.n; ++i) diagonal_[i] = M_[PackedEntry(i, i)];
    P *const M = M_, *const reciprocal = reciprocal_;
    unsigned uncertain = 0;
    WithSize([&](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      FactorLtdl(joints, M, reciprocal);
      uncertain = certificate.Uncertain(joints, M, reciprocal);
    });
    return uncertain;
  }

  /// x ← M⁻¹ x.
  TORQUED_ONE_COPY void Solve(P* x) const {
    const P *const LD = M_, *const reciprocal = reciprocal_;
    WithSize([&](auto joints, auto /*path*/)
                 TORQUED_INLINE_BODY { SolveLtdl(joints, LD, reciprocal, x); });
  }

  /// X[n x n] ← −M⁻¹ X, row-major, where X has zeros between joints of which
  /// neither carries the other.
  TORQUED_ONE_COPY void SolveNegative(P* X) const {
    for (int i = 0; i < joints_.n; ++i) y_h_[i] = -reciprocal_[i];
    WithSize([&](auto joints, auto /*path*/)
                 TORQUED_INLINE_BODY { SolveNegative(joints, X); });
  }

  /// X[n x n] ← M⁻¹, except for zeros between the trees of different roots.
  TORQUED_ONE_COPY void Invert(P* X) const {
    const P *const LD = M_, *const reciprocal = reciprocal_;
    const int n = joints_.n;
    WithSize([&](auto joints, auto /*path*/) TORQUED_INLINE_BODY {
      joints.ForRoots([&](const auto& tree) TORQUED_INLINE_BODY {
        InvertLtdl(tree, LD, reciprocal, AllEntries<P>{X, n});
      });
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
  template <class Size>
  TORQUED_INLINE void SolveNegative(const Chain<Size>& joints, P* X) const {
    const P *const LD = M_, *const scale = y_h_;
    const int n = joints.n, blocks = n - n % 3;
    for (int c = 0; c < blocks; c += 3) {
      SolveLtdl<3>(joints, LD, scale, X + c, n);
    }
    for (int c = blocks; c < n; ++c) SolveLtdl(joints, LD, scale, X + c, n);
  }
  TORQUED_INLINE void SolveNegative(const Branches<N>& joints, P* X) const {
    joints.ForRoots([&](const auto& tree) TORQUED_INLINE_BODY {
      for (int c = tree.first; c < tree.n;) {
        constexpr int kMost = Branches<N>::kColumns;
        const int end = tree.bodies[c].subtree_end;
        c = end >= c + kMost  ? SolveColumns<kMost>(tree, c, X)
            : c + 3 <= tree.n ? SolveColumns<3>(tree, c, X)
                              : SolveColumns<1>(tree, c, X);
      }
    });
  }

  /// Columns [begin, begin + kCount), in one root's tree; returns the end. Only
  /// joints that carry one of these columns' or are carried are not zero there.
  template <int kCount>
  TORQUED_INLINE int SolveColumns(const Branches<N>& tree, int begin,
                                  P* X) const {
    Branches<N> related{tree.bodies, begin, begin};
    for (int c = begin; c < begin + kCount; ++c) {
      if (tree.bodies[c].subtree_end > related.n) {
        related.n = tree.bodies[c].subtree_end;
      }
    }
    SolveInward<kCount>(related, M_, X + begin, joints_.n);
    SolveOutward<kCount>(tree, M_, X + begin, joints_.n, y_h_);
    return begin + kCount;
  }

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
