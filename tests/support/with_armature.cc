#include "tests/support/with_armature.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/model/description.h"
#include "core/tree/tree.h"

namespace torqued::testing_support {
namespace {

LinkInertial InertialOf(const TreeBody& body) {
  const Eigen::Vector3d com =
      Eigen::Vector3d(body.h[0], body.h[1], body.h[2]) / body.mass;
  Eigen::Matrix3d I;
  I << body.I[0], body.I[1], body.I[2], body.I[1], body.I[3], body.I[4],
      body.I[2], body.I[4], body.I[5];
  const Eigen::Matrix3d about_com =
      I - body.mass * (com.squaredNorm() * Eigen::Matrix3d::Identity() -
                       com * com.transpose());
  LinkInertial inertial;
  inertial.origin.p = {com[0], com[1], com[2]};
  inertial.mass = body.mass;
  inertial.inertia = {about_com(0, 0), about_com(0, 1), about_com(0, 2),
                      about_com(1, 1), about_com(1, 2), about_com(2, 2)};
  return inertial;
}

template <class Placed>
Pose PoseOf(const Placed& placed) {
  Pose pose;
  std::copy(std::begin(placed.R), std::end(placed.R), pose.R.begin());
  std::copy(std::begin(placed.p), std::end(placed.p), pose.p.begin());
  return pose;
}

/// What is beyond a body, with these rotors.
template <class Armature>
std::shared_ptr<const Model> Rebuilt(const Model& model, int base,
                                     const Armature& armature) {
  RobotDescription robot{.name = model.name() + " rebuilt"};
  robot.links.push_back({.name = "root", .inertial = {}});
  const auto body_name = [&](int body) {
    return body == base ? std::string("root") : model.joints()[body].child_link;
  };
  const Tree tree = model.tree();
  std::vector<bool> beyond(static_cast<std::size_t>(tree.n));
  const auto is_beyond = [&](int body) {
    return body == base || (body != kBase && beyond[body]);
  };
  for (int i = base + 1; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    beyond[i] = is_beyond(body.parent);
    if (!beyond[i]) continue;
    robot.links.push_back({.name = body_name(i), .inertial = InertialOf(body)});
    const Joint& joint = model.joints()[i];
    JointDescription copy;
    copy.name = joint.name;
    copy.type = joint.type == JointType::kPrismatic
                    ? JointDescription::Type::kPrismatic
                    : JointDescription::Type::kContinuous;
    copy.parent = body_name(body.parent);
    copy.child = body_name(i);
    copy.origin = PoseOf(body);
    copy.axis = joint.axis;
    copy.damping = joint.damping;
    copy.friction = joint.friction;
    copy.armature = armature(i);
    robot.joints.push_back(copy);
  }
  BuildOptions options;
  if (const auto frame = model.tip_frame()) {
    const Frame& tip = model.frames()[*frame];
    if (is_beyond(tip.body)) {
      robot.links.push_back({.name = "tip", .inertial = {}});
      JointDescription mount;
      mount.name = "mount of the tip";
      mount.parent = body_name(tip.body);
      mount.child = "tip";
      mount.origin = tip.pose;
      robot.joints.push_back(mount);
      options.default_tip = "tip";
    }
  }
  const LoadResult result = BuildModel(std::move(robot), options);
  for (const Finding& finding : result.report.findings()) {
    if (finding.severity == Severity::kError) ADD_FAILURE() << finding.message;
  }
  return result.model;
}

}  // namespace

std::shared_ptr<const Model> PartBeyond(const Model& model, int base) {
  return Rebuilt(model, base,
                 [&](int i) { return model.tree().bodies[i].armature; });
}

std::shared_ptr<const Model> WithArmature(const Model& model, double scale) {
  return Rebuilt(model, kBase, [&](int i) { return scale * (0.1 + 0.05 * i); });
}

}  // namespace torqued::testing_support
