// How the base moves.
#pragma once

#include "core/math/motion.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Motion of the base against an inertial frame, in base axes at the base
/// origin. Algorithms take a pointer; null means a base at rest, at no cost.
template <class T>
struct BaseMotion {
  Twist<T> V;  // twist V_0
  Twist<T> A;  // V̇_0, rates of the components of V_0; gravity is not in it
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
