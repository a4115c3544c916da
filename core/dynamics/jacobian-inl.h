#pragma once

#include "core/dynamics/jacobian.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/store-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void FrameJacobian(const Tree& tree, const BodyFrame& frame,
                   ReferenceFrame reference, const Scratch<T>& scratch, T* J) {
  const int n = tree.n;
  for (int k = 0; k < 6 * n; ++k) J[k] = T(0);
  const Transform<T> tip = FramePlacement(tree, frame, scratch);
  for (int j = frame.body; j != kBase; j = tree.bodies[j].parent) {
    // Space column Ad_{T_0j} A_j, then to the frame: Ad_{T_0,tip⁻¹}, or only
    // the reference point: (ω; v + ω × p).
    Twist<T> column =
        ToParent(scratch.X_world[j], JointTwist(tree.bodies[j], T(1)));
    if (reference == ReferenceFrame::kLocal) {
      column = ToChild(tip, column);
    } else if (reference == ReferenceFrame::kLocalWorldAligned) {
      column.v += Cross(column.w, tip.p);
    }
    StoreColumn(column, n, j, J);
  }
}

template <class T>
Wrench<T> WrenchInBody(const Tree& /*tree*/, const BodyFrame& frame,
                       ReferenceFrame reference, const T* wrench,
                       const Scratch<T>& scratch) {
  const Wrench<T> F = {{wrench[0], wrench[1], wrench[2]},
                       {wrench[3], wrench[4], wrench[5]}};
  const Transform<T> in_body = {Mat3<T>::Constant(frame.R),
                                Vec3<T>::Constant(frame.p)};
  const Transform<T>& body = scratch.X_world[frame.body];
  switch (reference) {
    case ReferenceFrame::kLocalWorldAligned: {
      const Wrench<T> turned = {TransposeTimes(body.R, F.m),
                                TransposeTimes(body.R, F.f)};
      return {turned.m + Cross(in_body.p, turned.f), turned.f};
    }
    case ReferenceFrame::kWorld:
      return ToChild(body, F);
    case ReferenceFrame::kLocal:
      break;
  }
  return ToParent(in_body, F);
}

template <class T>
void ClearWrenches(const Tree& tree, Scratch<T>& scratch) {
  for (int i = 0; i < tree.n; ++i) scratch.W[i] = Wrench<T>::Zero();
}

template <class T>
void AddWrench(const Tree& tree, const BodyFrame& frame,
               ReferenceFrame reference, const T* wrench, Scratch<T>& scratch) {
  if (frame.body == kBase) return;
  scratch.W[frame.body] +=
      WrenchInBody(tree, frame, reference, wrench, scratch);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
