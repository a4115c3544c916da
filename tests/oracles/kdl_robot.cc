#include "tests/oracles/kdl_robot.h"

#include <urdf_parser/urdf_parser.h>

#include <map>
#include <stdexcept>

namespace torqued::testing_support {
namespace {

void Require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

KDL::Vector ToKdl(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

KDL::Frame ToKdl(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {KDL::Rotation::Quaternion(r.x, r.y, r.z, r.w), ToKdl(pose.position)};
}

// KDL wants the centre of mass and the inertia about it, both in the axes of
// the link; URDF has the inertia in axes of its own.
KDL::RigidBodyInertia ToKdl(const urdf::InertialSharedPtr& inertial) {
  if (!inertial) return KDL::RigidBodyInertia::Zero();
  const KDL::Frame origin = ToKdl(inertial->origin);
  const KDL::RotationalInertia own_axes(inertial->ixx, inertial->iyy,
                                        inertial->izz, inertial->ixy,
                                        inertial->ixz, inertial->iyz);
  // A body without mass, for only whole bodies can be turned.
  const KDL::RigidBodyInertia turned =
      origin.M * KDL::RigidBodyInertia(0, KDL::Vector::Zero(), own_axes);
  return KDL::RigidBodyInertia(inertial->mass, origin.p,
                               turned.getRotationalInertia());
}

// A joint of KDL lives in the frame of the parent link.
KDL::Joint ToKdl(const urdf::Joint& joint) {
  const KDL::Frame origin = ToKdl(joint.parent_to_joint_origin_transform);
  const auto moving = [&](KDL::Joint::JointType type) {
    return KDL::Joint(joint.name, origin.p, origin.M * ToKdl(joint.axis), type);
  };
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
      return moving(KDL::Joint::RotAxis);
    case urdf::Joint::PRISMATIC:
      return moving(KDL::Joint::TransAxis);
    case urdf::Joint::FIXED:
      return KDL::Joint(joint.name, KDL::Joint::Fixed);
    default:
      throw std::runtime_error("unexpected type of joint");
  }
}

void AddChildren(const urdf::Link& link, KDL::Tree& tree) {
  for (const auto& child : link.child_links) {
    const urdf::Joint& joint = *child->parent_joint;
    const KDL::Segment segment(child->name, ToKdl(joint),
                               ToKdl(joint.parent_to_joint_origin_transform),
                               ToKdl(child->inertial));
    Require(tree.addSegment(segment, link.name), "addSegment");
    AddChildren(*child, tree);
  }
}

KDL::Tree ReadTree(const std::string& urdf) {
  const auto robot = urdf::parseURDF(urdf);
  Require(robot != nullptr, "parseURDF");
  KDL::Tree tree(robot->getRoot()->name);
  AddChildren(*robot->getRoot(), tree);
  return tree;
}

}  // namespace

KdlTree::KdlTree(const std::string& urdf,
                 const std::vector<std::string>& joint_names,
                 const std::array<double, 3>& gravity)
    : tree_(ReadTree(urdf)), gravity_(gravity[0], gravity[1], gravity[2]) {
  Require(tree_.getNrOfJoints() == joint_names.size(), "number of joints");
  std::map<std::string, int> indices;
  for (const auto& [link, element] : tree_.getSegments()) {
    const KDL::Joint& joint = element.segment.getJoint();
    if (joint.getType() == KDL::Joint::Fixed) continue;
    indices[joint.getName()] = static_cast<int>(element.q_nr);
  }
  for (const auto& name : joint_names) indices_.push_back(indices.at(name));
}

}  // namespace torqued::testing_support
