// The Christoffel symbols of a compiled tree's mass matrix. For a ≤ b ≤ m on
// one way to the base, in axes that do not move,
//   ∂m_ab/∂q_m = A_aᵀ D A_b,   D = −(Gᶜ_m ad_{A_m} + ad_{A_m}ᵀ Gᶜ_m),
//   ∂m_am/∂q_b = −A_aᵀ ad_{A_b}ᵀ F,   F = Gᶜ_m A_m,
//   ∂m_bm/∂q_a = 0: joint a moves both of them.
#pragma once

#include "core/dynamics/crba-inl.h"
#include "core/dynamics/links-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// c[n x n x n], c_ijk = ½ (∂m_ij/∂q_k + ∂m_ik/∂q_j − ∂m_jk/∂q_i) at
/// (i n + j) n + k, symmetric in j and k, from the poses X and the composites
/// `sum`, which are replaced by their rates. Zero unless the three joints are
/// on one way to the base. Uses F[n] and screws[n].
template <class T, class N>
TORQUED_ONE_COPY void Christoffel(const CompiledTree<N>& tree,
                                  const Configuration<T>& state,
                                  const PoseRows<T>* X,
                                  CompositeMoments<T>* sum, Wrench<T>* F,
                                  Twist<T>* screws, T* c) {
  const CompiledBody<N>* const bodies = tree.bodies;
  const Joints joints(tree, state);
  const long n = tree.n;
  for (long k = 0; k < n * n * n; ++k) c[k] = T(0);
  const auto at = [n, c](long i, long j, long k) TORQUED_INLINE_BODY -> T& {
    return c[(i * n + j) * n + k];
  };
  // In place: D[m], the rate of what m carries, and F[m] = Gᶜ_m S_m.
  CompositeMoments<T>* const D = sum;
  for (long m = 0; m < n; ++m) {
    F[m] = UnitWrench(bodies[m], sum[m], T(bodies[m].composite_mass));
    D[m] = RateAlongJoint(bodies[m], sum[m]);
  }
  for (long b = n - 1; b >= 0; --b) {
    const CompiledBody<N>& body = bodies[b];
    // All in {b'}.
    for (long child = b + 1; child < body.subtree_end;
         child = bodies[child].subtree_end) {
      joints.With(child, [&](const auto& joint) TORQUED_INLINE_BODY {
        for (long m = child; m < bodies[child].subtree_end; ++m) {
          MomentsToParent(joint, T(0), D[m]);
          F[m] = WrenchToParent(joint, F[m]);
        }
      });
    }
    screws[b] = Twist<T>::Zero();
    AddAlongJoint(joints[b], T(1), screws[b]);
    for (long a = body.parent; a != kBase; a = bodies[a].parent) {
      screws[a] = X[b].ToChild(ScrewInBase(bodies[a], X[a]));
    }
    for (long m = b; m < body.subtree_end; ++m) {
      // For a ≤ b ≤ m on one way to the base: S_aᵀ D_m S_b is ∂m_ab/∂q_m,
      // −S_aᵀ ad_{S_b}ᵀ F_m is ∂m_am/∂q_b.
      const Wrench<T> of_b = TurnedWithJoint(body, F[m]);
      Wrench<T> mean = of_b, half_difference = Wrench<T>::Zero();
      if (b != m) {  // else they are the same
        const Wrench<T> of_m = UnitWrench(body, D[m], T(0));
        mean = (of_m + of_b) * T(0.5);
        half_difference = (of_m - of_b) * T(0.5);
      }
      for (long a = b; a != kBase; a = bodies[a].parent) {
        const T s = Dot(mean, screws[a]), d = Dot(half_difference, screws[a]);
        at(m, a, b) = -d, at(m, b, a) = -d;
        at(b, a, m) = d, at(b, m, a) = d;
        at(a, b, m) = s, at(a, m, b) = s;
      }
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
