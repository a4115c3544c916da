#include "core/dynamics/inertia_scale.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/math/motion.h"
#include "core/tree/kinematics-inl.h"

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
  bounds_.resize(n);
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
    JointReach& joint = joints_[i];
    const Vec3<double> center =
        joint.mass > 0 ? points[i] * (1 / joint.mass) : X.p;
    if (body.motion == JointMotion::kRevolute) {
      const Vec3<double> axis = X.R * Vec3<double>::Constant(body.axis);
      points[i] = X.p + axis * Dot(axis, center - X.p);
    } else {
      points[i] = center;
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
  At(tree, home.data(), scales.data(), work.data());
  // √s_i grows by at most `growth` for each metre that joints behind slide.
  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    const JointReach& joint = joints_[i];
    const bool slides = body.motion == JointMotion::kPrismatic;
    const double g = std::sqrt(growth[i]);
    bounds_[i] = {std::sqrt(scales[i]), slides ? 0 : g};
    if (body.parent == kBase) continue;
    const double grows = g + (slides ? joint.root_mass : 0);
    growth[body.parent] += grows * grows;
  }
}

template <Stretch JointReach::* kPoints>
void InertiaScales::Add(const Tree& tree, const double* q,
                        double* squares) const {
  for (int i = 0; i < tree.n; ++i) squares[i] = (joints_[i].*kPoints).square;
  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    if (body.parent == kBase) continue;
    const JointReach& joint = joints_[i];
    const double slid =
        body.motion == JointMotion::kPrismatic ? std::abs(q[i]) : 0;
    const double r = std::sqrt(squares[i]) +
                     joint.root_mass * ((joint.*kPoints).distance + slid);
    squares[body.parent] += r * r;
  }
}

void InertiaScales::At(const Tree& tree, const double* q, double* scales,
                       double* work) const {
  Add<&JointReach::axis>(tree, q, scales);
  Add<&JointReach::frame>(tree, q, work);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const double carried = body.motion == JointMotion::kPrismatic
                               ? joints_[i].mass
                               : std::max(scales[i], kFrameShare * work[i]);
    scales[i] = carried + body.armature;
  }
}

}  // namespace torqued
