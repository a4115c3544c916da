#include "core/model/lowering.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/model/reframing.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;

// Of the body in {i}: S = ½ tr(I) 1 − I.
Matrix4d PseudoInertia(const TreeBody& body) {
  const double* I = body.I;
  Matrix3d inertia;
  inertia << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  Matrix4d sigma;
  sigma.topLeftCorner<3, 3>() =
      0.5 * inertia.trace() * Matrix3d::Identity() - inertia;
  sigma.topRightCorner<3, 1>() = Eigen::Map<const Eigen::Vector3d>(body.h);
  sigma.bottomLeftCorner<1, 3>() = sigma.topRightCorner<3, 1>().transpose();
  sigma(3, 3) = body.mass;
  return sigma;
}

// Σ_a = T_ab Σ_b T_abᵀ.
Matrix4d ToParent(const Eigen::Isometry3d& ab, const Matrix4d& sigma) {
  return ab.matrix() * sigma * ab.matrix().transpose();
}

// The part Λ with [A_i] Λ = 0: of it T Λ Tᵀ does not depend on q_i. A rotation
// about z does not move matter on z; a translation leaves second moments about
// the body's own origin, without mass, as they are.
Matrix4d PartAtRestInParent(JointMotion motion, const Matrix4d& sigma) {
  Matrix4d part = Matrix4d::Zero();
  if (motion == JointMotion::kRevolute) {
    part.bottomRightCorner<2, 2>() = sigma.bottomRightCorner<2, 2>();
  } else {
    part.topLeftCorner<3, 3>() = sigma.topLeftCorner<3, 3>();
  }
  return part;
}

// Pseudo-inertias Σ = [[S, h], [hᵀ, m]] (S = ∫ρ x xᵀ).
struct Regrouped {
  // That the bodies keep, each in {i'}:
  //   revolute    S_xx, S_xy, S_xz, S_yy, S_yz, h_x, h_y; S_zz = h_z = m = 0
  //   prismatic   m and h; S = 0
  // They need not be those of any rigid body: Σ may be indefinite.
  std::vector<Matrix4d> kept;
  // What each hands to its parent, in {i'}, and, the last of n + 1, the sum of
  // what the roots hand to the base, in its axes.
  std::vector<Matrix4d> handed;
};

// Base inertial parameters: matter that a joint does not move relative to its
// parent is counted to the parent (Gautier and Khalil 1990). On a base at rest
// the kinetic energy is the same function of q and q̇ as before, and the
// potential energy the same function of q but for a constant.
Regrouped Regroup(const Tree& tree, const std::vector<ReframedJoint>& joints) {
  Regrouped out;
  out.kept.reserve(tree.n);
  for (int i = 0; i < tree.n; ++i) {
    out.kept.push_back(
        ToParent(joints[i].C.inverse(), PseudoInertia(tree.bodies[i])));
  }
  out.handed.assign(tree.n + 1, Matrix4d::Zero());
  for (int i = tree.n; i-- > 0;) {
    const TreeBody& body = tree.bodies[i];
    out.handed[i] = PartAtRestInParent(body.motion, out.kept[i]);
    out.kept[i] -= out.handed[i];
    Matrix4d& onto =
        body.parent == kBase ? out.handed[tree.n] : out.kept[body.parent];
    onto += ToParent(HomePlacement(joints[i]), out.handed[i]);
  }
  return out;
}

template <class Matrix, class Number>
void CopyRowMajor(const Matrix& from, Number* to) {
  for (int i = 0; i < from.rows(); ++i) {
    for (int j = 0; j < from.cols(); ++j) *to++ = from(i, j);
  }
}

// Splits q0 into quarter turns, which are exact, and a rest of at most 45
// degrees.
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
                         const Matrix4d& kept) {
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

HandedInertia Handed(const Matrix4d& sigma) {
  HandedInertia out{};
  out.mass = sigma(3, 3);
  CopyRowMajor(sigma.topRightCorner<3, 1>(), out.h);
  const Eigen::Matrix3d S = sigma.topLeftCorner<3, 3>();
  const Eigen::Matrix3d I = S.trace() * Eigen::Matrix3d::Identity() - S;
  const double numbers[6] = {I(0, 0), I(0, 1), I(0, 2),
                             I(1, 1), I(1, 2), I(2, 2)};
  std::copy(std::begin(numbers), std::end(numbers), out.I);
  return out;
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
  const Regrouped inertias = Regroup(tree, joints);
  f64_.reserve(tree.n);
  frames_.reserve(tree.n);
  for (int i = 0; i < tree.n; ++i) {
    f64_.push_back(Body(tree.bodies[i], joints[i], inertias.kept[i]));
    BodyFrame& frame =
        frames_.emplace_back(BodyFrame{.body = i, .R = {}, .p = {}});
    CopyRowMajor(joints[i].C.linear(), frame.R);
    CopyRowMajor(joints[i].C.translation(), frame.p);
  }
  handed_.reserve(inertias.handed.size());
  std::transform(inertias.handed.begin(), inertias.handed.end(),
                 std::back_inserter(handed_), Handed);
  Connect();
  f32_.reserve(f64_.size());
  std::transform(f64_.begin(), f64_.end(), std::back_inserter(f32_), Rounded);
}

void LoweredModel::Connect() {
  std::vector<int> children(f64_.size(), 0);
  for (int i = static_cast<int>(f64_.size()); i-- > 0;) {
    LoweredBody<double>& body = f64_[i];
    body.subtree_end = std::max(body.subtree_end, i + 1);
    if (body.parent == kBase) continue;
    LoweredBody<double>& parent = f64_[body.parent];
    parent.composite_mass += body.composite_mass;
    parent.subtree_end = std::max(parent.subtree_end, body.subtree_end);
    body.last_child = children[body.parent]++ == 0;
  }
  // A branching body's slot is the number of branching bodies that carry it, so
  // that no body in its own subtree has the same.
  std::vector<int> next_slot(f64_.size(), 0);  // for the children
  for (int i = 0; i < static_cast<int>(f64_.size()); ++i) {
    LoweredBody<double>& body = f64_[i];
    body.branches = children[i] > 1;
    if (body.parent != kBase) {
      body.last_child &= f64_[body.parent].branches;
      next_slot[i] = next_slot[body.parent];
    }
    if (body.branches) body.slot = next_slot[i]++;
    slots_ = std::max(slots_, next_slot[i]);
    is_chain_ = is_chain_ && body.parent == i - 1;
  }
}

LoweredTreeOf<double> LoweredModel::f64() const {
  return {static_cast<int>(f64_.size()),
          is_chain_,
          slots_,
          f64_.data(),
          frames_.data(),
          handed_.data()};
}

LoweredTreeOf<float> LoweredModel::f32() const {
  return {static_cast<int>(f32_.size()),
          is_chain_,
          slots_,
          f32_.data(),
          frames_.data(),
          handed_.data()};
}

}  // namespace torqued
