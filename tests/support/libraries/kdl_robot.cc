#include "tests/support/libraries/kdl_robot.h"

#include <urdf_parser/urdf_parser.h>

#include <utility>

namespace torqued::oracles {
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

KdlTree::KdlTree(const std::string& urdf, std::string tip,
                 const std::array<double, 3>& gravity)
    : tree_(ReadTree(urdf)),
      tip_(std::move(tip)),
      gravity_(gravity[0], gravity[1], gravity[2]),
      q_(tree_.getNrOfJoints()),
      v_(q_),
      a_(q_),
      result_(q_),
      J_(tree_.getNrOfJoints()),
      zeros_(q_.data),
      tree_inverse_dynamics_(tree_, gravity_),
      tree_jacobian_(tree_),
      tree_poses_(tree_) {
  Require(tree_.getChain(tree_.getRootSegment()->first, tip_, chain_),
          "getChain");
}

std::vector<std::string> KdlTree::joint_names() const {
  std::vector<std::string> names(tree_.getNrOfJoints());
  for (const auto& [link, element] : tree_.getSegments()) {
    const KDL::Joint& joint = element.segment.getJoint();
    if (joint.getType() == KDL::Joint::Fixed) continue;
    names[element.q_nr] = joint.getName();
  }
  return names;
}

Eigen::MatrixXd KdlTree::FramePose(Vector q, const std::string& link) {
  const KDL::Frame frame = PoseOf(q, link);
  Eigen::MatrixXd pose(3, 4);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) pose(r, c) = frame.M(r, c);
    pose(r, 3) = frame.p(r);
  }
  return pose;
}

KdlChain::KdlChain(const std::string& urdf, const std::string& tip,
                   const std::array<double, 3>& gravity)
    : KdlTree(urdf, tip, gravity),
      inverse_dynamics_(chain_, gravity_),
      forward_dynamics_(chain_, gravity_),
      parameters_(chain_, gravity_),
      jacobian_(chain_),
      rate_solver_(chain_),
      wrenches_(chain_.getNrOfSegments()),
      M_(chain_.getNrOfJoints()),
      rate_(chain_.getNrOfJoints()),
      task_(static_cast<int>(chain_.getNrOfJoints())) {
  Require(is_chain(), "the robot is not a chain");
}

const KDL::Wrenches& KdlChain::Exerted(const Eigen::VectorXd& wrench) {
  wrenches_.back() = wrench.size() > 0 ? -ToKdl(wrench) : KDL::Wrench::Zero();
  return wrenches_;
}

TaskVector KdlChain::FrameVelocity(Vector q, Vector v, ReferenceFrame frame) {
  KDL::FrameVel tip;
  Check(KDL::ChainFkSolverVel_recursive(chain_).JntToCart(
      {Set(q_, q), Set(v_, v)}, tip));
  KDL::Twist twist = tip.GetTwist();
  if (frame == ReferenceFrame::kLocal) {
    twist = tip.GetFrame().M.Inverse() * twist;
  } else if (frame == ReferenceFrame::kWorld) {
    twist = twist.RefPoint(-tip.GetFrame().p);
  }
  return AngularFirst(twist);
}

Eigen::VectorXd KdlChain::InertialParameters() const {
  std::vector<KDL::RigidBodyInertia> links;
  KDL::Frame fixed;  // of this segment in the last link that moves
  for (const KDL::Segment& segment : chain_.segments) {
    if (segment.getJoint().getType() != KDL::Joint::Fixed) {
      links.push_back(segment.getInertia());
      fixed = KDL::Frame::Identity();
    } else if (!links.empty()) {
      fixed = fixed * segment.pose(0);
      links.back() = links.back() + fixed * segment.getInertia();
    }
  }
  Eigen::VectorXd parameters(10 * static_cast<Eigen::Index>(links.size()));
  Eigen::Index at = 0;
  for (const KDL::RigidBodyInertia& link : links) {
    const double m = link.getMass();
    const KDL::Vector h = m * link.getCOG();
    const KDL::RotationalInertia inertia = link.getRotationalInertia();
    const double* const I = inertia.data;  // 3 x 3
    parameters.segment<10>(at) << m, h.x(), h.y(), h.z(), I[0], I[1], I[4],
        I[2], I[5], I[8];
    at += 10;
  }
  return parameters;
}

}  // namespace torqued::oracles
