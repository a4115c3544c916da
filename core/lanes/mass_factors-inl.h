// The mass matrix of a block and its factors.
#pragma once

#include "core/dynamics/packed_ldlt-inl.h"
#include "core/dynamics/rank_bound-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/dynamics/task_inertia-inl.h"
#include "core/lanes/pack.h"
#include "core/lanes/pivot_test-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// M, lower half packed, and in its place M = L D Lᵀ. There is one copy of the
/// code for each size, whoever calls it; small sizes are unrolled.
template <class N>
class MassFactors {
 public:
  using P = Pack<N>;

  MassFactors(int n, Carver& carver) : n_(n) {
    const auto size = static_cast<unsigned long>(n);
    carver.Take(M_, static_cast<unsigned long>(PackedSize(n)));
    carver.Take(diagonal_, size);
    carver.Take(pivots_, size);
    carver.Take(reciprocal_, size);
    carver.Take(Y_, 6 * size);
    carver.Take(y_h_, size);
  }

  /// For M, before it is factorized.
  P* M() { return M_; }

  /// Returns the lanes in which M is not certainly regular.
  unsigned Factor(const PivotTest<N>& test) {
    WithSize([this](auto n) TORQUED_INLINE_BODY {
      FactorSized(n, M_, diagonal_, pivots_, reciprocal_);
    });
    return test.Doubtful(diagonal_, pivots_);
  }

  /// x ← M⁻¹ x.
  void Solve(P* x) const {
    WithSize([this, x](auto n)
                 TORQUED_INLINE_BODY { SolveSized(n, M_, reciprocal_, x); });
  }

  /// See MobilityShowsRank.
  Mask<N> ShowsRank(int m, const RowScales<N>& scales, const P& bound,
                    const TaskResult<P>& task) const {
    Mask<N> shown;
    WithSize([&](auto n) TORQUED_INLINE_BODY {
      if (m == 6) {
        ShowRankSized(Int<6>{}, n, scales, bound, task, diagonal_, reciprocal_,
                      shown);
      } else {
        ShowRankSized(m, n_, scales, bound, task, diagonal_, reciprocal_,
                      shown);
      }
    });
    return shown;
  }

  /// See TaskInertia.
  void SolveTask(int m, const P* const* rows, TaskResult<P>& result) const {
    WithSize([&](auto n) TORQUED_INLINE_BODY {
      if (m == 6) {
        SolveTaskSized(Int<6>{}, n, rows, M_, reciprocal_, Y_, result);
      } else {
        SolveTaskSized(m, n_, rows, M_, reciprocal_, Y_, result);
      }
    });
  }

  /// See MobilityFromSolved; after SolveTask.
  void SolveMobility(int m, P* W) const {
    MobilityFromSolved(m, n_, static_cast<const P*>(M_),
                       static_cast<const P*>(Y_), W);
  }

  /// See TaskBias; after SolveTask.
  void SolveTaskBias(int m, const P* lambda, const P* h, const P* drift,
                     P* eta) const {
    WithSize([&](auto n) TORQUED_INLINE_BODY {
      if (m == 6) {
        SolveTaskBiasSized(Int<6>{}, n, M_, Y_, lambda, h, drift, y_h_, eta);
      } else {
        SolveTaskBiasSized(m, n_, M_, Y_, lambda, h, drift, y_h_, eta);
      }
    });
  }

 private:
  template <class Function>
  TORQUED_INLINE void WithSize(const Function& f) const {
    switch (n_) {
      case 6:
        return f(Int<6>{});
      case 7:
        return f(Int<7>{});
      case 8:
        return f(Int<8>{});
      case 9:
        return f(Int<9>{});
      default:
        return f(n_);
    }
  }

  template <class Size>
  TORQUED_ONE_COPY static void FactorSized(Size n, P* M, P* diagonal, P* pivots,
                                           P* reciprocal) {
    for (int i = 0; i < n; ++i) diagonal[i] = M[PackedRow(i) + i];
    FactorPacked(n, M, reciprocal);
    for (int i = 0; i < n; ++i) pivots[i] = M[PackedRow(i) + i];
  }

  template <class Size>
  TORQUED_ONE_COPY static void SolveSized(Size n, const P* LD,
                                          const P* reciprocal, P* x) {
    SolvePacked(n, LD, reciprocal, x);
  }

  template <class Rows, class Size>
  TORQUED_ONE_COPY static void SolveTaskSized(Rows m, Size n,
                                              const P* const* rows, const P* LD,
                                              const P* reciprocal, P* Y,
                                              TaskResult<P>& result) {
    TaskInertia(m, n, rows, LD, reciprocal, Y, result);
  }

  template <class Rows, class Size>
  TORQUED_ONE_COPY static void SolveTaskBiasSized(Rows m, Size n, const P* LD,
                                                  const P* Y, const P* lambda,
                                                  const P* h, const P* drift,
                                                  P* y_h, P* eta) {
    TaskBias(m, n, LD, Y, lambda, h, drift, y_h, eta);
  }

  template <class Rows, class Size>
  TORQUED_ONE_COPY static void ShowRankSized(
      Rows m, Size n, const RowScales<N>& scales, const P& bound,
      const TaskResult<P>& task, const P* diagonal, const P* reciprocal,
      Mask<N>& shown) {
    shown = MobilityShowsRank(m, n, scales, bound, task, diagonal, reciprocal);
  }

  const int n_;
  P *M_, *diagonal_, *pivots_, *reciprocal_, *Y_, *y_h_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
