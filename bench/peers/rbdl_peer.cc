// RBDL. The robot is read by urdfdom, as RBDL's own reader does.
#include <rbdl/rbdl.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Core>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/peers/eigen.h"
#include "bench/peers/peer.h"

namespace torqued::bench {
namespace {

namespace rbdl = RigidBodyDynamics;
using rbdl::Math::Matrix3d;
using rbdl::Math::MatrixNd;
using rbdl::Math::SpatialTransform;
using rbdl::Math::Vector3d;
using rbdl::Math::VectorNd;

Vector3d ToRbdl(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Matrix3d ToRbdl(const urdf::Rotation& r) {
  return Eigen::Quaterniond(r.w, r.x, r.y, r.z).toRotationMatrix();
}

rbdl::Body ToRbdl(const urdf::InertialSharedPtr& inertial) {
  if (!inertial) return rbdl::Body(0, Vector3d(0, 0, 0), Vector3d(0, 0, 0));
  const Matrix3d R = ToRbdl(inertial->origin.rotation);
  Matrix3d I;
  I << inertial->ixx, inertial->ixy, inertial->ixz,  //
      inertial->ixy, inertial->iyy, inertial->iyz,   //
      inertial->ixz, inertial->iyz, inertial->izz;
  return rbdl::Body(inertial->mass, ToRbdl(inertial->origin.position),
                    Matrix3d(R * I * R.transpose()));
}

rbdl::Joint ToRbdl(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::FIXED:
      return rbdl::Joint(rbdl::JointTypeFixed);
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
      return rbdl::Joint(rbdl::JointTypeRevolute, ToRbdl(joint.axis));
    case urdf::Joint::PRISMATIC:
      return rbdl::Joint(rbdl::JointTypePrismatic, ToRbdl(joint.axis));
    default:
      throw std::runtime_error("unexpected type of joint");
  }
}

class RbdlPeer : public Peer {
 public:
  explicit RbdlPeer(const PeerRequest& request) {
    const auto robot = urdf::parseURDF(request.urdf);
    if (robot == nullptr) throw std::runtime_error("parseURDF");
    model_.gravity = Vector3d(0, 0, -9.81);
    AddChildren(*robot->getRoot(), 0);
    tip_ = model_.GetBodyId(request.tip.c_str());
    if (!model_.IsBodyId(tip_)) {
      throw std::runtime_error("no link " + request.tip);
    }
    const auto n = static_cast<int>(model_.dof_count);
    q_ = v_ = a_ = tau_ = zeros_ = result_ = VectorNd::Zero(n);
    M_ = MatrixNd::Zero(n, n);
    J_ = MatrixNd::Zero(6, n);
    task_ = std::make_unique<TaskSolver>(n);
  }

  std::string version() const override {
    const int version = rbdl_get_api_version();
    return "RBDL " + std::to_string(version >> 16) + "." +
           std::to_string(version >> 8 & 0xff) + "." +
           std::to_string(version & 0xff);
  }
  std::vector<std::string> joint_names() const override { return joint_names_; }

  bool Compute(Quantity quantity, const StateRow& state) override {
    Assign(q_, state.q);
    Assign(v_, state.v);
    switch (quantity) {
      case Quantity::kInverseDynamics:
        Assign(a_, state.a);
        rbdl::InverseDynamics(model_, q_, v_, a_, result_);
        break;
      case Quantity::kMassMatrix:
        // Entries off the branches are never written; they are zero.
        rbdl::CompositeRigidBodyAlgorithm(model_, q_, M_);
        break;
      case Quantity::kForwardDynamics:
        Assign(tau_, state.tau);
        rbdl::ForwardDynamics(model_, q_, v_, tau_, result_);
        break;
      case Quantity::kBiasForces:
        rbdl::NonlinearEffects(model_, q_, v_, result_);
        break;
      case Quantity::kJacobian:
        rbdl::CalcPointJacobian6D(model_, q_, tip_, Vector3d::Zero(), J_);
        break;
      case Quantity::kOperationalSpace:
        ComputeTask();
        break;
      default:
        return false;
    }
    return true;
  }

  void Copy(Output output, double* numbers) override {
    switch (output) {
      case Output::kMassMatrix:
        return CopyMatrix(M_, numbers);
      case Output::kJacobian:
        return CopyMatrix(J_, numbers);
      case Output::kLambda:
        return CopyMatrix(task_->lambda, numbers);
      case Output::kEta:
        return CopyMatrix(task_->eta, numbers);
      default:
        return CopyMatrix(result_, numbers);
    }
  }

 private:
  static void Assign(VectorNd& vector, const double* numbers) {
    vector = Eigen::Map<const Eigen::VectorXd>(numbers, vector.size());
  }

  void AddChildren(const urdf::Link& link, unsigned parent) {
    for (const auto& child : link.child_links) {
      const urdf::Joint& joint = *child->parent_joint;
      const urdf::Pose& origin = joint.parent_to_joint_origin_transform;
      if (joint.type != urdf::Joint::FIXED) joint_names_.push_back(joint.name);
      // RBDL's rotations take parent coordinates to those of the child.
      const unsigned body =
          model_.AddBody(parent,
                         SpatialTransform(ToRbdl(origin.rotation).transpose(),
                                          ToRbdl(origin.position)),
                         ToRbdl(joint), ToRbdl(child->inertial), child->name);
      AddChildren(*child, body);
    }
  }

  void ComputeTask() {
    // The tip's acceleration at rest of the joints is J̇ v.
    rbdl::UpdateKinematics(model_, q_, v_, zeros_);
    const TaskVector drift = rbdl::CalcPointAcceleration6D(
        model_, q_, v_, zeros_, tip_, Vector3d::Zero(), false);
    rbdl::CalcPointJacobian6D(model_, q_, tip_, Vector3d::Zero(), J_, false);
    rbdl::CompositeRigidBodyAlgorithm(model_, q_, M_, false);
    rbdl::NonlinearEffects(model_, q_, v_, result_);
    task_->Solve(M_, result_, J_, drift);
  }

  rbdl::Model model_;
  unsigned tip_ = 0;
  std::vector<std::string> joint_names_;
  VectorNd q_, v_, a_, tau_, zeros_, result_;
  MatrixNd M_, J_;
  std::unique_ptr<TaskSolver> task_;
};

std::unique_ptr<Peer> MakeRbdl(const PeerRequest& request) {
  return std::make_unique<RbdlPeer>(request);
}

}  // namespace
}  // namespace torqued::bench

TORQUED_BENCH_PEER(MakeRbdl)
