#include "core/math/screws.h"

#include <Eigen/Geometry>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

namespace torqued {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;

Matrix3d Skew(const Vector3d& a) {
  Matrix3d skew;
  skew << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return skew;
}

Matrix4d InversePose(const Matrix4d& T) {
  const Matrix3d back = T.topLeftCorner<3, 3>().transpose();
  Matrix4d inverse = Matrix4d::Identity();
  inverse.topLeftCorner<3, 3>() = back;
  inverse.topRightCorner<3, 1>() = -back * T.topRightCorner<3, 1>();
  return inverse;
}

Matrix6d Adjoint(const Matrix4d& T) {
  const Matrix3d R = T.topLeftCorner<3, 3>();
  Matrix6d ad;
  ad << R, Matrix3d::Zero(), Skew(T.topRightCorner<3, 1>()) * R, R;
  return ad;
}

Matrix6d LieBracketMatrix(const Vector6d& V) {
  const Matrix3d w = Skew(V.head<3>());
  Matrix6d ad;
  ad << w, Matrix3d::Zero(), Skew(V.tail<3>()), w;
  return ad;
}

Matrix6d SpatialInertiaMatrix(double mass, const Vector3d& c,
                              const Matrix3d& I_c) {
  const Matrix3d h = Skew(mass * c);
  Matrix6d G;
  G << I_c + h * Skew(c).transpose(), h, h.transpose(),
      mass * Matrix3d::Identity();
  return G;
}

Vector6d ScrewAbout(const Vector3d& direction, const Vector3d& point,
                    double pitch) {
  Vector6d S;
  S << direction, point.cross(direction) + pitch * direction;
  return S;
}

Vector6d ScrewAlong(const Vector3d& direction) {
  Vector6d S;
  S << Vector3d::Zero(), direction;
  return S;
}

Matrix4d ExpScrew(const Vector6d& S, double q) {
  const Vector3d omega = S.head<3>(), v = S.tail<3>();
  Matrix4d T = Matrix4d::Identity();
  const double speed = omega.norm();
  if (!(speed > 0)) {
    T.topRightCorner<3, 1>() = q * v;
    return T;
  }
  const double theta = speed * q;
  const Matrix3d u = Skew(omega / speed), uu = u * u;
  const double sine = std::sin(theta), half = std::sin(theta / 2);
  const double one_minus_cosine = 2 * half * half;
  T.topLeftCorner<3, 3>() += sine * u + one_minus_cosine * uu;
  T.topRightCorner<3, 1>() = q * v + (one_minus_cosine / speed) * (u * v) +
                             ((theta - sine) / speed) * (uu * v);
  return T;
}

std::vector<Matrix4d> HomePoses(std::span<const Matrix4d> relative) {
  std::vector<Matrix4d> home(relative.size());
  std::inclusive_scan(relative.begin(), relative.end(), home.begin(),
                      std::multiplies<Matrix4d>());
  return home;
}

std::vector<Matrix4d> RelativeHomePoses(std::span<const Matrix4d> home) {
  std::vector<Matrix4d> relative(home.size());
  std::adjacent_difference(home.begin(), home.end(), relative.begin(),
                           [](const Matrix4d& M, const Matrix4d& before) {
                             return (InversePose(before) * M).eval();
                           });
  return relative;
}

namespace {

// Ad S of each, of the pose that stands beside it.
template <class PoseOf>
std::vector<Vector6d> Moved(std::span<const Vector6d> screws, PoseOf pose_of) {
  std::vector<Vector6d> moved;
  moved.reserve(screws.size());
  for (const Vector6d& S : screws) {
    moved.push_back(Adjoint(pose_of(moved.size())) * S);
  }
  return moved;
}

}  // namespace

std::vector<Vector6d> LinkScrews(std::span<const Matrix4d> home,
                                 std::span<const Vector6d> space) {
  return Moved(space, [&](std::size_t i) { return InversePose(home[i]); });
}

std::vector<Vector6d> SpaceScrews(std::span<const Matrix4d> home,
                                  std::span<const Vector6d> link) {
  return Moved(link, [&](std::size_t i) { return home[i]; });
}

std::vector<Vector6d> TipScrews(const Matrix4d& tip_home,
                                std::span<const Vector6d> space) {
  return Moved(space, [&](std::size_t) { return InversePose(tip_home); });
}

Matrix4d RelativePose(const Matrix4d& relative_home, const Vector6d& link_screw,
                      double q) {
  return relative_home * ExpScrew(link_screw, q);
}

Matrix4d ProductOfExponentials(std::span<const Vector6d> space,
                               const Matrix4d& home,
                               const Eigen::Ref<const Eigen::VectorXd>& q) {
  Matrix4d T = Matrix4d::Identity();
  Eigen::Index k = 0;
  for (const Vector6d& S : space) T = T * ExpScrew(S, q[k++]);
  return T * home;
}

}  // namespace torqued
