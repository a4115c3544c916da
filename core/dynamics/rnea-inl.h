// Inverse dynamics on a compiled tree: recursive Newton-Euler (Featherstone
// 2008, section 5.3) with accelerations of points instead of spatial ones.
#pragma once

#include "core/dynamics/body_inertia-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// tau[n]. Armature is part of M. If `tip_body` is a body, its motion is left
/// in `tip_motion`.
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
