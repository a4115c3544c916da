#pragma once

#include "core/dynamics/applied_wrenches.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/rnea_derivatives-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// f(place, w) for each of them, with the 6 numbers as they act on the robot.
template <class T, class Function>
TORQUED_INLINE void ForEachWrench(const AppliedWrenches<T>& wrenches,
                                  const Function& f) {
  for (int k = 0; k < wrenches.on_environment.count; ++k) {
    T w[6];
    for (int i = 0; i < 6; ++i) {
      w[i] = -wrenches.on_environment.numbers[6 * k + i];
    }
    f(wrenches.on_environment.places[k], static_cast<const T*>(w));
  }
  for (int k = 0; k < wrenches.on_robot.count; ++k) {
    f(wrenches.on_robot.places[k], wrenches.on_robot.numbers + 6 * k);
  }
}

template <class T>
void ApplyWrenches(const Tree& tree, const AppliedWrenches<T>& wrenches,
                   Scratch<T>& scratch) {
  ClearWrenches(tree, scratch);
  ForEachWrench(wrenches,
                [&](const WrenchPlace& place, const T* w) TORQUED_INLINE_BODY {
                  AddWrench(tree, place.frame, place.reference, w, scratch);
                });
}

template <class T>
void AddHeldWrenchDerivatives(const Tree& tree,
                              const AppliedWrenches<T>& wrenches,
                              const Scratch<T>& scratch, T* dtau_dq) {
  ForEachWrench(
      wrenches, [&](const WrenchPlace& place, const T* w) TORQUED_INLINE_BODY {
        if (place.reference == ReferenceFrame::kLocal) return;
        FrameJacobian(tree, place.frame, place.reference, scratch, scratch.J);
        AddHeldWrenchDerivative(tree, place.frame.body, place.reference,
                                static_cast<const T*>(scratch.J), w, dtau_dq);
      });
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
