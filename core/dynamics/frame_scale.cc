#include "core/dynamics/frame_scale.h"

#include <algorithm>
#include <cmath>

namespace torqued {
namespace {

double Length(const double* p) { return std::hypot(p[0], p[1], p[2]); }

bool Slides(const TreeBody& body) {
  return body.motion == JointMotion::kPrismatic;
}

/// The radius of gyration of a body about its joint's frame, m.
double Size(const TreeBody& body) {
  if (!(body.mass > 0)) return 0;
  const double moment = body.I[0] + body.I[3] + body.I[5];
  return std::sqrt(std::max(moment, 0.0) / (2 * body.mass));
}

/// The sizes of all bodies and the distances between their joints, in sum, m.
/// The distances from the base to the first joints do not count.
double SizeOfRobot(const Tree& tree) {
  double size = 0;
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    size += Size(body);
    if (body.parent != kBase) size += Length(body.p);
  }
  return size;
}

}  // namespace

FrameReach ReachOfFrame(const Tree& tree, const BodyFrame& frame,
                        ReferenceFrame reference) {
  double behind = Length(frame.p), first = 0;
  for (int i = frame.body; i != kBase; i = tree.bodies[i].parent) {
    const TreeBody& body = tree.bodies[i];
    (body.parent == kBase ? first : behind) += Length(body.p);
  }
  FrameReach reach{.laid_out = behind + first, .reach = behind + first};
  if (reference == ReferenceFrame::kWorld) return reach;
  const double size = SizeOfRobot(tree);
  if (size > 0 && first > size) reach.reach = behind + size;
  return reach;
}

FrameScale ScaleOfFrame(const Tree& tree, const BodyFrame& frame,
                        ReferenceFrame reference, const double* q,
                        const double* J) {
  FrameReach reach = ReachOfFrame(tree, frame, reference);
  for (int i = frame.body; i != kBase; i = tree.bodies[i].parent) {
    if (!Slides(tree.bodies[i])) continue;
    reach.laid_out += std::abs(q[i]);
    reach.reach += std::abs(q[i]);
  }
  FrameScale scale;
  scale.reach = reach.reach;
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
  scale.round_off = reach.excess() * RoundOffOfJacobian(joints);
  return scale;
}

}  // namespace torqued
