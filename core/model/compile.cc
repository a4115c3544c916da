#include "core/model/compile.h"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace torqued {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector2d;
using Eigen::Vector3d;

using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// Sines, cosines and lengths (in units of the longest offset) up to this are
// rounding of zero.
constexpr double kSnap = 1e-14;

// An origin that is moved by t along the joint's axis costs accuracy of about
// (t/ℓ)² ε, ℓ being the longest offset. Where the common normal of two axes is
// far away, or the axes are so nearly parallel that it is badly determined, it
// is left alone.
constexpr double kMaxSlide = 10;   // in units of ℓ
constexpr double kMinSine = 1e-3;  // of the angle between the axes

// A rotation with z = axis; a signed permutation if that is a coordinate axis.
Matrix3d AxisFrame(const Vector3d& axis) {
  int least = 0;
  axis.cwiseAbs().minCoeff(&least);
  Matrix3d Z;
  Z.col(0) = (Vector3d::Unit(least) - axis[least] * axis).normalized();
  Z.col(1) = axis.cross(Z.col(0));
  Z.col(2) = axis;
  return Z;
}

// Rz by the angle whose (cos, sin) is given, in the xy plane.
Matrix2d PlaneRotation(const Vector2d& angle) {
  Matrix2d R;
  R << angle.x(), -angle.y(), angle.y(), angle.x();
  return R;
}

Matrix3d RotationZ(const Vector2d& angle) {
  Matrix3d R = Matrix3d::Identity();
  R.topLeftCorner<2, 2>() = PlaneRotation(angle);
  return R;
}

// (cos, sin) of an angle but for rounding; of quarter turns exactly.
Vector2d Snapped(const Vector2d& angle) {
  if (std::abs(angle.x()) <= kSnap) return {0, std::copysign(1.0, angle.y())};
  if (std::abs(angle.y()) <= kSnap) return {std::copysign(1.0, angle.x()), 0};
  return angle.normalized();
}

FixedRotation RotateX(const Vector2d& alpha) {
  if (alpha == Vector2d(1, 0)) return FixedRotation::kNone;
  if (alpha == Vector2d(-1, 0)) return FixedRotation::kHalf;
  if (alpha == Vector2d(0, 1)) return FixedRotation::kQuarter;
  return FixedRotation::kAboutX;
}

// The direction e_z × z of the common normal between e_z and the z axis of a
// frame in home pose K; none if they are parallel.
std::optional<Vector2d> CommonNormal(const Isometry3d& K) {
  const Vector3d z = K.linear().col(2);
  const double s = std::hypot(z.x(), z.y());
  if (!(s > kSnap)) return std::nullopt;
  return Vector2d(-z.y(), z.x()) / s;
}

// Splits q0 into quarter turns, which are exact, and a rest of at most 45
// degrees.
void SetOffset(const Vector2d& turn0, CompiledBody<double>& body) {
  body.cos_q0 = turn0.x();
  body.sin_q0 = turn0.y();
  double c = turn0.x(), s = turn0.y();
  while (body.quadrant < 3 && (c < std::abs(s) || c <= 0)) {
    ++body.quadrant;
    std::swap(c, s);
    s = -s;  // back by π/2: (c, s) → (s, −c)
  }
  body.q0_rest = std::atan2(s, c);
}

TransformKind TransformKindOf(const CompiledBody<double>& body) {
  using enum TransformKind;
  // By shift.
  constexpr TransformKind kOfNone[8] = {kParallel, kParallelX};
  constexpr TransformKind kOfQuarter[8] = {kQuarter, kQuarterX, kOther,
                                           kOther,   kQuarterZ, kQuarterXZ};
  if (body.motion != JointMotion::kRevolute) return kOther;
  if (body.rotation == FixedRotation::kNone) return kOfNone[body.shift];
  if (body.rotation == FixedRotation::kQuarter) return kOfQuarter[body.shift];
  return kOther;
}

// Link frames that make the joints' constant transforms simple, after Denavit
// and Hartenberg (1955). Frame {i'} has the joint's axis as its z and the
// common normal with the axis of the largest child as its x; its origin is the
// foot of the common normal with the parent's axis. The base frame stays as it
// is.
//
// T_{λ',i'} equals C_λ⁻¹ T_{λ,i} C_i but for turns of 1e-14 rad and lengths of
// 1e-14 of the longest offset, which count as rounding of zero.
class Reframing {
 public:
  explicit Reframing(const Tree& tree)
      : tree_(tree),
        axis_frames_(tree.n),
        home_(tree.n),
        children_(tree.n),
        x_(tree.n, Vector2d::UnitX()),
        slides_(tree.n, Vector3d::Zero()),
        origins_(tree.n, Vector3d::Zero()) {
    PlaceAxisFrames();
    ListChildren();
    for (int i = 0; i < tree_.n; ++i) {
      ChooseX(i);
      if (IsRoot(i)) origins_[i] = home_[i] * slides_[i];
      for (const int child : children_[i]) PlaceOrigin(child);
    }
  }

  // But for inertia and what depends on other bodies.
  CompiledBody<double> Body(int i) const {
    const TreeBody& source = tree_.bodies[i];
    CompiledBody<double> body{};
    body.parent = source.parent;
    body.motion = source.motion;
    body.slot = -1;
    body.armature = source.armature;
    body.viscous_friction = source.viscous_friction;
    body.coulomb_friction = source.coulomb_friction;
    // At q = 0 and but for Rz(ψ_i): Rz(−ψ_λ) Trans(−Δ_λ) K_i Trans(Δ_i).
    Matrix3d R = home_[i].linear();
    Vector3d p = origins_[i];
    if (!IsRoot(i)) {
      const Matrix3d to_x = RotationZ(x_[source.parent]).transpose();
      R = (to_x * R).eval();
      p = (to_x * p).eval();
    }
    for (int k = 0; k < 3; ++k) {
      if (std::abs(p[k]) <= kSnap * longest_) continue;
      body.p[k] = p[k];
      body.shift |= 1U << static_cast<unsigned>(k);
    }
    body.rotation = FixedRotation::kFull;
    Vector2d turn0 = x_[i];
    // With z perpendicular to the parent's x, R = Rx(α) Rz(θ), whose first row
    // is (cos θ, −sin θ, 0) and whose last column is (0, −sin α, cos α).
    if (std::abs(R(0, 2)) <= kSnap) {
      const Vector2d alpha = Snapped({R(2, 2), -R(1, 2)});
      const FixedRotation rotation = RotateX(alpha);
      if (!IsRoot(i) || rotation != FixedRotation::kAboutX) {
        body.rotation = rotation;
        body.cos_alpha = alpha.x();
        body.sin_alpha = alpha.y();
        turn0 = PlaneRotation({R(0, 0), -R(0, 1)}) * turn0;  // θ + ψ_i
        R.setIdentity();
        R.bottomRightCorner<2, 2>() = PlaneRotation(alpha);
      }
    }
    Eigen::Map<RowMajor3d>(body.R) = R;
    SetOffset(Snapped(turn0), body);
    body.kind = TransformKindOf(body);
    return body;
  }

  // C_i = T_{i,i'}.
  Isometry3d Frame(int i) const {
    Isometry3d C = Isometry3d::Identity();
    C.linear() = axis_frames_[i] * RotationZ(x_[i]);
    C.translation() = axis_frames_[i] * slides_[i];
    return C;
  }

 private:
  bool IsRoot(int i) const { return tree_.bodies[i].parent == kBase; }
  bool IsPrismatic(int i) const {
    return tree_.bodies[i].motion == JointMotion::kPrismatic;
  }

  void PlaceAxisFrames() {
    for (int i = 0; i < tree_.n; ++i) {
      const TreeBody& body = tree_.bodies[i];
      axis_frames_[i] = AxisFrame(Eigen::Map<const Vector3d>(body.axis));
      Matrix3d to_parent = Matrix3d::Identity();
      if (!IsRoot(i)) to_parent = axis_frames_[body.parent].transpose();
      home_[i].linear() =
          to_parent * Eigen::Map<const RowMajor3d>(body.R) * axis_frames_[i];
      home_[i].translation() = to_parent * Eigen::Map<const Vector3d>(body.p);
      home_[i].makeAffine();
      // The place of a root says nothing about distances between joints.
      if (IsRoot(i)) continue;
      longest_ = std::max(longest_, home_[i].translation().norm());
    }
  }

  // The largest subtrees first, which thereby get the simplest transforms.
  void ListChildren() {
    std::vector<int> size(tree_.n, 1);
    for (int i = tree_.n; i-- > 0;) {
      if (!IsRoot(i)) size[tree_.bodies[i].parent] += size[i];
    }
    for (int i = 0; i < tree_.n; ++i) {
      if (!IsRoot(i)) children_[tree_.bodies[i].parent].push_back(i);
    }
    for (std::vector<int>& siblings : children_) {
      std::sort(siblings.begin(), siblings.end(), [&](int a, int b) {
        return std::pair(-size[a], a) < std::pair(-size[b], b);
      });
    }
  }

  // Origin of the child's axis frame in the parent's, after the parent's slide.
  Vector3d OriginInParent(int child) const {
    return home_[child].translation() - slides_[tree_.bodies[child].parent];
  }

  // Towards the child's axis along the common normal: at right angles to both
  // axes, or, between parallel axes, from one to the other.
  std::optional<Vector2d> DirectionTo(int child) const {
    if (const auto normal = CommonNormal(home_[child])) return normal;
    if (IsPrismatic(child)) return std::nullopt;
    const Vector2d o = OriginInParent(child).head<2>();
    const double distance = o.norm();
    if (!(distance > kSnap * longest_)) return std::nullopt;
    return o / distance;
  }

  // From the origin of a revolute child's axis frame to the foot of its common
  // normal with the parent's axis: t = oᵀy/s with y = e_z × x and yᵀz = −s.
  std::optional<double> SlideToFoot(int child) const {
    const Vector3d z = home_[child].linear().col(2);
    const double s = std::hypot(z.x(), z.y());
    if (!(s >= kMinSine)) return std::nullopt;
    const Vector2d y = Vector2d(-z.x(), -z.y()) / s;
    return IfShort(OriginInParent(child).head<2>().dot(y) / s);
  }

  // To the height of the parent's origin, for axes that are nearly parallel.
  std::optional<double> SlideToHeight(int child) const {
    const double cosine = home_[child].linear()(2, 2);
    if (!(std::abs(cosine) > 0.5)) return std::nullopt;
    return IfShort(-OriginInParent(child).z() / cosine);
  }

  std::optional<double> IfShort(double slide) const {
    if (!(std::abs(slide) <= kMaxSlide * longest_)) return std::nullopt;
    return slide;
  }

  // ψ_i of a body from its children. A revolute root's origin is tied to no
  // foot: it goes to the one on its own axis.
  void ChooseX(int i) {
    for (const int child : children_[i]) {
      const auto direction = DirectionTo(child);
      if (!direction) continue;
      x_[i] = *direction;
      if (!IsRoot(i) || IsPrismatic(i) || IsPrismatic(child)) return;
      if (const auto t = SlideToFoot(child)) {
        const double height = (home_[child] * (Vector3d::UnitZ() * *t)).z();
        if (const auto own = IfShort(height)) slides_[i].z() = *own;
      }
      return;
    }
  }

  void PlaceOrigin(int i) {
    const Vector3d o = OriginInParent(i);
    const Matrix3d& R = home_[i].linear();
    Vector3d& origin = origins_[i];
    if (IsPrismatic(i)) {
      // A sliding axis may lie anywhere: it passes through the parent's origin.
      slides_[i] = -(R.transpose() * o);
      return;
    }
    if (const auto t = SlideToFoot(i)) {
      const Vector2d x = *CommonNormal(home_[i]);
      origin.head<2>() = o.head<2>().dot(x) * x;
      origin.z() = o.z() + *t * R(2, 2);
      slides_[i].z() = *t;
    } else if (const auto h = SlideToHeight(i)) {
      origin.head<2>() = o.head<2>() + *h * R.col(2).head<2>();
      slides_[i].z() = *h;
    } else {
      origin = o;
    }
  }

  const Tree& tree_;
  // Z_i: at the origin of {i}, z along the joint's axis.
  std::vector<Matrix3d> axis_frames_;
  std::vector<Isometry3d> home_;  // K_i = T_{Z_λ,Z_i} at q = 0
  double longest_ = 0;            // ℓ = max |K_i.p|
  std::vector<std::vector<int>> children_;
  // {i'} is Z_i after Trans(slide) Rz(ψ).
  std::vector<Vector2d> x_;        // (cos ψ_i, sin ψ_i)
  std::vector<Vector3d> slides_;   // Δ_i, in Z_i
  std::vector<Vector3d> origins_;  // of {i'}, in Z_λ after Trans(Δ_λ)
};

// T_{λ',i'}(0).
Isometry3d HomePlacement(const CompiledBody<double>& body) {
  Isometry3d T = Isometry3d::Identity();
  T.linear() = Eigen::Map<const RowMajor3d>(body.R) *
               RotationZ({body.cos_q0, body.sin_q0});
  T.translation() = Eigen::Map<const Vector3d>(body.p);
  return T;
}

// Σ = [[S, h], [hᵀ, m]] with S = ∫ρ x xᵀ = ½ tr(I) 1 − I, in {i}.
Matrix4d PseudoInertia(const TreeBody& body) {
  const double* I = body.I;
  Matrix3d inertia;
  inertia << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  Matrix4d sigma;
  sigma.topLeftCorner<3, 3>() =
      0.5 * inertia.trace() * Matrix3d::Identity() - inertia;
  sigma.topRightCorner<3, 1>() = Eigen::Map<const Vector3d>(body.h);
  sigma.bottomLeftCorner<1, 3>() = sigma.topRightCorner<3, 1>().transpose();
  sigma(3, 3) = body.mass;
  return sigma;
}

// Σ_a = T_ab Σ_b T_abᵀ.
Matrix4d ToParent(const Isometry3d& ab, const Matrix4d& sigma) {
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

void SetInertia(const Matrix4d& kept, CompiledBody<double>& body) {
  Eigen::Map<Eigen::Matrix<double, 5, 1>>(body.S) << kept(0, 0), kept(0, 1),
      kept(0, 2), kept(1, 1), kept(1, 2);
  Eigen::Map<Vector3d>(body.h) = kept.topRightCorner<3, 1>();
  body.mass = kept(3, 3);
  body.composite_mass = body.mass;
}

HandedInertia Handed(const Matrix4d& sigma) {
  HandedInertia out{};
  out.mass = sigma(3, 3);
  Eigen::Map<Vector3d>(out.h) = sigma.topRightCorner<3, 1>();
  const Matrix3d S = sigma.topLeftCorner<3, 3>();
  const Matrix3d I = S.trace() * Matrix3d::Identity() - S;
  Eigen::Map<Eigen::Matrix<double, 6, 1>>(out.I) << I(0, 0), I(0, 1), I(0, 2),
      I(1, 1), I(1, 2), I(2, 2);
  return out;
}

CompiledBody<float> Rounded(const CompiledBody<double>& body) {
  constexpr std::size_t kCount = sizeof(CompiledNumbers<float>) / sizeof(float);
  const CompiledNumbers<double>& numbers = body;
  const auto from = std::bit_cast<std::array<double, kCount>>(numbers);
  std::array<float, kCount> to{};
  std::ranges::transform(from, to.begin(),
                         [](double x) { return static_cast<float>(x); });
  const CompiledShape& shape = body;
  return {shape, std::bit_cast<CompiledNumbers<float>>(to)};
}

}  // namespace

CompiledModel::CompiledModel(const Tree& tree) {
  const Reframing reframing(tree);
  // Pseudo-inertias that the bodies keep, which need not be those of any rigid
  // body, and what each hands to its parent, the last to the base, in its axes.
  // Matter that a joint does not move relative to its parent is counted to the
  // parent: base inertial parameters (Gautier and Khalil 1990).
  std::vector<Matrix4d> kept, handed(tree.n + 1, Matrix4d::Zero());
  for (int i = 0; i < tree.n; ++i) {
    f64_.push_back(reframing.Body(i));
    const Isometry3d C = reframing.Frame(i);
    kept.push_back(ToParent(C.inverse(), PseudoInertia(tree.bodies[i])));
    BodyFrame& frame =
        frames_.emplace_back(BodyFrame{.body = i, .R = {}, .p = {}});
    Eigen::Map<RowMajor3d>(frame.R) = C.linear();
    Eigen::Map<Vector3d>(frame.p) = C.translation();
  }
  for (int i = tree.n; i-- > 0;) {
    const TreeBody& body = tree.bodies[i];
    handed[i] = PartAtRestInParent(body.motion, kept[i]);
    kept[i] -= handed[i];
    Matrix4d& onto = body.parent == kBase ? handed[tree.n] : kept[body.parent];
    onto += ToParent(HomePlacement(f64_[i]), handed[i]);
  }
  for (int i = 0; i < tree.n; ++i) SetInertia(kept[i], f64_[i]);
  Connect();
  std::ranges::transform(handed, std::back_inserter(handed_), Handed);
  std::ranges::transform(f64_, std::back_inserter(f32_), Rounded);
}

void CompiledModel::Connect() {
  std::vector<int> children(f64_.size(), 0);
  for (int i = static_cast<int>(f64_.size()); i-- > 0;) {
    CompiledBody<double>& body = f64_[i];
    body.subtree_end = std::max(body.subtree_end, i + 1);
    if (body.parent == kBase) continue;
    CompiledBody<double>& parent = f64_[body.parent];
    parent.composite_mass += body.composite_mass;
    parent.subtree_end = std::max(parent.subtree_end, body.subtree_end);
    body.last_child = children[body.parent]++ == 0;
  }
  // A branching body's slot is the number of branching bodies that carry it, so
  // that no body in its own subtree has the same.
  std::vector<int> next_slot(f64_.size(), 0);  // for the children
  for (int i = 0; i < static_cast<int>(f64_.size()); ++i) {
    CompiledBody<double>& body = f64_[i];
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

}  // namespace torqued
