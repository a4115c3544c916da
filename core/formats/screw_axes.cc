#include "core/formats/screw_axes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/text.h"
#include "core/math/screws.h"
#include "core/model/assembly.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;

// Rounding to six digits, relative to the numbers.
constexpr double kRounding = 1e-6;

Vector6d ScrewOf(const ScrewAxes& arm, std::size_t joint) {
  return Eigen::Map<const Vector6d>(arm.screws[joint].data());
}

using RowMajor6d = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
Matrix6d InertiaOf(const ScrewAxes& arm, std::size_t link) {
  return Eigen::Map<const RowMajor6d>(arm.inertias[link].data());
}

// A_i.
std::vector<Vector6d> LinkScrewsOf(const ScrewAxes& arm) {
  std::vector<Matrix4d> home;
  std::vector<Vector6d> space;
  using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  for (std::size_t i = 0; i < arm.screws.size(); ++i) {
    home.push_back(Matrix4d::Identity());
    home[i].topLeftCorner<3, 3>() =
        Eigen::Map<const RowMajor3d>(arm.home[i].R.data());
    home[i].topRightCorner<3, 1>() =
        Eigen::Map<const Vector3d>(arm.home[i].p.data());
    space.push_back(ScrewOf(arm, i));
  }
  return LinkScrews(HomePoses(home), space);
}

Pose Translation(const Vector3d& p) {
  Pose pose;
  pose.p = {p.x(), p.y(), p.z()};
  return pose;
}

std::string Named(std::string_view stem, std::size_t index) {
  return Cat(stem, index + 1);
}

/// An angular part that is rounding beside the linear one is none.
bool IsPrismatic(const Vector6d& S) {
  return S.head<3>().norm() <= kRounding * S.tail<3>().norm();
}

// A rigid body's [[I, [h]], [[h]ᵀ, m 1]].
bool IsRigid(const Matrix6d& G) {
  const double mass = G.diagonal().tail<3>().mean();
  const Matrix3d h = G.topRightCorner<3, 3>();
  const double inertia = G.topLeftCorner<3, 3>().cwiseAbs().maxCoeff();
  // [h] may cancel to nothing: its entries are of the size √(m I).
  const double moment = std::max(
      h.cwiseAbs().maxCoeff(), std::sqrt(std::abs(mass)) * std::sqrt(inertia));
  const auto small = [](const Matrix3d& rest, double size) {
    return rest.cwiseAbs().maxCoeff() <= kRounding * size;
  };
  const Matrix3d I = G.topLeftCorner<3, 3>();
  const Matrix3d masses = G.bottomRightCorner<3, 3>();
  return small(I - I.transpose(), inertia) &&
         small(masses - mass * Matrix3d::Identity(), std::abs(mass)) &&
         small(h + h.transpose(), moment) &&
         small(h.transpose() - G.bottomLeftCorner<3, 3>(), moment) &&
         (mass != 0 || moment == 0);
}

LinkInertial InertialOf(const Matrix6d& G) {
  LinkInertial inertial;
  inertial.mass = G.diagonal().tail<3>().mean();
  const Matrix3d h = G.topRightCorner<3, 3>();
  Vector3d c = Vector3d::Zero();
  if (inertial.mass != 0) {
    c = Vector3d(h(2, 1) - h(1, 2), h(0, 2) - h(2, 0), h(1, 0) - h(0, 1)) /
        (2 * inertial.mass);
  }
  inertial.origin = Translation(c);
  // I_c = I − m [c][c]ᵀ.
  const Matrix3d I =
      G.topLeftCorner<3, 3>() + inertial.mass * Skew(c) * Skew(c);
  const auto entry = [&](int r, int k) { return (I(r, k) + I(k, r)) / 2; };
  inertial.inertia = {entry(0, 0), entry(0, 1), entry(0, 2),
                      entry(1, 1), entry(1, 2), entry(2, 2)};
  return inertial;
}

LintReport Check(const ScrewAxes& arm) {
  LintReport report;
  const std::size_t n = arm.screws.size();
  const auto check_count = [&](std::string_view what, std::size_t given,
                               std::size_t needed) {
    if (given == needed) return;
    report.Add(LintCode::kMissingElement, {},
               Cat("An arm of ", n, " joints has ", needed, " ", what, ", not ",
                   given, "; give one for each."));
  };
  check_count("spatial inertias", arm.inertias.size(), n);
  check_count("home poses (the last is the tip's)", arm.home.size(), n + 1);
  for (std::size_t i = 0; i < arm.home.size(); ++i) {
    const std::string link = i == n ? "tip" : Named("link", i);
    Subject subject{report, {.link = link}, Cat("Link ", Quoted(link))};
    CheckPose("home pose", arm.home[i], subject);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vector6d S = ScrewOf(arm, i);
    const std::string name = Named("joint", i);
    Subject joint{report, {.joint = name}, Cat("Joint ", Quoted(name))};
    if (!S.allFinite()) {
      joint.Add(LintCode::kInvalidNumber,
                " has numbers that are not finite in its screw; all must be.");
      continue;
    }
    if (IsPrismatic(S)) continue;
    const double speed = S.head<3>().norm();
    const Vector3d axis = S.head<3>() / speed, v = S.tail<3>() / speed;
    const double pitch = axis.dot(v);
    if (!(std::abs(pitch) > kRounding * (1 + v.norm()))) continue;
    joint.Add(LintCode::kUnsupportedJoint, " has a screw of pitch ",
              RoundedText(pitch),
              " m/rad; joints turn, with linear part −ω × r, or slide, with "
              "angular part 0 0 0.");
  }
  for (std::size_t i = 0; i < arm.inertias.size(); ++i) {
    const Matrix6d G = InertiaOf(arm, i);
    const std::string name = Named("link", i);
    Subject link{report, {.link = name}, Cat("Link ", Quoted(name))};
    if (!G.allFinite()) {
      link.Add(LintCode::kInvalidNumber,
               " has numbers that are not finite in its spatial inertia; all "
               "must be.");
    } else if (!IsRigid(G)) {
      link.Add(
          LintCode::kInvalidInertia,
          " has a spatial inertia that no rigid body has: it must be [[I, "
          "[h]], [[h]ᵀ, m 1]] with I symmetric, [h] skew, and h = 0 if m = 0.");
    }
  }
  return report;
}

}  // namespace

LoadResult LoadScrewAxes(const ScrewAxes& arm, const BuildOptions& options) {
  RobotDescription robot{.name = arm.name, .report = Check(arm)};
  if (!robot.report.ok()) {
    robot.report.Sort();
    return {nullptr, std::move(robot.report)};
  }
  using Type = JointDescription::Type;
  const std::vector<Vector6d> A = LinkScrewsOf(arm);
  robot.links.push_back({.name = "base", .inertial = {}});
  std::string parent = "base";
  for (std::size_t i = 0; i < A.size(); ++i) {
    const bool turns = !IsPrismatic(ScrewOf(arm, i));
    const Vector3d omega = A[i].head<3>(), v = A[i].tail<3>();
    // From the origin of {i} to the nearest point of the axis.
    const Vector3d r =
        turns ? omega.cross(v) / omega.squaredNorm() : Vector3d::Zero().eval();
    const Vector3d axis = turns ? omega : v;
    const std::string stand = Named("axis", i), link = Named("link", i);
    JointDescription joint{.name = Named("joint", i),
                           .type = turns ? Type::kContinuous : Type::kPrismatic,
                           .parent = parent,
                           .child = stand,
                           .origin = arm.home[i] * Translation(r)};
    joint.axis = {axis.x(), axis.y(), axis.z()};
    robot.links.push_back({.name = stand, .inertial = {}});
    robot.links.push_back(
        {.name = link, .inertial = InertialOf(InertiaOf(arm, i))});
    robot.joints.push_back({.name = Cat(stand, "_to_", link),
                            .parent = stand,
                            .child = link,
                            .origin = Translation(-r)});
    robot.joints.push_back(std::move(joint));
    parent = link;
  }
  robot.joints.push_back({.name = "tip_joint",
                          .parent = parent,
                          .child = "tip",
                          .origin = arm.home.back()});
  robot.links.push_back({.name = "tip", .inertial = {}});
  return BuildModel(std::move(robot), options);
}

}  // namespace torqued
