// Inverse dynamics on a compiled tree: recursive Newton-Euler (Featherstone
// 2008, section 5.3) with accelerations of points instead of spatial ones.
#pragma once

#include "core/dynamics/friction-inl.h"
#include "core/dynamics/joint-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The wrench that the body's own kept inertia needs, f = (B, a) Σ.
template <class Joint, class T>
TORQUED_INLINE Wrench<T> InertialWrench(const Joint& joint,
                                        const LinkMotion<T>& m) {
  const auto& body = joint.body;
  const Mat3<T>& B = m.B;
  const Vec3<T>& a = m.a;
  const T hx(body.h[0]), hy(body.h[1]);
  if (!joint.IsRevolute()) {
    const T hz(body.h[2]);
    return {{Fma(a.z, hy, -(a.y * hz)), Fma(a.x, hz, -(a.z * hx)),
             Fma(a.y, hx, -(a.x * hy))},
            Fma(a, T(body.mass), B.c0 * hx) + B.c1 * hy + B.c2 * hz};
  }
  const T xx(body.S[0]), xy(body.S[1]), xz(body.S[2]), yy(body.S[3]),
      yz(body.S[4]);
  // B.c<column>.<row>
  return {{Fma(a.z, hy, B.c0.z * xy) + B.c1.z * yy - B.c0.y * xz +
               (B.c2.z - B.c1.y) * yz,
           Fma(B.c0.x - B.c2.z, xz, B.c1.x * yz) - a.z * hx - B.c0.z * xx -
               B.c1.z * xy,
           Fma(a.y, hx, -(a.x * hy)) + B.c0.y * xx + (B.c1.y - B.c0.x) * xy +
               B.c2.y * xz - B.c1.x * yy - B.c2.x * yz},
          Fma(B.c0, hx, B.c1 * hy)};
}

/// Of a root on a base at rest, whose joint feels one component of it alone.
template <class T, class N>
TORQUED_INLINE Wrench<T> InertialWrenchOfRoot(const CompiledBody<N>& body,
                                              const T& acceleration,
                                              const LinkMotion<T>& m) {
  Wrench<T> F = Wrench<T>::Zero();
  if (body.motion == JointMotion::kRevolute) {
    F.m.z = acceleration * T(body.S[0] + body.S[3]) + m.a.y * T(body.h[0]) -
            m.a.x * T(body.h[1]);
  } else {
    F.f.z = m.a.z * T(body.mass);
  }
  return F;
}

/// tau[n]. Armature is part of M. Where `tip_body` is a body, its motion is
/// left in `tip_motion`.
template <class T, class N>
TORQUED_ONE_COPY void Rnea(const CompiledTree<N>& tree,
                           const DynamicsTerms<T>& terms,
                           const Configuration<T>& state,
                           const RecursionScratch<T>& scratch, T* tau,
                           int tip_body, LinkMotion<T>* tip_motion) {
  const CompiledBody<N>* const bodies = tree.bodies;
  const int n = tree.n;
  const T *v = state.v, *a = state.a;
  const Joints joints(tree, state);
  // The wrench that body i needs; on a base at rest, of roots one component.
  Wrench<T>* const own = scratch.F;
  if (n == 0) return;
  WithChain(tree, [&](auto chain) TORQUED_INLINE_BODY {
    LinkMotion<T> m;
    for (int i = 0; i < n; ++i) {
      const CompiledBody<N>& body = bodies[i];
      const long parent = chain ? i - 1 : body.parent;
      if (parent == kBase && terms.base == nullptr) {
        m = PropagateRoot(joints[i], terms.gravity, v[i], a[i]);
        own[i] = InertialWrenchOfRoot(body, a[i], m);
      } else {
        if (parent == kBase) {
          m = MotionOfBase(*terms.base, terms.gravity);
        } else if (parent != i - 1) {
          m = scratch.motion[bodies[parent].slot];
        }
        joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
          PropagateMotion(joint, v[i], a[i], m);
          own[i] = InertialWrench(joint, m);
        });
      }
      if (!chain && body.branches) scratch.motion[body.slot] = m;
      if (i == tip_body) *tip_motion = m;
    }
  });
  for (int k = 0; k < terms.wrench_count; ++k) {
    Wrench<T>& loaded = own[terms.wrenches[k].body];
    loaded = loaded - terms.wrenches[k].W;
  }
  WithChain(tree, [&](auto chain) TORQUED_INLINE_BODY {
    // The wrench through joint i, in {i'}.
    Wrench<T> F = own[n - 1];
    for (int i = n - 1; i >= 0; --i) {
      const CompiledBody<N>& body = bodies[i];
      const long parent = chain ? i - 1 : body.parent;
      tau[i] = OfJoint(body, F) + T(body.armature) * a[i];
      if (parent != kBase) {
        joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
          F = AddWrenchToParent(joint, F, own[parent]);
        });
        if (parent == i - 1) continue;
        own[parent] = F;
      }
      if (i > 0) F = own[i - 1];
    }
  });
  if (!terms.viscous_friction && !terms.coulomb_friction) return;
  for (int i = 0; i < n; ++i) {
    tau[i] += JointFriction(bodies[i], terms, v[i]);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
