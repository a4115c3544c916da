#include "core/dynamics/pivot_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/tree/joint-inl.h"

namespace torqued {
namespace {

/// Frames that stand within the reach of what they carry change nothing.
constexpr double kFrameShare = 1.0 / 16;

double Norm(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

/// ∫ρ |x − o|² of a body, for o in its frame. About the centre of mass first:
/// what the frame's distance adds is taken away where it is exact.
double SecondMoment(const TreeBody& body, const Vec3<double>& o) {
  const double about_frame = (body.I[0] + body.I[3] + body.I[5]) / 2;
  if (!(body.mass > 0)) return std::abs(about_frame);
  const Vec3<double> c = Vec3<double>::Constant(body.h) * (1 / body.mass);
  const Vec3<double> to_o = c - o;
  return std::max(about_frame - body.mass * Dot(c, c), 0.0) +
         body.mass * Dot(to_o, to_o);
}

}  // namespace

InertiaScales::InertiaScales(const Tree& tree) {
  const auto n = static_cast<std::size_t>(tree.n);
  joints_.resize(n);
  const std::vector<double> home(n, 0.0);
  std::vector<Transform<double>> in_base(n);
  ComputePlacements(tree, home.data(), in_base.data());
  for (int i = 0; i < tree.n; ++i) {
    const int parent = tree.bodies[i].parent;
    if (parent != kBase) in_base[i] = in_base[parent] * in_base[i];
  }

  // Masses and their first moments in base axes, then the points o_i.
  std::vector<Vec3<double>> points(n, Vec3<double>::Zero());
  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    const Transform<double>& X = in_base[i];
    joints_[i].mass += body.mass;
    points[i] += X.R * Vec3<double>::Constant(body.h) + X.p * body.mass;
    if (body.parent == kBase) continue;
    joints_[body.parent].mass += joints_[i].mass;
    points[body.parent] += points[i];
  }
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const Transform<double>& X = in_base[i];
    Reach& joint = joints_[i];
    const Vec3<double> center =
        joint.mass > 0 ? points[i] * (1 / joint.mass) : X.p;
    joint.slides = body.motion == JointMotion::kPrismatic;
    points[i] = center;
    if (!joint.slides) {
      const Vec3<double> axis = X.R * Vec3<double>::Constant(body.axis);
      points[i] = X.p + axis * Dot(axis, center - X.p);
    }
    joint.root_mass = std::sqrt(std::max(joint.mass, 0.0));
    joint.axis.square =
        SecondMoment(body, TransposeTimes(X.R, points[i] - X.p));
    joint.frame.square = SecondMoment(body, Vec3<double>::Zero());
    if (body.parent == kBase) continue;
    joint.axis.distance = Norm(points[i] - points[body.parent]);
    joint.frame.distance = Norm(X.p - in_base[body.parent].p);
  }
  FindBounds(tree);
}

void InertiaScales::FindBounds(const Tree& tree) {
  const auto n = static_cast<std::size_t>(tree.n);
  const std::vector<double> home(n, 0.0);
  std::vector<double> scales(n), work(n), growth(n);
  bounds_.resize(n);
  At(tree, home.data(), scales.data(), work.data());
  // √s_i grows by at most `growth` for each metre that joints behind slide.
  for (int i = tree.n - 1; i >= 0; --i) {
    const int parent = tree.bodies[i].parent;
    const bool slides = joints_[i].slides;
    const double g = std::sqrt(growth[i]);
    bounds_[i] = {std::sqrt(scales[i]), slides ? 0 : g, slides};
    if (parent == kBase) continue;
    const double grows = g + (slides ? joints_[i].root_mass : 0);
    growth[parent] += grows * grows;
  }
}

template <auto kPoints>
void InertiaScales::Add(const Tree& tree, const double* q,
                        double* squares) const {
  for (int i = 0; i < tree.n; ++i) squares[i] = (joints_[i].*kPoints).square;
  for (int i = tree.n - 1; i >= 0; --i) {
    const int parent = tree.bodies[i].parent;
    if (parent == kBase) continue;
    const Reach& joint = joints_[i];
    const double slid = joint.slides ? std::abs(q[i]) : 0;
    const double r = std::sqrt(squares[i]) +
                     joint.root_mass * ((joint.*kPoints).distance + slid);
    squares[parent] += r * r;
  }
}

void InertiaScales::At(const Tree& tree, const double* q, double* scales,
                       double* work) const {
  Add<&Reach::axis>(tree, q, scales);
  Add<&Reach::frame>(tree, q, work);
  for (int i = 0; i < tree.n; ++i) {
    const double carried = joints_[i].slides
                               ? joints_[i].mass
                               : std::max(scales[i], kFrameShare * work[i]);
    scales[i] = carried + tree.bodies[i].armature;
  }
}

double PivotTolerance(int n) {
  return kLostPivot * n * std::numeric_limits<double>::epsilon();
}

void PivotScratch::Reserve(int bodies) {
  const auto n = static_cast<std::size_t>(bodies);
  const auto grow = [n](auto& numbers) {
    if (numbers.size() < n) numbers.resize(n);
  };
  grow(X), grow(articulated), grow(spread);
  grow(scales), grow(pivots), grow(shares), grow(weakest);
}

PivotCheck CheckPivots(const Tree& tree, const InertiaScales& scales,
                       const double* q, PivotScratch& own) {
  own.Reserve(tree.n);
  ComputePlacements(tree, q, own.X.data());
  scales.At(tree, q, own.scales.data(), own.shares.data());
  const double lost = PivotTolerance(tree.n);
  PivotCheck verdict;
  for (int i = 0; i < tree.n; ++i) {
    own.articulated[i] =
        ArticulatedInertia<double>::From(BodyInertia(tree.bodies[i]));
    own.spread[i] = {};
    own.weakest[i] = -1;
  }
  // Of two joints, or the other if one is none; a NaN is the weakest.
  const auto weaker = [&own](int i, int k) {
    return k < 0 || !(own.shares[k] < own.shares[i]) ? i : k;
  };
  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    const Twist<double> A = JointTwist(body, 1.0);
    const Wrench<double> U = own.articulated[i] * A;
    const double d = JointProjection(body, U) + body.armature;
    const Wrench<double> e = own.spread[i] * A;
    const double sigma =
        own.scales[i] + std::max(JointProjection(body, e), 0.0);
    own.pivots[i] = d;
    own.shares[i] = d / own.scales[i];
    const int weakest = weaker(i, own.weakest[i]);
    if (!(d > lost * sigma)) {
      verdict.joint = weakest;
      verdict.pivot = own.pivots[weakest];
      return verdict;
    }
    verdict.trace += sigma / d;
    if (body.parent == kBase) continue;
    own.weakest[body.parent] = weaker(weakest, own.weakest[body.parent]);
    const double inverse = 1 / d;
    const ArticulatedInertia<double> Ga =
        Downdate(own.articulated[i], U, inverse);
    own.articulated[body.parent] += ToParent(own.X[i], Ga);
    // E − w eᵀ − e wᵀ + σ w wᵀ, as E − e eᵀ/σ + σ z zᵀ with z = w − e/σ.
    const double per_sigma = 1 / sigma;
    const Wrench<double> z = U * inverse - e * per_sigma;
    const ArticulatedInertia<double> E =
        Downdate(Downdate(own.spread[i], e, per_sigma), z, -sigma);
    own.spread[body.parent] += ToParent(own.X[i], E);
  }
  return verdict;
}

}  // namespace torqued
