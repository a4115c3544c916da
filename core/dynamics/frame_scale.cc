#include "core/dynamics/frame_scale.h"

#include <cmath>

namespace torqued {
namespace {

double Length(const double* p) { return std::hypot(p[0], p[1], p[2]); }

bool Slides(const TreeBody& body) {
  return body.motion == JointMotion::kPrismatic;
}

}  // namespace

double ConstantReach(const Tree& tree, const BodyFrame& frame) {
  double reach = Length(frame.p);
  for (int i = frame.body; i != kBase; i = tree.bodies[i].parent) {
    reach += Length(tree.bodies[i].p);
  }
  return reach;
}

FrameScale ScaleOfFrame(const Tree& tree, const BodyFrame& frame,
                        const double* q, const double* J) {
  FrameScale scale;
  scale.reach = ConstantReach(tree, frame);
  for (int i = frame.body; i != kBase; i = tree.bodies[i].parent) {
    if (Slides(tree.bodies[i])) scale.reach += std::abs(q[i]);
  }
  // Where all is in one place, linear rows are zero but for prismatic joints.
  if (!(scale.reach > 0)) scale.reach = 1;
  const int n = tree.n;
  double sum = 0;
  int joints = 0;
  for (int i = frame.body; i != kBase; i = tree.bodies[i].parent) {
    const double factor = Slides(tree.bodies[i]) ? 1 : 1 / scale.reach;
    for (int row = 0; row < 6; ++row) {
      const double entry = J[row * n + i] * (row < 3 ? 1 : factor);
      sum += entry * entry;
    }
    ++joints;
  }
  scale.norm = std::sqrt(sum);
  scale.round_off = RoundOffOfJacobian(joints);
  return scale;
}

}  // namespace torqued
