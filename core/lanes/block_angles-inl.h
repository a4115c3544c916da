// Sines and cosines of a block's joint angles on the lowered tree.
#pragma once

#include "core/lanes/pack.h"
#include "core/lanes/sin_cos.h"
#include "core/model/lowered_tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// q + q0 of a revolute joint.
template <class N>
TORQUED_INLINE ReducedAngle<N> AngleOf(const LoweredBody<N>& body,
                                       const Pack<N>& q) {
  return body.q0_rest == 0 ? Reduce(q, body.quadrant)
                           : Reduce(q, body.quadrant, Pack<N>(body.q0_rest));
}

/// In some lanes, by the addition theorem, which leaves a large angle its
/// digits.
template <class N>
void LibrarySinCosOfSum(const LoweredBody<N>& body, const Pack<N>& q,
                        unsigned lanes, Pack<N>& s, Pack<N>& c) {
  using P = Pack<N>;
  P sine = P(N(0)), cosine = P(N(0));
  LibrarySinCos(q, lanes, &sine, &cosine);
  const P s0(body.sin_q0), c0(body.cos_q0);
  const P of_sum_s = sine * c0 + cosine * s0;
  const P of_sum_c = cosine * c0 - sine * s0;
  for (int l = 0; l < P::kLanes; ++l) {
    if ((lanes >> l & 1u) == 0) continue;
    s.v[l] = of_sum_s.v[l];
    c.v[l] = of_sum_c.v[l];
  }
}

template <class N>
__attribute__((noinline, cold)) void SinCosOfLargeAngles(
    const LoweredTreeOf<N>& tree, int n, const Pack<N>* q, Pack<N>* s,
    Pack<N>* c) {
  for (int i = 0; i < n; ++i) {
    const LoweredBody<N>& body = tree.bodies[i];
    if (body.motion != JointMotion::kRevolute) continue;
    AngleRange<N> range;
    range.Add(AngleOf(body, q[i]));
    LibrarySinCosOfSum(body, q[i], range.lanes(), s[i], c[i]);
  }
}

/// Sine and cosine of q + q0 of all revolute joints; those of prismatic joints
/// are left alone.
template <class N>
TORQUED_INLINE void SinCosOfAngles(const LoweredTreeOf<N>& tree, int n,
                                   const Pack<N>* q, Pack<N>* s, Pack<N>* c) {
  const LoweredBody<N>* const bodies = tree.bodies;
  AngleRange<N> range;
  for (int i = 0; i < n; ++i) {
    if (bodies[i].motion != JointMotion::kRevolute) continue;
    const ReducedAngle<N> angle = AngleOf(bodies[i], q[i]);
    range.Add(angle);
    SinCosOfReduced(angle, s[i], c[i]);
  }
  if (range.lanes() != 0) [[unlikely]] {
    SinCosOfLargeAngles(tree, n, q, s, c);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
