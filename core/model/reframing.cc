#include "core/model/reframing.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace torqued {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix2d;
using Eigen::Matrix3d;
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

Matrix3d RotationX(const Vector2d& angle) {
  Matrix3d R = Matrix3d::Identity();
  R.bottomRightCorner<2, 2>() = PlaneRotation(angle);
  return R;
}

// (cos, sin) of an angle but for rounding; of quarter turns exactly.
Vector2d Snapped(const Vector2d& angle) {
  if (std::abs(angle.x()) <= kSnap) return {0, std::copysign(1.0, angle.y())};
  if (std::abs(angle.y()) <= kSnap) return {std::copysign(1.0, angle.x()), 0};
  return angle.normalized();
}

Turn TurnAboutX(const Vector2d& alpha) {
  if (alpha == Vector2d(1, 0)) return Turn::kNone;
  if (alpha == Vector2d(-1, 0)) return Turn::kHalf;
  if (alpha == Vector2d(0, 1)) return Turn::kQuarter;
  return Turn::kAboutX;
}

// The direction e_z × z of the common normal between e_z and the z axis of a
// frame in home pose K; none if they are parallel.
std::optional<Vector2d> CommonNormal(const Isometry3d& K) {
  const Vector3d z = K.linear().col(2);
  const double s = std::hypot(z.x(), z.y());
  if (!(s > kSnap)) return std::nullopt;
  return Vector2d(-z.y(), z.x()) / s;
}

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

  ReframedJoint Joint(int i) const {
    const Isometry3d T = InParent(i);
    ReframedJoint joint{.turn = Turn::kFull,
                        .R = T.linear(),
                        .alpha = Vector2d::Zero(),
                        .p = T.translation(),
                        .turn0 = x_[i],
                        .C = Isometry3d::Identity()};
    // With z perpendicular to the parent's x, R = Rx(α) Rz(θ), whose first row
    // is (cos θ, −sin θ, 0) and whose last column is (0, −sin α, cos α).
    const Matrix3d& R = T.linear();
    if (std::abs(R(0, 2)) <= kSnap) {
      const Vector2d alpha = Snapped({R(2, 2), -R(1, 2)});
      const Turn turn = TurnAboutX(alpha);
      if (!IsRoot(i) || turn != Turn::kAboutX) {
        joint.turn = turn;
        joint.alpha = alpha;
        joint.R = RotationX(alpha);
        joint.turn0 = PlaneRotation({R(0, 0), -R(0, 1)}) * x_[i];  // θ + ψ_i
      }
    }
    joint.turn0 = Snapped(joint.turn0);
    joint.C.linear() = axis_frames_[i] * RotationZ(x_[i]);
    joint.C.translation() = axis_frames_[i] * slides_[i];
    return joint;
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
      std::stable_sort(siblings.begin(), siblings.end(),
                       [&](int a, int b) { return size[a] > size[b]; });
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

  // At q = 0 and but for Rz(ψ_i): Rz(−ψ_λ) Trans(−Δ_λ) K_i Trans(Δ_i).
  Isometry3d InParent(int i) const {
    Matrix3d R = home_[i].linear();
    Vector3d p = origins_[i];
    if (!IsRoot(i)) {
      const Matrix3d to_x = RotationZ(x_[tree_.bodies[i].parent]).transpose();
      R = (to_x * R).eval();
      p = (to_x * p).eval();
    }
    for (double& number : p) {
      if (std::abs(number) <= kSnap * longest_) number = 0;
    }
    Isometry3d T = Isometry3d::Identity();
    T.linear() = R;
    T.translation() = p;
    return T;
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

}  // namespace

Isometry3d HomePlacement(const ReframedJoint& joint) {
  Isometry3d T = Isometry3d::Identity();
  T.linear() = joint.R * RotationZ(joint.turn0);
  T.translation() = joint.p;
  return T;
}

std::vector<ReframedJoint> Reframe(const Tree& tree) {
  const Reframing reframing(tree);
  std::vector<ReframedJoint> joints;
  joints.reserve(tree.n);
  for (int i = 0; i < tree.n; ++i) joints.push_back(reframing.Joint(i));
  return joints;
}

}  // namespace torqued
