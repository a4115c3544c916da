#pragma once

#include "core/dynamics/friction-inl.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/dynamics/rnea_derivatives.h"
#include "core/dynamics/scratch_layout-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void CarveRneaDerivatives(unsigned long n, Carver& carver,
                          RneaDerivativesScratch<T>& s) {
  carver.Take(s.S, n);
  carver.Take(s.S_rate, n);
  carver.Take(s.S_rate_rate, n);
  carver.Take(s.V, n);
  carver.Take(s.A, n);
  carver.Take(s.sum, n);
}

/// How joint i's screw moves with its parent, and the motion of body i. `base`
/// moves with V and, gravity included, A; null: at rest, but for A.
template <class T>
TORQUED_INLINE void MoveScrew(const TreeBody& body, const BaseMotion<T>* base,
                              const Vec3<T>& up, const Transform<T>& X_world,
                              const T& v, const T& a, int i,
                              const RneaDerivativesScratch<T>& own) {
  const Vec3<T> zero = Vec3<T>::Zero();
  const Vec3<T> axis = X_world.R * Vec3<T>::Constant(body.axis);
  const bool revolute = body.motion == JointMotion::kRevolute;
  const Twist<T> S =
      revolute ? Twist<T>{axis, Cross(X_world.p, axis)} : Twist<T>{zero, axis};
  own.S[i] = S;
  if (body.parent == kBase && base == nullptr) {
    own.S_rate[i] = Twist<T>::Zero();
    own.S_rate_rate[i] = {zero, Cross(up, S.w)};
    own.V[i] = S * v;
    const Twist<T> A = S * a;
    own.A[i] = {A.w, A.v + up};
    return;
  }
  const bool root = body.parent == kBase;
  const Twist<T>& V = root ? base->V : own.V[body.parent];
  const Twist<T>& A = root ? base->A : own.A[body.parent];
  Twist<T> rate, rate_rate;
  if (revolute) {
    rate = Bracket(V, S);
    rate_rate = Bracket(A, S) + Bracket(V, rate);
  } else {
    rate = {zero, Cross(V.w, axis)};
    rate_rate = {zero, Cross(A.w, axis) + Cross(V.w, rate.v)};
  }
  own.S_rate[i] = rate + rate;
  own.S_rate_rate[i] = rate_rate;
  // V_i = V_λ + S q̇;  V̇_i = V̇_λ + S q̈ + Ṡ q̇,  Ṡ = ad_{V_λ} S
  own.V[i] = V + S * v;
  own.A[i] = A + S * a + rate * v;
}

/// Of a single body, from its inertia in base axes.
template <class T>
TORQUED_INLINE SubtreeMotion<T> MotionOf(const SpatialInertia<T>& G,
                                         const Twist<T>& V, const Twist<T>& A) {
  SubtreeMotion<T> sum;
  sum.G = G;
  // Second moments ∫ρ x xᵀ = ½ tr(I) 1 − I, and N = ∫ρ ẋ xᵀ, ẋ = v + ω × x.
  const T half_trace = (G.I.xx + G.I.yy + G.I.zz) * T(0.5);
  const Vec3<T> Sx = {half_trace - G.I.xx, -G.I.xy, -G.I.xz};
  const Vec3<T> Sy = {-G.I.xy, half_trace - G.I.yy, -G.I.yz};
  const Vec3<T> Sz = {-G.I.xz, -G.I.yz, half_trace - G.I.zz};
  // E = tr(N) 1 − N, of which tr(N) = v·h
  const T trace = Dot(V.v, G.h);
  Vec3<T> x = Cross(Sx, V.w) - V.v * G.h.x;
  Vec3<T> y = Cross(Sy, V.w) - V.v * G.h.y;
  Vec3<T> z = Cross(Sz, V.w) - V.v * G.h.z;
  x.x += trace, y.y += trace, z.z += trace;
  sum.E = {x, y, z};
  sum.p = V.v * G.mass + Cross(V.w, G.h);
  // ẍ = a + ω̇ × x + ω × ẋ
  sum.f = {G.I * A.w + Cross(G.h, A.v) + sum.E * V.w,
           A.v * G.mass + Cross(A.w, G.h) + Cross(V.w, sum.p)};
  return sum;
}

template <class T>
TORQUED_INLINE void Add(const SubtreeMotion<T>& a, SubtreeMotion<T>& b) {
  b.G += a.G;
  b.E = b.E + a.E;
  b.p += a.p;
  b.f += a.f;
}

/// What the forces on a subtree change by when its joint i accelerates more,
/// moves more quickly or is displaced, all else being equal. With
/// B X = (E ω_X; −p × ω_X), so that 2 B X are the Coriolis forces of X, and
/// Ψ̇ = ad_{V_λ} S, which is Ṡ, and Ψ̈ as in RneaDerivativesScratch.
template <class T>
struct JointResponse {
  Wrench<T> by_a;      // G S
  Wrench<T> by_v;      // 2 (B S + G Ψ̇)
  Wrench<T> by_q;      // 2 B Ψ̇ + G Ψ̈ − ad_Sᵀ f
  Vec3<T> gyroscopic;  // Bᵀ S, a pure moment
};

template <class T>
TORQUED_INLINE JointResponse<T> ResponseOf(const TreeBody& body,
                                           const SubtreeMotion<T>& sum,
                                           const Twist<T>& S,
                                           const Twist<T>& rate,
                                           const Twist<T>& rate_rate) {
  const SpatialInertia<T>& G = sum.G;
  JointResponse<T> out;
  if (body.motion == JointMotion::kRevolute) {
    const Vec3<T> twice = S.w + S.w;
    out.by_a = G * S;
    out.by_v = G * rate;
    out.by_v.m += sum.E * twice;
    out.by_v.f += Cross(twice, sum.p);
    out.by_q = G * rate_rate + MinusAdTranspose(S, sum.f);
    out.by_q.m += sum.E * rate.w;
    out.by_q.f += Cross(rate.w, sum.p);
    out.gyroscopic = TransposeTimes(sum.E, S.w) + Cross(sum.p, S.v);
  } else {
    out.by_a = {Cross(G.h, S.v), S.v * G.mass};
    out.by_v = {Cross(G.h, rate.v), rate.v * G.mass};
    out.by_q = {Cross(G.h, rate_rate.v) + Cross(S.v, sum.f.f),
                rate_rate.v * G.mass};
    out.gyroscopic = Cross(sum.p, S.v);
  }
  return out;
}

template <class T>
void InverseDynamicsDerivatives(const Tree& tree, const DynamicsTerms& terms,
                                const T* v, const T* a,
                                const Scratch<T>& scratch,
                                const RneaDerivativesScratch<T>& own,
                                T* dtau_dq, T* dtau_dv, T* M,
                                const BaseMotion<T>* base) {
  const int n = tree.n;
  const T zero(0);
  // V̇_0 = (0; −g): gravity enters as an upward acceleration of the base.
  const Vec3<T> up = -Vec3<T>::Constant(terms.gravity);
  BaseMotion<T> lifted;
  if (base != nullptr) lifted = {base->V, BaseAcceleration(terms, base)};
  for (int i = 0; i < n; ++i) {
    const TreeBody& body = tree.bodies[i];
    MoveScrew(body, base == nullptr ? nullptr : &lifted, up, scratch.X_world[i],
              v != nullptr ? v[i] : zero, a != nullptr ? a[i] : zero, i, own);
    own.sum[i] = MotionOf(ToParent(scratch.X_world[i], BodyInertia<T>(body)),
                          own.V[i], own.A[i]);
    if (terms.external_wrenches) {
      own.sum[i].f = own.sum[i].f - ToParent(scratch.X_world[i], scratch.W[i]);
    }
  }
  for (int k = 0; k < n * n; ++k) {
    dtau_dq[k] = zero;
    dtau_dv[k] = zero;
    M[k] = zero;
  }

  for (int i = n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    const SubtreeMotion<T>& sum = own.sum[i];
    const JointResponse<T> r =
        ResponseOf(body, sum, own.S[i], own.S_rate[i], own.S_rate_rate[i]);
    if (body.parent != kBase) Add(sum, own.sum[body.parent]);
    T* const q_row = dtau_dq + i * n;
    T* const v_row = dtau_dv + i * n;
    T* const M_row = M + i * n;
    q_row[i] = Dot(r.by_q, own.S[i]);
    v_row[i] = Dot(r.by_v, own.S[i]);
    M_row[i] = Dot(r.by_a, own.S[i]) + T(body.armature);
    v_row[i] += JointFrictionSlope(body, terms, v != nullptr ? v[i] : zero);
    const Vec3<T> gyroscopic = r.gyroscopic + r.gyroscopic;

    // Column i: S_jᵀ by_a, S_jᵀ by_v and S_jᵀ by_q at the joints j that carry
    // i. Row i, from them: 2 Bᵀ S_i·S_j + by_aᵀ 2 Ψ̇_j and 2 Bᵀ S_i·Ψ̇_j + by_aᵀ
    // Ψ̈_j.
    for (int j = body.parent; j != kBase; j = tree.bodies[j].parent) {
      const TreeBody& onto = tree.bodies[j];
      const Twist<T>& S = own.S[j];
      const Twist<T>& rate = own.S_rate[j];
      const Twist<T>& rate_rate = own.S_rate_rate[j];
      T inertia, by_v, by_q;
      if (onto.motion == JointMotion::kPrismatic) {
        inertia = Dot(r.by_a.f, S.v);
        by_v = Dot(r.by_v.f, S.v);
        by_q = Dot(r.by_q.f, S.v);
        v_row[j] = Dot(r.by_a.f, rate.v);
        q_row[j] = Dot(r.by_a.f, rate_rate.v);
      } else {
        inertia = Dot(r.by_a, S);
        by_v = Dot(r.by_v, S);
        by_q = Dot(r.by_q, S);
        if (onto.parent == kBase && base == nullptr) {
          v_row[j] = Dot(gyroscopic, S.w);
          q_row[j] = Dot(r.by_a.f, rate_rate.v);
        } else {
          v_row[j] = Dot(gyroscopic, S.w) + Dot(r.by_a, rate);
          q_row[j] = Dot(r.gyroscopic, rate.w) + Dot(r.by_a, rate_rate);
        }
      }
      M_row[j] = inertia;
      M[j * n + i] = inertia;
      dtau_dv[j * n + i] = by_v;
      dtau_dq[j * n + i] = by_q;
    }
  }
}

template <class T>
void AddHeldWrenchDerivative(const Tree& tree, int body,
                             ReferenceFrame reference, const T* J,
                             const T* wrench, T* dtau_dq) {
  const int n = tree.n;
  if (reference == ReferenceFrame::kLocal) return;
  const Wrench<T> W = {{wrench[0], wrench[1], wrench[2]},
                       {wrench[3], wrench[4], wrench[5]}};
  for (int j = body; j != kBase; j = tree.bodies[j].parent) {
    Twist<T> S = {{J[j], J[n + j], J[2 * n + j]}, Vec3<T>::Zero()};
    if (reference == ReferenceFrame::kWorld) {
      S.v = {J[3 * n + j], J[4 * n + j], J[5 * n + j]};
    }
    // What turning with joint j has done to W, and does not.
    const Wrench<T> turned = MinusAdTranspose(S, W);
    for (int i = body; i != kBase; i = tree.bodies[i].parent) {
      const Twist<T> column = {{J[i], J[n + i], J[2 * n + i]},
                               {J[3 * n + i], J[4 * n + i], J[5 * n + i]}};
      dtau_dq[i * n + j] += Dot(turned, column);
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
