#include "core/model/lowering.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/model/reframing.h"
#include "core/model/regrouping.h"

namespace torqued {
namespace {

template <class Matrix, class Number>
void CopyRowMajor(const Matrix& from, Number* to) {
  for (int i = 0; i < from.rows(); ++i) {
    for (int j = 0; j < from.cols(); ++j) *to++ = from(i, j);
  }
}

// Quarter turns apart from the rest, which has no round-off of theirs.
void SetOffset(const ReframedJoint& joint, LoweredBody<double>& body) {
  body.cos_q0 = joint.turn0.x();
  body.sin_q0 = joint.turn0.y();
  double c = body.cos_q0, s = body.sin_q0;
  while (body.quadrant < 3 && (c < std::abs(s) || c <= 0)) {
    ++body.quadrant;
    std::swap(c, s);
    s = -s;  // back by π/2: (c, s) → (s, −c)
  }
  body.q0_rest = std::atan2(s, c);
}

JointStep StepOf(const LoweredBody<double>& body) {
  constexpr unsigned kX = 1, kZ = 4;
  if (body.motion != JointMotion::kRevolute) return JointStep::kOther;
  if (body.turn == Turn::kNone) {
    if (body.shift == 0) return JointStep::kParallel;
    if (body.shift == kX) return JointStep::kParallelX;
  } else if (body.turn == Turn::kQuarter) {
    if (body.shift == 0) return JointStep::kQuarter;
    if (body.shift == kX) return JointStep::kQuarterX;
    if (body.shift == kZ) return JointStep::kQuarterZ;
    if (body.shift == (kX | kZ)) return JointStep::kQuarterXZ;
  }
  return JointStep::kOther;
}

// All but what depends on other bodies.
LoweredBody<double> Body(const TreeBody& source, const ReframedJoint& joint,
                         const Eigen::Matrix4d& kept) {
  LoweredBody<double> body{};
  body.parent = source.parent;
  body.motion = source.motion;
  body.turn = joint.turn;
  for (int k = 0; k < 3; ++k) {
    if (joint.p[k] != 0) body.shift |= 1U << static_cast<unsigned>(k);
  }
  body.step = StepOf(body);
  body.slot = -1;
  CopyRowMajor(joint.R, body.R);
  body.cos_turn = joint.alpha.x();
  body.sin_turn = joint.alpha.y();
  CopyRowMajor(joint.p, body.p);
  SetOffset(joint, body);
  const double S[5] = {kept(0, 0), kept(0, 1), kept(0, 2), kept(1, 1),
                       kept(1, 2)};
  std::copy(std::begin(S), std::end(S), body.S);
  CopyRowMajor(kept.topRightCorner<3, 1>(), body.h);
  body.mass = kept(3, 3);
  body.composite_mass = body.mass;
  body.armature = source.armature;
  body.viscous_friction = source.viscous_friction;
  body.coulomb_friction = source.coulomb_friction;
  return body;
}

void SumMasses(std::vector<LoweredBody<double>>& bodies) {
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const LoweredBody<double>& body = bodies[i];
    if (body.parent == kBase) continue;
    bodies[body.parent].composite_mass += body.composite_mass;
  }
}

void FindSubtrees(std::vector<LoweredBody<double>>& bodies) {
  for (std::size_t i = bodies.size(); i-- > 0;) {
    LoweredBody<double>& body = bodies[i];
    body.subtree_end = std::max(body.subtree_end, static_cast<int>(i) + 1);
    if (body.parent == kBase) continue;
    int& end = bodies[body.parent].subtree_end;
    end = std::max(end, body.subtree_end);
  }
}

void MarkBranches(std::vector<LoweredBody<double>>& bodies) {
  std::vector<int> children(bodies.size(), 0);
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const int parent = bodies[i].parent;
    if (parent != kBase) bodies[i].last_child = children[parent]++ == 0;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    LoweredBody<double>& body = bodies[i];
    body.branches = children[i] > 1;
    if (body.parent != kBase) body.last_child &= bodies[body.parent].branches;
  }
}

// A branching body's slot is the number of branching bodies that carry it, so
// that no body in its own subtree has the same. Returns how many are needed.
int AssignSlots(std::vector<LoweredBody<double>>& bodies) {
  std::vector<int> next(bodies.size(), 0);  // the first free for the children
  int slots = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    LoweredBody<double>& body = bodies[i];
    if (body.parent != kBase) next[i] = next[body.parent];
    if (body.branches) body.slot = next[i]++;
    slots = std::max(slots, next[i]);
  }
  return slots;
}

bool IsChain(const std::vector<LoweredBody<double>>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].parent != static_cast<int>(i) - 1) return false;
  }
  return true;
}

template <std::size_t kCount>
void Round(const double (&from)[kCount], float (&to)[kCount]) {
  std::transform(std::begin(from), std::end(from), std::begin(to),
                 [](double x) { return static_cast<float>(x); });
}

LoweredBody<float> Rounded(const LoweredBody<double>& body) {
  LoweredBody<float> out{};
  out.parent = body.parent;
  out.motion = body.motion;
  out.turn = body.turn;
  out.step = body.step;
  out.shift = body.shift;
  out.branches = body.branches;
  out.slot = body.slot;
  out.last_child = body.last_child;
  out.subtree_end = body.subtree_end;
  Round(body.R, out.R);
  out.cos_turn = static_cast<float>(body.cos_turn);
  out.sin_turn = static_cast<float>(body.sin_turn);
  Round(body.p, out.p);
  out.quadrant = body.quadrant;
  out.q0_rest = static_cast<float>(body.q0_rest);
  out.cos_q0 = static_cast<float>(body.cos_q0);
  out.sin_q0 = static_cast<float>(body.sin_q0);
  Round(body.S, out.S);
  Round(body.h, out.h);
  out.mass = static_cast<float>(body.mass);
  out.composite_mass = static_cast<float>(body.composite_mass);
  out.armature = static_cast<float>(body.armature);
  out.viscous_friction = static_cast<float>(body.viscous_friction);
  out.coulomb_friction = static_cast<float>(body.coulomb_friction);
  return out;
}

}  // namespace

LoweredModel::LoweredModel(const Tree& tree) {
  const std::vector<ReframedJoint> joints = Reframe(tree);
  const std::vector<Eigen::Matrix4d> kept = Regroup(tree, joints);
  f64_.reserve(tree.n);
  frames_.reserve(tree.n);
  for (int i = 0; i < tree.n; ++i) {
    f64_.push_back(Body(tree.bodies[i], joints[i], kept[i]));
    BodyFrame& frame =
        frames_.emplace_back(BodyFrame{.body = i, .R = {}, .p = {}});
    CopyRowMajor(joints[i].C.linear(), frame.R);
    CopyRowMajor(joints[i].C.translation(), frame.p);
  }
  SumMasses(f64_);
  FindSubtrees(f64_);
  MarkBranches(f64_);
  slots_ = AssignSlots(f64_);
  is_chain_ = IsChain(f64_);
  f32_.reserve(f64_.size());
  std::transform(f64_.begin(), f64_.end(), std::back_inserter(f32_), Rounded);
}

LoweredTreeOf<double> LoweredModel::f64() const {
  return {static_cast<int>(f64_.size()), is_chain_, slots_, f64_.data(),
          frames_.data()};
}

LoweredTreeOf<float> LoweredModel::f32() const {
  return {static_cast<int>(f32_.size()), is_chain_, slots_, f32_.data(),
          frames_.data()};
}

}  // namespace torqued
