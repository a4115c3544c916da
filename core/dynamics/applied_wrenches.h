// The wrenches that act on a robot at frames of its links.
#pragma once

#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// `count` wrenches (moment; force), 6 numbers for each place in turn.
template <class T>
struct WrenchList {
  const WrenchPlace* places = nullptr;
  int count = 0;
  const T* numbers = nullptr;
};

template <class T>
struct AppliedWrenches {
  WrenchList<T> on_environment;  // that the robot exerts at these frames
  WrenchList<T> on_robot;

  TORQUED_INLINE bool any() const {
    return on_environment.count + on_robot.count > 0;
  }
};

/// scratch.W, what acts on each body, in {i}; those on the base are left out.
/// Needs X_world. See DynamicsTerms::external_wrenches.
template <class T>
void ApplyWrenches(const Tree& tree, const AppliedWrenches<T>& wrenches,
                   Scratch<T>& scratch);

/// AddHeldWrenchDerivative for all of them. Needs X and X_world; uses J.
template <class T>
void AddHeldWrenchDerivatives(const Tree& tree,
                              const AppliedWrenches<T>& wrenches,
                              const Scratch<T>& scratch, T* dtau_dq);

}  // namespace TORQUED_TARGET
}  // namespace torqued
