// Derivatives of inverse dynamics on a compiled tree (Singh, Russell & Wensing
// 2022, "Efficient analytical derivatives of rigid-body dynamics using spatial
// vector algebra"; for joints of one degree of freedom), in the axes of the
// bodies, where a joint's screw is a unit vector. Regrouped inertias leave
// inverse dynamics the same function, hence its derivatives too.
#pragma once

#include "core/dynamics/crba-inl.h"
#include "core/dynamics/scratch_layout-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Integrals on which the forces of a subtree depend, about the origin of {i'}
/// and in its axes. x runs over the particles.
template <class T>
struct SubtreeMomenta {
  CompositeMoments<T> moments;
  Mat3<T> N;    // ∫ρ ẋ xᵀ
  Vec3<T> p;    // ∫ρ ẋ
  Wrench<T> f;  // that its motion needs, gravity too, less external wrenches

  static TORQUED_INLINE SubtreeMomenta Zero() {
    return {{Sym3<T>::Zero(), Vec3<T>::Zero()},
            Mat3<T>::Zero(),
            Vec3<T>::Zero(),
            Wrench<T>::Zero()};
  }
};

/// See JointResponse.
template <class T>
struct JointResponse {
  Wrench<T> dF_da, dF_dv, dF_dq;
  Vec3<T> Bt_S;
};

/// Memory of RneaDerivatives; n bodies, twists in {i'}.
template <class T>
struct DerivativesScratch {
  Twist<T>* V;
  Twist<T>* A;                 // V̇ of a base that accelerates at −g
  Twist<T>* S_rate;            // 2 ad_{V_λ} S_i; the z components are not set
  Twist<T>* S_rate_rate;       // ad_{V̇_λ} S_i + ad_{V_λ} ad_{V_λ} S_i
  JointResponse<T>* response;  // of joint k, carried towards the base
  SubtreeMomenta<T>* sum;      // by slot: what was gathered from the children
};

template <class T>
void LayoutDerivatives(unsigned long n, unsigned long slots, Arena& arena,
                       DerivativesScratch<T>& s) {
  arena.Take(s.V, n);
  arena.Take(s.A, n);
  arena.Take(s.S_rate, n);
  arena.Take(s.S_rate_rate, n);
  arena.Take(s.response, n);
  arena.Take(s.sum, slots);
}

/// Motion of a root on a base at rest, and how its screw moves.
template <class T, class N>
TORQUED_INLINE void PropagateRootScrew(const AnyJoint<T, N>& joint,
                                       const Vec3<T>& gravity, const T& v,
                                       const T& a, Twist<T>& V, Twist<T>& A,
                                       Twist<T>& rate, Twist<T>& rate_rate) {
  Vec3<T> up = -gravity;
  RotateToChild(joint, up);
  V = rate = rate_rate = Twist<T>::Zero();
  A = {Vec3<T>::Zero(), up};
  if (!joint.Slides()) rate_rate.v = {up.y, -up.x, T(0)};
  AddAlongJoint(joint, v, V);
  AddAlongJoint(joint, a, A);
}

/// From the parent's motion to the child's, and how the child's screw moves
/// with the parent. With ω, v, ω̇, a of the parent at the origin of the child:
///   ad_V S = (ω × z; v × z), prismatic (0; ω × z), and so on.
template <class Joint, class T>
TORQUED_INLINE void PropagateScrew(const Joint& joint, const T& qd,
                                   const T& qdd, Twist<T>& V, Twist<T>& A,
                                   Twist<T>& rate, Twist<T>& rate_rate) {
  TwistToChild(joint, V);
  TwistToChild(joint, A);
  const Vec3<T>&w = V.w, &v = V.v;
  const Vec3<T> turning = {Fma(w.z, w.x, A.w.y), Fma(w.z, w.y, -A.w.x),
                           -Fma(w.x, w.x, w.y * w.y)};
  if (!joint.Slides()) {
    rate.w.x = w.y + w.y, rate.w.y = -(w.x + w.x);
    rate.v.x = v.y + v.y, rate.v.y = -(v.x + v.x);
    rate_rate.w = turning;
    rate_rate.v = {Fma(w.z, v.x, Fma(v.z, w.x, A.v.y)),
                   Fma(w.z, v.y, Fma(v.z, w.y, -A.v.x)),
                   Fma(v.x, rate.w.y, -(v.y * rate.w.x))};
    A.w.x += w.y * qd;
    A.w.y -= w.x * qd;
    A.v.x += v.y * qd;
    A.v.y -= v.x * qd;
    A.w.z += qdd;
    V.w.z += qd;
  } else {
    rate.v.x = w.y + w.y, rate.v.y = -(w.x + w.x);
    rate_rate.v = turning;
    A.v.x += w.y * qd;
    A.v.y -= w.x * qd;
    A.v.z += qdd;
    V.v.z += qd;
  }
}

/// Adds a body's own kept inertia in motion.
template <class T, class N>
TORQUED_INLINE void AddOwn(const CompiledBody<N>& body, const Twist<T>& V,
                           const Twist<T>& A, SubtreeMomenta<T>& sum) {
  const Vec3<T>&w = V.w, &v = V.v;
  Add(OwnMoments<T>(body), sum.moments);
  // N = [ω] S + v hᵀ;  f = ∫ρ (x; 1) × (a + ω̇ × x + ω × ẋ)
  const Vec3<T> h = Vec3<T>::Constant(body.h);
  if (body.motion == JointMotion::kPrismatic) {
    const Wrench<T> GA = OwnMomentum(body, A);
    const Vec3<T> p = OwnMomentum(body, V).f;
    sum.p += p;
    sum.f.m += GA.m + w * Dot(v, h) - v * Dot(w, h);
    sum.f.f += GA.f + Cross(w, p);
    sum.N = sum.N + Outer(v, h);
    return;
  }
  const Wrench<T> GA = OwnMomentum(body, A);
  const Vec3<T> p = OwnMomentum(body, V).f;
  sum.p += p;
  const T xx(body.S[0]), xy(body.S[1]), xz(body.S[2]), yy(body.S[3]),
      yz(body.S[4]);
  const Mat3<T> own = {Cross(w, Vec3<T>{xx, xy, xz}) + v * h.x,
                       Cross(w, Vec3<T>{xy, yy, yz}) + v * h.y,
                       {-(w.z * yz), w.z * xz, Fma(w.x, yz, -(w.y * xz))}};
  sum.f.m += GA.m + w * Fma(v.x, h.x, v.y * h.y) - own * w;
  sum.f.f += Cross(w, p);
  sum.f.f += GA.f;
  sum.N = sum.N + own;
}

/// As the parent's frame has it.
template <class Joint, class T>
TORQUED_INLINE void SubtreeToParent(const Joint& joint,
                                    SubtreeMomenta<T>& sum) {
  MomentsToParent(joint, T(joint.body.composite_mass), sum.moments);
  sum.f = WrenchToParent(joint, sum.f);
  if (joint.Slides()) sum.N.c2 += sum.p * joint.q;
  RotateBothSides(joint, sum.N);
  RotateToParent(joint, sum.p);
  const Vec3<T> p = Vec3<T>::Constant(joint.body.p);
  if (joint.Shifts(0)) sum.N.c0 += sum.p * p.x;
  if (joint.Shifts(1)) sum.N.c1 += sum.p * p.y;
  if (joint.Shifts(2)) sum.N.c2 += sum.p * p.z;
}

template <class T>
TORQUED_INLINE void Add(const SubtreeMomenta<T>& a, SubtreeMomenta<T>& b) {
  Add(a.moments, b.moments);
  b.N = b.N + a.N;
  b.p += a.p;
  b.f += a.f;
}

/// JointResponse of a unit screw about z or along it. E = tr(N) 1 − N, and
/// G X = (tr(S) ω − S ω + h × v; m v − h × ω).
template <class T, class N>
TORQUED_INLINE void Respond(const CompiledBody<N>& body,
                            const SubtreeMomenta<T>& sum, const Twist<T>& rate,
                            const Twist<T>& rate_rate, JointResponse<T>& r) {
  const T zero(0);
  const Sym3<T>& S = sum.moments.S;
  const Vec3<T>& h = sum.moments.h;
  const Mat3<T>& M = sum.N;
  const Vec3<T>& p = sum.p;
  const Vec3<T>&w = rate_rate.w, &v = rate_rate.v;
  const T rx = rate.v.x, ry = rate.v.y;
  const T mass(body.composite_mass);
  r.dF_da = UnitWrench(body, sum.moments, mass);
  if (body.motion == JointMotion::kPrismatic) {
    r.dF_dv = {{-(h.z * ry), h.z * rx, Fma(h.x, ry, -(h.y * rx))},
               {mass * rx, mass * ry, zero}};
    r.dF_dq = {
        {Fma(h.y, v.z, -(h.z * v.y)) - sum.f.f.y,
         Fma(h.z, v.x, -(h.x * v.z)) + sum.f.f.x, Fma(h.x, v.y, -(h.y * v.x))},
        v * mass};
    r.Bt_S = {p.y, -p.x, zero};
    return;
  }
  const T wx = rate.w.x, wy = rate.w.y;
  const T S_zz = S.xx + S.yy, trace_S = S_zz + S.zz;
  const T N_zz = M.c0.x + M.c1.y, trace_N = N_zz + M.c2.z;
  const T S_x = trace_S - S.xx, S_y = trace_S - S.yy;
  r.dF_dv.m = {
      Fma(S_x, wx, -(S.xy * wy)) - h.z * ry - (M.c2.x + M.c2.x),
      Fma(S_y, wy, -(S.xy * wx)) + h.z * rx - (M.c2.y + M.c2.y),
      Fma(h.x, ry, -(S.xz * wx)) - S.yz * wy - h.y * rx + (N_zz + N_zz)};
  r.dF_dv.f = {Fma(mass, rx, h.z * wy) - (p.y + p.y),
               Fma(mass, ry, -(h.z * wx)) + (p.x + p.x),
               Fma(h.y, wx, -(h.x * wy))};
  r.dF_dq.m = {
      Fma(S_x, w.x, -(S.xy * w.y)) - S.xz * w.z + h.y * v.z - h.z * v.y +
          (trace_N - M.c0.x) * wx - M.c1.x * wy - sum.f.m.y,
      Fma(S_y, w.y, -(S.xy * w.x)) - S.yz * w.z + h.z * v.x - h.x * v.z +
          (trace_N - M.c1.y) * wy - M.c0.y * wx + sum.f.m.x,
      Fma(S_zz, w.z, -(S.xz * w.x)) - S.yz * w.y + h.x * v.y - h.y * v.x -
          M.c0.z * wx - M.c1.z * wy};
  r.dF_dq.f = {Fma(mass, v.x, h.z * w.y) - h.y * w.z + p.z * wy - sum.f.f.y,
               Fma(mass, v.y, h.x * w.z) - h.z * w.x - p.z * wx + sum.f.f.x,
               Fma(mass, v.z, h.y * w.x) - h.x * w.y + p.y * wx - p.x * wy};
  r.Bt_S = {-M.c0.z, -M.c1.z, N_zz};
}

/// The matrices, [n x n], row-major.
template <class T>
struct DerivativeMatrices {
  T *dq, *dv;
};

/// Carries the responses of body i and of those it carries over its joint, to
/// joint j, and writes what those joints and j cause at each other. kAll: else
/// dtau/dv alone, and the rest of the scratch is without meaning.
template <bool kAll, bool kToRoot, class Joint, class T, class N>
TORQUED_INLINE void CarryResponses(const Joint& at, const CompiledTree<N>& tree,
                                   const DerivativesScratch<T>& own, long i,
                                   long end, long j,
                                   const DerivativeMatrices<T>& out) {
  const T s = at.s, c = at.c, q = at.q;  // in registers
  const Joint joint{at.body, s, c, q};
  const CompiledBody<N>& onto = tree.bodies[j];
  const Twist<T> rate = own.S_rate[j], rate_rate = own.S_rate_rate[j];
  const long n = tree.n;
  T *const dq = out.dq, *const dv = out.dv;
  JointResponse<T>* const response = own.response;
  const auto of_onto = [&](const Wrench<T>& F) TORQUED_INLINE_BODY {
    return kToRoot ? F.m.z : OfJoint(onto, F);
  };
  long kj = i * n + j;
  long jk = j * n + i;
  for (long k = i; k < end; ++k) {
    JointResponse<T> r = response[k];
    r.dF_da = WrenchToParent(joint, r.dF_da);
    r.dF_dv = WrenchToParent(joint, r.dF_dv);
    r.dF_dq = WrenchToParent(joint, r.dF_dq);
    RotateToParent(joint, r.Bt_S);
    if constexpr (!kAll) r.dF_dq = Wrench<T>::Zero();
    if constexpr (!kToRoot) response[k] = r;
    const Wrench<T>& F = r.dF_da;
    const Vec3<T>& g = r.Bt_S;
    dv[jk] = of_onto(r.dF_dv);
    if constexpr (kAll) dq[jk] = of_onto(r.dF_dq);
    if constexpr (kToRoot) {
      // A revolute root's screw turns with nothing.
      dv[kj] = g.z + g.z;
      if constexpr (kAll) {
        dq[kj] = Fma(F.f.x, rate_rate.v.x, F.f.y * rate_rate.v.y);
      }
    } else if (onto.motion == JointMotion::kRevolute) {
      dv[kj] = g.z + g.z + F.m.x * rate.w.x + F.m.y * rate.w.y +
               F.f.x * rate.v.x + F.f.y * rate.v.y;
      if constexpr (kAll) {
        dq[kj] = Fma(g.x, rate.w.x, g.y * rate.w.y) + Dot(F, rate_rate);
      }
    } else {
      dv[kj] = Fma(F.f.x, rate.v.x, F.f.y * rate.v.y);
      if constexpr (kAll) dq[kj] = Dot(F.f, rate_rate.v);
    }
    kj += n;
    ++jk;
  }
}

/// Load of a revolute root by all that it carries.
template <class T>
struct RootSum {
  T N_zz;  // N_xx + N_yy
  T hx, hy;

  static TORQUED_INLINE RootSum Zero() { return {T(0), T(0), T(0)}; }
  TORQUED_INLINE void Add(const SubtreeMomenta<T>& sum) {
    N_zz += sum.N.c0.x + sum.N.c1.y;
    hx += sum.moments.h.x;
    hy += sum.moments.h.y;
  }
};

/// With tau = ID(q, v, a): dtau/dq and dtau/dv, or dtau/dv alone. Joints on
/// different branches do not feel each other: their entries are left as they
/// are. Coulomb friction has no derivative, at v = 0 neither, unless it is
/// smoothed. The wrenches of `terms` turn with their bodies.
template <bool kAll, class T, class N>
TORQUED_ONE_COPY void RneaDerivatives(const CompiledTree<N>& tree,
                                      const DynamicsTerms<T>& terms,
                                      const Configuration<T>& state,
                                      const DerivativesScratch<T>& own,
                                      DerivativeMatrices<T> out) {
  const CompiledBody<N>* const bodies = tree.bodies;
  const Joints joints(tree, state);
  const long n = tree.n;
  const bool at_rest = terms.base == nullptr;
  const T *v = state.v, *a = state.a;
  // Outwards: how bodies and screws move.
  Twist<T> V, A;
  for (long i = 0; i < n; ++i) {
    const long parent = bodies[i].parent;
    Twist<T>&rate = own.S_rate[i], &rate_rate = own.S_rate_rate[i];
    if (parent == kBase && at_rest) {
      PropagateRootScrew(joints[i], terms.gravity, v[i], a[i], V, A, rate,
                         rate_rate);
    } else {
      if (parent == kBase) {
        V = terms.base->V;
        A = {terms.base->A.w, terms.base->A.v - terms.gravity};
      } else if (parent != i - 1) {
        V = own.V[parent], A = own.A[parent];
      }
      joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
        PropagateScrew(joint, v[i], a[i], V, A, rate, rate_rate);
      });
    }
    own.V[i] = V;
    own.A[i] = A;
  }

  // Inwards. `sum` is of what body i carries, without itself.
  SubtreeMomenta<T> sum = SubtreeMomenta<T>::Zero();
  RootSum<T> root = RootSum<T>::Zero();
  for (long i = n - 1; i >= 0; --i) {
    const CompiledBody<N>& body = bodies[i];
    const long parent = body.parent;
    const Twist<T>& rate = own.S_rate[i];
    const Twist<T>& rate_rate = own.S_rate_rate[i];
    const long diagonal = i * n + i;
    const T friction = JointFrictionSlope(body, terms, state.v[i]);
    if (parent == kBase && at_rest && body.motion == JointMotion::kRevolute) {
      const T hx = root.hx + T(body.h[0]), hy = root.hy + T(body.h[1]);
      out.dv[diagonal] = root.N_zz + root.N_zz + friction;
      if constexpr (kAll) {
        out.dq[diagonal] = Fma(hx, rate_rate.v.y, -(hy * rate_rate.v.x));
      }
      root = RootSum<T>::Zero();
      continue;
    }
    if (body.branches) sum = own.sum[body.slot];
    AddOwn(body, own.V[i], own.A[i], sum);
    if constexpr (!kAll) sum.f = Wrench<T>::Zero();
    for (int k = 0; k < terms.wrench_count; ++k) {
      if (terms.wrenches[k].body == i) sum.f = sum.f - terms.wrenches[k].W;
    }
    JointResponse<T>& r = own.response[i];
    Respond(body, sum, rate, rate_rate, r);
    out.dv[diagonal] = OfJoint(body, r.dF_dv) + friction;
    if constexpr (kAll) {
      out.dq[diagonal] = OfJoint(body, r.dF_dq);
    }
    if (parent == kBase) {
      sum = SubtreeMomenta<T>::Zero();
      continue;
    }
    const CompiledBody<N>& onto = bodies[parent];
    const long end = body.subtree_end;
    const bool to_root = at_rest && onto.parent == kBase &&
                         onto.motion == JointMotion::kRevolute;
    joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
      if (to_root) {
        CarryResponses<kAll, true>(joint, tree, own, i, end, parent, out);
        SubtreeToParent(joint, sum);
        root.Add(sum);
        sum = SubtreeMomenta<T>::Zero();
      } else {
        CarryResponses<kAll, false>(joint, tree, own, i, end, parent, out);
        SubtreeToParent(joint, sum);
      }
    });
    if constexpr (!kAll) sum.f = Wrench<T>::Zero();
    if (to_root || !onto.branches) continue;
    SubtreeMomenta<T>& of_parent = own.sum[onto.slot];
    if (body.last_child) {
      of_parent = sum;
    } else {
      Add(sum, of_parent);
    }
    sum = SubtreeMomenta<T>::Zero();
  }
}

/// C[n x n], row-major, of the Christoffel symbols: c = C q̇, and Ṁ − 2C is
/// skew. For a base at rest: the Coriolis forces are quadratic in q̇, and their
/// derivative with respect to it is 2 C. Entries of joints on different
/// branches are multiplied by 1/2.
template <class T, class N>
TORQUED_ONE_COPY void CoriolisMatrix(const CompiledTree<N>& tree,
                                     const Configuration<T>& state,
                                     const DerivativesScratch<T>& own, T* C) {
  DynamicsTerms<T> terms{};
  terms.gravity = Vec3<T>::Zero();
  RneaDerivatives<false>(tree, terms, state, own,
                         DerivativeMatrices<T>{nullptr, C});
  for (int k = 0; k < tree.n * tree.n; ++k) C[k] = C[k] * T(0.5);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
