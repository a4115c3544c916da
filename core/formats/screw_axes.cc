#include "core/formats/screw_axes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/text.h"
#include "core/model/checks.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;

// Rounding to six digits, relative to the numbers.
constexpr double kRounding = 1e-6;

Pose ToPose(const Matrix4d& T) {
  Pose pose;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) pose.R[3 * r + c] = T(r, c);
    pose.p[r] = T(r, 3);
  }
  return pose;
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
    report.Add(LintCode::kMissingElement, {}, "An arm of ", n, " joints has ",
               needed, " ", what, ", not ", given, "; give one for each.");
  };
  check_count("spatial inertias", arm.inertias.size(), n);
  check_count("home poses (the last is the tip's)", arm.home.size(), n + 1);
  for (std::size_t i = 0; i < arm.home.size(); ++i) {
    const std::string link = i == n ? "tip" : Named("link", i);
    const std::string subject = Cat("Link ", Quoted(link));
    const int errors_before = report.errors();
    CheckPose(subject, "home pose", ToPose(arm.home[i]), {.link = link},
              report);
    if (report.errors() != errors_before) continue;
    if (arm.home[i].row(3) == Eigen::RowVector4d(0, 0, 0, 1)) continue;
    report.Add(LintCode::kInvalidPose, {.link = link}, subject,
               " has a home pose whose last row is not 0 0 0 1; give a "
               "homogeneous matrix.");
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vector6d& S = arm.screws[i];
    const std::string joint = Named("joint", i);
    const auto refuse = [&](LintCode code, const auto&... why) {
      report.Add(code, {.joint = joint}, "Joint ", Quoted(joint), why...);
    };
    if (!S.allFinite()) {
      refuse(LintCode::kInvalidNumber,
             " has numbers that are not finite in its screw; all must be.");
      continue;
    }
    if (IsPrismatic(S)) continue;
    const double speed = S.head<3>().norm();
    const Vector3d axis = S.head<3>() / speed, v = S.tail<3>() / speed;
    const double pitch = axis.dot(v);
    if (!(std::abs(pitch) > kRounding * (1 + v.norm()))) continue;
    refuse(LintCode::kUnsupportedJoint, " has a screw of pitch ",
           RoundedText(pitch),
           " m/rad; joints turn, with linear part −ω × r, or slide, with "
           "angular part 0 0 0.");
  }
  for (std::size_t i = 0; i < arm.inertias.size(); ++i) {
    const Matrix6d& G = arm.inertias[i];
    const std::string link = Named("link", i);
    const auto refuse = [&](LintCode code, const auto&... why) {
      report.Add(code, {.link = link}, "Link ", Quoted(link), why...);
    };
    if (!G.allFinite()) {
      refuse(LintCode::kInvalidNumber,
             " has numbers that are not finite in its spatial inertia; all "
             "must be.");
    } else if (!IsRigid(G)) {
      refuse(LintCode::kInvalidInertia,
             " has a spatial inertia that is no rigid body's: it must be [[I, "
             "[h]], [[h]ᵀ, m 1]] with I symmetric, [h] skew and h zero where m "
             "is.");
    }
  }
  return report;
}

void AddFixed(const std::string& name, const std::string& parent,
              const std::string& child, const Pose& origin,
              ModelBuilder& builder) {
  JointDescription joint;
  joint.name = name;
  joint.parent = parent;
  joint.child = child;
  joint.origin = origin;
  builder.AddJoint(std::move(joint));
}

}  // namespace

LoadResult LoadScrewAxes(const ScrewAxes& arm, const BuildOptions& options) {
  if (LintReport report = Check(arm); !report.ok()) {
    report.Sort();
    return {nullptr, std::move(report)};
  }
  const std::size_t n = arm.screws.size();
  const std::vector<Vector6d> A = LinkScrews(HomePoses(arm.home), arm.screws);
  ModelBuilder builder(arm.name);
  builder.AddLink({.name = "base", .inertial = {}});
  std::string parent = "base";
  for (std::size_t i = 0; i < n; ++i) {
    const bool turns = !IsPrismatic(arm.screws[i]);
    const Vector3d omega = A[i].head<3>(), v = A[i].tail<3>();
    // From the origin of {i} to the nearest point of the axis.
    const Vector3d r =
        turns ? omega.cross(v) / omega.squaredNorm() : Vector3d::Zero().eval();
    const Vector3d axis = turns ? omega : v;
    JointDescription joint;
    joint.name = Named("joint", i);
    joint.type = turns ? JointDescription::Type::kContinuous
                       : JointDescription::Type::kPrismatic;
    joint.parent = parent;
    joint.child = Named("axis", i);
    joint.origin = ToPose(arm.home[i]) * Translation(r);
    joint.axis = {axis.x(), axis.y(), axis.z()};
    builder.AddLink({.name = joint.child, .inertial = {}});
    builder.AddLink(
        {.name = Named("link", i), .inertial = InertialOf(arm.inertias[i])});
    AddFixed(Cat(joint.child, "_to_", Named("link", i)), joint.child,
             Named("link", i), Translation(-r), builder);
    builder.AddJoint(std::move(joint));
    parent = Named("link", i);
  }
  AddFixed("tip_joint", parent, "tip", ToPose(arm.home[n]), builder);
  builder.AddLink({.name = "tip", .inertial = {}});
  return builder.Build(options);
}

}  // namespace torqued
