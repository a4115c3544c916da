#pragma once

#include "core/dynamics/coriolis.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/link_motion-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// ½ (B(G V) − G ad_V − ad_Vᵀ G), where the blocks on the right cancel:
///   S = [ω] (I − ½ tr(I) 1) − [h][v],   f = m v − h × ω.
template <class T>
TORQUED_INLINE CoriolisInertia<T> CoriolisInertiaOf(const SpatialInertia<T>& G,
                                                    const Twist<T>& V) {
  const T half_trace = (G.I.xx + G.I.yy + G.I.zz) * T(0.5);
  const Sym3<T> J = G.I - Sym3<T>::Scaled(half_trace);
  // [h][v] = v hᵀ − (h·v) 1
  const Mat3<T> hv = Outer(V.v, G.h) - Sym3<T>::Scaled(Dot(G.h, V.v)).Full();
  return {Cross(V.w, J.Full()) - hv, V.v * G.mass - Cross(G.h, V.w)};
}

/// B V.
template <class T>
TORQUED_INLINE Wrench<T> operator*(const CoriolisInertia<T>& B,
                                   const Twist<T>& V) {
  return {B.S * V.w, Cross(V.w, B.f)};
}

/// Bᵀ V, a pure moment.
template <class T>
TORQUED_INLINE Vec3<T> TransposeTimes(const CoriolisInertia<T>& B,
                                      const Twist<T>& V) {
  return TransposeTimes(B.S, V.w) + Cross(B.f, V.v);
}

/// B_a = Ad_{T_ba}ᵀ B_b Ad_{T_ba}: turned by R, then S' = S − [p][f].
template <class T>
TORQUED_INLINE CoriolisInertia<T> ToParent(const Transform<T>& ab,
                                           const CoriolisInertia<T>& b) {
  const Vec3<T> f = ab.R * b.f;
  const Mat3<T> S = (ab.R * b.S) * Transpose(ab.R);
  return {S + Sym3<T>::Scaled(Dot(ab.p, f)).Full() - Outer(f, ab.p), f};
}

template <class T>
void CoriolisMatrix(const Tree& tree, const T* v, Scratch<T>& scratch,
                    CoriolisScratch<T>& own, T* C) {
  const int n = tree.n;
  ComputeBodyTwists(tree, v, scratch);
  ComputeCompositeInertias(tree, scratch);
  for (int i = 0; i < n; ++i) {
    const TreeBody& body = tree.bodies[i];
    own.B[i] = CoriolisInertiaOf(BodyInertia<T>(body), scratch.V[i]);
    // Ȧ_i = ad_{V_i} A_i, the rate of the joint screw that is fixed on i.
    scratch.A[i] = Bracket(scratch.V[i], JointTwist(body, T(1)));
  }
  for (int k = 0; k < n * n; ++k) C[k] = T(0);

  // J_i has the columns Ad_{T_ij} A_j, J̇_i the columns
  // Ad_{T_ij} Ȧ_j − ad_{V_i} Ad_{T_ij} A_j. So, with the composites of the
  // deeper one of two joints,
  //   C_ij = A_iᵀ (Gᶜ Ȧ_j + Bᶜ A_j),   B = Q − G ad_V.
  for (int j = n - 1; j >= 0; --j) {
    const TreeBody& body = tree.bodies[j];
    if (body.parent != kBase) {
      const CoriolisInertia<T> B = ToParent(scratch.X[j], own.B[j]);
      CoriolisInertia<T>& sum = own.B[body.parent];
      sum = {sum.S + B.S, sum.f + B.f};
    }
    const Twist<T> A = JointTwist(body, T(1));
    // Column j above the diagonal from f, row j left of it from u and w.
    Wrench<T> f = scratch.Gc[j] * scratch.A[j] + own.B[j] * A;
    Wrench<T> u = scratch.Gc[j] * A;
    Vec3<T> w = TransposeTimes(own.B[j], A);
    C[j * n + j] = JointProjection(body, f);
    for (int k = j; tree.bodies[k].parent != kBase;) {
      f = ToParent(scratch.X[k], f);
      u = ToParent(scratch.X[k], u);
      w = scratch.X[k].R * w;
      k = tree.bodies[k].parent;
      C[k * n + j] = JointProjection(tree.bodies[k], f);
      C[j * n + k] =
          Dot(u, scratch.A[k]) +
          JointProjection(tree.bodies[k], Wrench<T>{w, Vec3<T>::Zero()});
    }
  }
}

template <class T>
void MassMatrixRate(int n, const T* C, T* M_rate) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const T rate = C[i * n + j] + C[j * n + i];
      M_rate[i * n + j] = rate;
      M_rate[j * n + i] = rate;
    }
  }
}

/// −(G ad_V + ad_Vᵀ G): the rate in fixed axes of an inertia that moves with V.
/// Its mass is zero.
template <class T>
TORQUED_INLINE SpatialInertia<T> InertiaRate(const SpatialInertia<T>& G,
                                             const Twist<T>& V) {
  // [ω] I + ([ω] I)ᵀ − [h][v] − [v][h], with
  // −[h][v] − [v][h] = 2 (h·v) 1 − v hᵀ − h vᵀ
  const Mat3<T> half = Cross(V.w, G.I.Full()) - Outer(V.v, G.h);
  Sym3<T> I = Sym3<T>::Upper(half + Transpose(half));
  I += Sym3<T>::Scaled(Dot(G.h, V.v) * T(2));
  return {T(0), V.v * G.mass + Cross(V.w, G.h), I};
}

/// The child of body b on the way to body m of its subtree; kBase where m is
/// not of b's subtree, or is b.
TORQUED_INLINE int ChildTowards(const Tree& tree, int b, int m) {
  int child = kBase;
  while (m > b) child = m, m = tree.bodies[m].parent;
  return m == b ? child : kBase;
}

template <class T>
void ChristoffelSymbols(const Tree& tree, Scratch<T>& scratch, T* c) {
  const int n = tree.n;
  for (int k = 0; k < n * n * n; ++k) c[k] = T(0);
  const auto at = [n, c](int i, int j, int k) TORQUED_INLINE_BODY -> T& {
    return c[(i * n + j) * n + k];
  };

  // For a ≤ b ≤ m on one way to the base, in axes that do not move,
  //   ∂m_ab/∂q_m = A_aᵀ D A_b,   D = −(Gᶜ_m ad_{A_m} + ad_{A_m}ᵀ Gᶜ_m),
  //   ∂m_am/∂q_b = −A_aᵀ ad_{A_b}ᵀ F,   F = Gᶜ_m A_m,
  //   ∂m_bm/∂q_a = 0: joint a moves both of them.
  ComputeCompositeInertias(tree, scratch);
  SpatialInertia<T>* const D = scratch.Gc;
  Wrench<T>* const F = scratch.F;
  Twist<T>*const in_base = scratch.V, *const screws = scratch.A;
  for (int m = 0; m < n; ++m) {
    const Twist<T> A = JointTwist(tree.bodies[m], T(1));
    in_base[m] = ToParent(scratch.X_world[m], A);
    F[m] = scratch.Gc[m] * A;
    D[m] = InertiaRate(scratch.Gc[m], A);
  }
  for (int b = n - 1; b >= 0; --b) {
    // All in axes of b.
    const Twist<T> A_b = JointTwist(tree.bodies[b], T(1));
    screws[b] = A_b;
    const int parent = tree.bodies[b].parent;
    for (int a = parent; a != kBase; a = tree.bodies[a].parent) {
      screws[a] = ToChild(scratch.X_world[b], in_base[a]);
    }
    for (int m = b; m < n; ++m) {
      if (m != b) {
        const int child = ChildTowards(tree, b, m);
        if (child == kBase) continue;
        D[m] = ToParent(scratch.X[child], D[m]);
        F[m] = ToParent(scratch.X[child], F[m]);
      }
      const Wrench<T> of_m = D[m] * A_b;
      const Wrench<T> of_b = MinusAdTranspose(A_b, F[m]);
      Wrench<T> sum = of_b, difference = Wrench<T>::Zero();
      if (b != m) {  // else they are the same
        sum = (of_m + of_b) * T(0.5);
        difference = (of_m - of_b) * T(0.5);
      }
      for (int a = b; a != kBase; a = tree.bodies[a].parent) {
        const T s = Dot(sum, screws[a]), d = Dot(difference, screws[a]);
        at(m, a, b) = -d, at(m, b, a) = -d;
        at(b, a, m) = d, at(b, m, a) = d;
        at(a, b, m) = s, at(a, m, b) = s;
      }
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
