#pragma once

#include "core/dynamics/jacobian_rate.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/store-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void FrameJacobianRate(const Tree& tree, const BodyFrame& frame,
                       ReferenceFrame reference, const T* v,
                       Scratch<T>& scratch, T* J_rate) {
  const int n = tree.n;
  for (int k = 0; k < 6 * n; ++k) J_rate[k] = T(0);
  if (frame.body == kBase) return;
  const Tree first = {frame.body + 1, tree.bodies};
  ComputeBodyTwists(first, v, scratch);

  const Transform<T> tip = FramePlacement(tree, frame, scratch);
  const Twist<T> V_tip =
      ToParent(scratch.X_world[frame.body], scratch.V[frame.body]);
  const Vec3<T> p_rate = V_tip.v + Cross(V_tip.w, tip.p);
  for (int j = frame.body; j != kBase; j = tree.bodies[j].parent) {
    // Space column s = Ad_{T_0j} A_j with the rate Ad_{T_0j} ad_{V_j} A_j.
    const Transform<T>& X = scratch.X_world[j];
    const Twist<T> A = JointTwist(tree.bodies[j], T(1));
    const Twist<T> s = ToParent(X, A);
    Twist<T> rate = ToParent(X, Bracket(scratch.V[j], A));
    if (reference == ReferenceFrame::kLocal) {
      // d/dt (Ad_{T_tip,0} s) = Ad_{T_tip,0} (ṡ − ad_{V_tip} s)
      rate = ToChild(tip, rate + Bracket(s, V_tip));
    } else if (reference == ReferenceFrame::kLocalWorldAligned) {
      // d/dt (v + ω × p)
      rate.v += Cross(rate.w, tip.p) + Cross(s.w, p_rate);
    }
    StoreColumn(rate, n, j, J_rate);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
