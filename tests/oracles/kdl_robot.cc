#include "tests/oracles/kdl_robot.h"

#include <urdf_parser/urdf_parser.h>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <stdexcept>
#include <utility>

namespace torqued::testing_support {
namespace {

void Require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

void RequireNoError(int status, const char* what) {
  Require(status >= 0, what);
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

KDL::JntArray ChainArray(const Eigen::VectorXd& values) {
  KDL::JntArray array(static_cast<unsigned>(values.size()));
  array.data = values;
  return array;
}

/// Of KDL (force; torque) from ours (moment; force).
KDL::Wrench ToKdlWrench(const Eigen::VectorXd& w) {
  return {KDL::Vector(w[3], w[4], w[5]), KDL::Vector(w[0], w[1], w[2])};
}

Eigen::Matrix4d FromKdl(const KDL::Frame& frame) {
  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) pose(r, c) = frame.M(r, c);
    pose(r, 3) = frame.p(r);
  }
  return pose;
}

Eigen::MatrixXd FromKdl(const KDL::Jacobian& jacobian) {
  Eigen::MatrixXd J(6, jacobian.columns());
  J.topRows(3) = jacobian.data.bottomRows(3);
  J.bottomRows(3) = jacobian.data.topRows(3);
  return J;
}

Eigen::VectorXd FromKdl(const KDL::Twist& twist) {
  Eigen::VectorXd result(6);
  for (int k = 0; k < 3; ++k) {
    result[k] = twist.rot(k);
    result[3 + k] = twist.vel(k);
  }
  return result;
}

void Represent(ReferenceFrame frame, KDL::ChainJntToJacDotSolver& solver) {
  switch (frame) {
    case ReferenceFrame::kLocal:
      solver.setBodyFixedRepresentation();
      break;
    case ReferenceFrame::kLocalWorldAligned:
      solver.setHybridRepresentation();
      break;
    case ReferenceFrame::kWorld:
      solver.setInertialRepresentation();
      break;
  }
}

}  // namespace

KdlTree::KdlTree(const std::string& urdf,
                 const std::vector<std::string>& joint_names,
                 const std::array<double, 3>& gravity)
    : tree_(ReadTree(urdf)), gravity_(gravity[0], gravity[1], gravity[2]) {
  Require(tree_.getNrOfJoints() == joint_names.size(), "number of joints");
  for (const std::string& name : joint_names) {
    int index = -1;
    for (const auto& [link, element] : tree_.getSegments()) {
      const KDL::Joint& joint = element.segment.getJoint();
      if (joint.getName() == name && joint.getType() != KDL::Joint::Fixed) {
        index = static_cast<int>(element.q_nr);
      }
    }
    Require(index >= 0, "name of a joint");
    kdl_index_.push_back(index);
  }
}

KDL::JntArray KdlTree::JointArray(const Eigen::VectorXd& values) const {
  KDL::JntArray array(static_cast<unsigned>(values.size()));
  for (int i = 0; i < values.size(); ++i) array(kdl_index_[i]) = values[i];
  return array;
}

Eigen::VectorXd KdlTree::InverseDynamics(const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& a,
                                         const std::string& tip,
                                         const Eigen::VectorXd& wrench) const {
  std::map<std::string, Eigen::VectorXd> on_robot;
  if (!tip.empty()) on_robot[tip] = -wrench;
  return InverseDynamics(q, v, a, on_robot);
}

Eigen::VectorXd KdlTree::InverseDynamics(
    const Eigen::VectorXd& q, const Eigen::VectorXd& v,
    const Eigen::VectorXd& a,
    const std::map<std::string, Eigen::VectorXd>& on_robot) const {
  // KDL's external forces act on the link, at its origin and in its axes.
  KDL::WrenchMap forces;
  for (const auto& [link, wrench] : on_robot) {
    forces[link] = ToKdlWrench(wrench);
  }
  KDL::TreeIdSolver_RNE solver(tree_, gravity_);
  KDL::JntArray torques(tree_.getNrOfJoints());
  RequireNoError(solver.CartToJnt(JointArray(q), JointArray(v), JointArray(a),
                                  forces, torques),
                 "TreeIdSolver_RNE");
  Eigen::VectorXd tau(q.size());
  for (int i = 0; i < tau.size(); ++i) tau[i] = torques(kdl_index_[i]);
  return tau;
}

Eigen::Matrix4d KdlTree::FramePose(const Eigen::VectorXd& q,
                                   const std::string& link) const {
  KDL::TreeFkSolverPos_recursive solver(tree_);
  KDL::Frame frame;
  RequireNoError(solver.JntToCart(JointArray(q), frame, link),
                 "TreeFkSolverPos_recursive");
  return FromKdl(frame);
}

Eigen::MatrixXd KdlTree::Jacobian(const Eigen::VectorXd& q,
                                  const std::string& link) const {
  KDL::TreeJntToJacSolver solver(tree_);
  KDL::Jacobian jacobian(tree_.getNrOfJoints());
  RequireNoError(solver.JntToJac(JointArray(q), jacobian, link),
                 "TreeJntToJacSolver");
  const Eigen::MatrixXd theirs = FromKdl(jacobian);
  Eigen::MatrixXd J(6, q.size());
  for (int i = 0; i < q.size(); ++i) J.col(i) = theirs.col(kdl_index_[i]);
  return J;
}

KdlChain::KdlChain(const KdlTree& robot, const std::string& root,
                   const std::string& tip)
    : gravity_(robot.gravity()) {
  Require(robot.tree().getChain(root, tip, chain_), "getChain");
  Require(chain_.getNrOfJoints() == robot.tree().getNrOfJoints(),
          "the robot is not a chain");
}

std::vector<KDL::Wrench> KdlChain::TipWrench(
    const Eigen::VectorXd& wrench) const {
  std::vector<KDL::Wrench> forces(chain_.getNrOfSegments(),
                                  KDL::Wrench::Zero());
  if (wrench.size() > 0) forces.back() = -ToKdlWrench(wrench);
  return forces;
}

Eigen::VectorXd KdlChain::InverseDynamics(const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v,
                                          const Eigen::VectorXd& a) const {
  return InverseDynamics(q, v, a, Eigen::VectorXd());
}

Eigen::VectorXd KdlChain::InverseDynamics(const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v,
                                          const Eigen::VectorXd& a,
                                          const Eigen::VectorXd& wrench) const {
  KDL::ChainIdSolver_RNE solver(chain_, gravity_);
  KDL::JntArray torques(chain_.getNrOfJoints());
  RequireNoError(solver.CartToJnt(ChainArray(q), ChainArray(v), ChainArray(a),
                                  TipWrench(wrench), torques),
                 "ChainIdSolver_RNE");
  return torques.data;
}

Eigen::MatrixXd KdlChain::MassMatrix(const Eigen::VectorXd& q) const {
  KDL::ChainDynParam solver(chain_, gravity_);
  KDL::JntSpaceInertiaMatrix M(chain_.getNrOfJoints());
  RequireNoError(solver.JntToMass(ChainArray(q), M), "JntToMass");
  return M.data;
}

Eigen::VectorXd KdlChain::GravityTorque(const Eigen::VectorXd& q) const {
  KDL::ChainDynParam solver(chain_, gravity_);
  KDL::JntArray torques(chain_.getNrOfJoints());
  RequireNoError(solver.JntToGravity(ChainArray(q), torques), "JntToGravity");
  return torques.data;
}

Eigen::VectorXd KdlChain::CoriolisTorque(const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& v) const {
  KDL::ChainDynParam solver(chain_, gravity_);
  KDL::JntArray torques(chain_.getNrOfJoints());
  RequireNoError(solver.JntToCoriolis(ChainArray(q), ChainArray(v), torques),
                 "JntToCoriolis");
  return torques.data;
}

Eigen::VectorXd KdlChain::ForwardDynamics(const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v,
                                          const Eigen::VectorXd& tau) const {
  return ForwardDynamics(q, v, tau, Eigen::VectorXd());
}

Eigen::VectorXd KdlChain::ForwardDynamics(const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v,
                                          const Eigen::VectorXd& tau,
                                          const Eigen::VectorXd& wrench) const {
  KDL::ChainFdSolver_RNE solver(chain_, gravity_);
  KDL::JntArray accelerations(chain_.getNrOfJoints());
  RequireNoError(solver.CartToJnt(ChainArray(q), ChainArray(v), ChainArray(tau),
                                  TipWrench(wrench), accelerations),
                 "ChainFdSolver_RNE");
  return accelerations.data;
}

Eigen::Matrix4d KdlChain::FramePose(const Eigen::VectorXd& q) const {
  KDL::ChainFkSolverPos_recursive solver(chain_);
  KDL::Frame frame;
  RequireNoError(solver.JntToCart(ChainArray(q), frame),
                 "ChainFkSolverPos_recursive");
  return FromKdl(frame);
}

Eigen::MatrixXd KdlChain::Jacobian(const Eigen::VectorXd& q,
                                   ReferenceFrame frame) const {
  KDL::ChainJntToJacSolver solver(chain_);
  KDL::Jacobian jacobian(chain_.getNrOfJoints());
  RequireNoError(solver.JntToJac(ChainArray(q), jacobian),
                 "ChainJntToJacSolver");
  KDL::Frame tip;
  RequireNoError(
      KDL::ChainFkSolverPos_recursive(chain_).JntToCart(ChainArray(q), tip),
      "ChainFkSolverPos_recursive");
  switch (frame) {
    case ReferenceFrame::kLocal:
      jacobian.changeBase(tip.M.Inverse());
      break;
    case ReferenceFrame::kLocalWorldAligned:
      break;
    case ReferenceFrame::kWorld:
      jacobian.changeRefPoint(-tip.p);
      break;
  }
  return FromKdl(jacobian);
}

Eigen::VectorXd KdlChain::JacobianDrift(const Eigen::VectorXd& q,
                                        const Eigen::VectorXd& v,
                                        ReferenceFrame frame) const {
  KDL::ChainJntToJacDotSolver solver(chain_);
  Represent(frame, solver);
  const KDL::JntArrayVel state(ChainArray(q), ChainArray(v));
  KDL::Twist drift;
  RequireNoError(solver.JntToJacDot(state, drift), "ChainJntToJacDotSolver");
  return FromKdl(drift);
}

Eigen::MatrixXd KdlChain::JacobianRate(const Eigen::VectorXd& q,
                                       const Eigen::VectorXd& v,
                                       ReferenceFrame frame) const {
  KDL::ChainJntToJacDotSolver solver(chain_);
  Represent(frame, solver);
  const KDL::JntArrayVel state(ChainArray(q), ChainArray(v));
  KDL::Jacobian rate(chain_.getNrOfJoints());
  RequireNoError(solver.JntToJacDot(state, rate), "ChainJntToJacDotSolver");
  return FromKdl(rate);
}

Eigen::VectorXd KdlChain::FrameVelocity(const Eigen::VectorXd& q,
                                        const Eigen::VectorXd& v,
                                        ReferenceFrame frame) const {
  KDL::ChainFkSolverVel_recursive solver(chain_);
  const KDL::JntArrayVel state(ChainArray(q), ChainArray(v));
  KDL::FrameVel tip;
  RequireNoError(solver.JntToCart(state, tip), "ChainFkSolverVel_recursive");
  const KDL::Twist twist = tip.GetTwist();
  const KDL::Frame pose = tip.GetFrame();
  switch (frame) {
    case ReferenceFrame::kLocal:
      return FromKdl(pose.M.Inverse() * twist);
    case ReferenceFrame::kLocalWorldAligned:
      break;
    case ReferenceFrame::kWorld:
      return FromKdl(twist.RefPoint(-pose.p));
  }
  return FromKdl(twist);
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
    const KDL::Vector c = link.getCOG();
    const KDL::RotationalInertia inertia = link.getRotationalInertia();
    const double* const I = inertia.data;  // 3 x 3
    for (const double number : {m, m * c.x(), m * c.y(), m * c.z(), I[0], I[1],
                                I[4], I[2], I[5], I[8]}) {
      parameters[at++] = number;
    }
  }
  return parameters;
}

}  // namespace torqued::testing_support
