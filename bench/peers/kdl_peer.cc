// Orocos KDL: solvers for chains; for trees inverse dynamics and Jacobian only.
#include <array>
#include <exception>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers/copy.h"
#include "bench/peers/peer.h"
#include "bench/peers/task_solver.h"
#include "tests/oracles/kdl_robot.h"

namespace torqued::bench {
namespace {

constexpr std::array<double, 3> kGravity{0, 0, -9.81};
constexpr char kVersion[] = "Orocos KDL " TORQUED_PEER_VERSION;

void Assign(KDL::JntArray& array, const double* numbers) {
  array.data = Eigen::Map<const Eigen::VectorXd>(numbers, array.data.size());
}

bool Moves(const KDL::Joint& joint) {
  return joint.getType() != KDL::Joint::Fixed;
}

class KdlChainPeer : public Peer {
 public:
  KdlChainPeer(const KDL::Chain& chain, const KDL::Vector& gravity)
      : chain_(chain),
        n_(chain_.getNrOfJoints()),
        inverse_dynamics_(chain_, gravity),
        parameters_(chain_, gravity),
        forward_dynamics_(chain_, gravity),
        jacobian_solver_(chain_),
        drift_solver_(chain_),
        pose_solver_(chain_),
        no_wrenches_(chain_.getNrOfSegments(), KDL::Wrench::Zero()),
        q_(n_),
        a_(n_),
        tau_(n_),
        qv_(n_),
        result_(n_),
        M_(n_),
        jacobian_(n_),
        task_(static_cast<int>(n_)) {
    drift_solver_.setHybridRepresentation();
  }

  std::string version() const override { return kVersion; }

  std::vector<std::string> joint_names() const override {
    std::vector<std::string> names;
    for (const KDL::Segment& segment : chain_.segments) {
      if (Moves(segment.getJoint())) {
        names.push_back(segment.getJoint().getName());
      }
    }
    return names;
  }

  bool linear_first() const override { return true; }
  bool Computes(Workload workload) const override {
    switch (workload) {
      case Workload::kGravityForces:
      case Workload::kCoriolisForces:
      case Workload::kFramePose:
      case Workload::kJacobianDrift:
      case Workload::kJacobianRate:
        return true;
      default:
        return IsMain(workload);
    }
  }

  void Compute(Workload workload, const StateRow& state) override {
    Assign(q_, state.q);
    switch (workload) {
      case Workload::kInverseDynamics:
        Assign(qv_.qdot, state.v);
        Assign(a_, state.a);
        inverse_dynamics_.CartToJnt(q_, qv_.qdot, a_, no_wrenches_, result_);
        break;
      case Workload::kMassMatrix:
        parameters_.JntToMass(q_, M_);
        break;
      case Workload::kForwardDynamics:
        Assign(qv_.qdot, state.v);
        Assign(tau_, state.tau);
        forward_dynamics_.CartToJnt(q_, qv_.qdot, tau_, no_wrenches_, result_);
        break;
      case Workload::kBiasForces:
        ComputeBias(state);
        break;
      case Workload::kJacobian:
        jacobian_solver_.JntToJac(q_, jacobian_);
        break;
      case Workload::kOperationalSpace:
        ComputeTask(state);
        break;
      case Workload::kGravityForces:
        parameters_.JntToGravity(q_, result_);
        break;
      case Workload::kCoriolisForces:
        Assign(qv_.qdot, state.v);
        parameters_.JntToCoriolis(q_, qv_.qdot, result_);
        break;
      case Workload::kFramePose:
        pose_solver_.JntToCart(q_, pose_);
        break;
      case Workload::kJacobianDrift:
        qv_.q = q_;
        Assign(qv_.qdot, state.v);
        drift_solver_.JntToJacDot(qv_, drift_);
        break;
      case Workload::kJacobianRate:
        qv_.q = q_;
        Assign(qv_.qdot, state.v);
        drift_solver_.JntToJacDot(qv_, jacobian_);
        break;
      default:
        break;
    }
  }

  void Copy(Output output, double* numbers) const override {
    switch (output) {
      case Output::kMassMatrix:
        return CopyMatrix(M_.data, numbers);
      case Output::kJacobian:
      case Output::kJacobianRate:
        return CopyMatrix(jacobian_.data, numbers);
      case Output::kJacobianDrift:
        return CopyVector(DriftVector(), numbers);
      case Output::kPose:
        return CopyPose(numbers);
      case Output::kLambda:
        return CopyMatrix(task_.lambda(), numbers);
      case Output::kEta:
        return CopyVector(task_.eta(), numbers);
      default:
        return CopyVector(result_.data, numbers);
    }
  }

 private:
  /// One recursion, where JntToCoriolis and JntToGravity would take two.
  void ComputeBias(const StateRow& state) {
    Assign(qv_.qdot, state.v);
    a_.data.setZero();
    inverse_dynamics_.CartToJnt(q_, qv_.qdot, a_, no_wrenches_, result_);
  }

  void ComputeTask(const StateRow& state) {
    ComputeBias(state);
    parameters_.JntToMass(q_, M_);
    jacobian_solver_.JntToJac(q_, jacobian_);
    qv_.q = q_;
    drift_solver_.JntToJacDot(qv_, drift_);
    task_.Solve(M_.data, result_.data, jacobian_.data, DriftVector());
  }

  TaskVector DriftVector() const {
    TaskVector vector;
    for (int k = 0; k < 6; ++k) vector[k] = drift_(k);
    return vector;
  }

  void CopyPose(double* numbers) const {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) numbers[4 * i + j] = pose_(i, j);
    }
  }

  KDL::Chain chain_;
  unsigned n_;
  KDL::ChainIdSolver_RNE inverse_dynamics_;
  KDL::ChainDynParam parameters_;
  KDL::ChainFdSolver_RNE forward_dynamics_;
  KDL::ChainJntToJacSolver jacobian_solver_;
  KDL::ChainJntToJacDotSolver drift_solver_;
  KDL::ChainFkSolverPos_recursive pose_solver_;
  KDL::Wrenches no_wrenches_;
  KDL::JntArray q_, a_, tau_;
  KDL::JntArrayVel qv_;
  KDL::JntArray result_;
  KDL::JntSpaceInertiaMatrix M_;
  KDL::Jacobian jacobian_;
  TaskSolver<Eigen::Lower> task_;
  KDL::Twist drift_;
  KDL::Frame pose_;
};

class KdlTreePeer : public Peer {
 public:
  KdlTreePeer(const KDL::Tree& tree, const KDL::Vector& gravity,
              std::string tip)
      : tree_(tree),
        tip_(std::move(tip)),
        inverse_dynamics_(tree_, gravity),
        jacobian_solver_(tree_),
        q_(tree_.getNrOfJoints()),
        v_(tree_.getNrOfJoints()),
        a_(tree_.getNrOfJoints()),
        result_(tree_.getNrOfJoints()),
        jacobian_(tree_.getNrOfJoints()) {}

  std::string version() const override { return kVersion; }

  std::vector<std::string> joint_names() const override {
    std::vector<std::string> names(tree_.getNrOfJoints());
    for (const auto& [link, element] : tree_.getSegments()) {
      const KDL::Joint& joint = element.segment.getJoint();
      if (Moves(joint)) names[element.q_nr] = joint.getName();
    }
    return names;
  }

  bool linear_first() const override { return true; }
  bool Computes(Workload workload) const override {
    return workload == Workload::kInverseDynamics ||
           workload == Workload::kBiasForces || workload == Workload::kJacobian;
  }

  void Compute(Workload workload, const StateRow& state) override {
    Assign(q_, state.q);
    if (workload == Workload::kJacobian) {
      jacobian_solver_.JntToJac(q_, jacobian_, tip_);
      return;
    }
    Assign(v_, state.v);
    if (workload == Workload::kInverseDynamics) {
      Assign(a_, state.a);
    } else {
      a_.data.setZero();
    }
    inverse_dynamics_.CartToJnt(q_, v_, a_, no_wrenches_, result_);
  }

  void Copy(Output output, double* numbers) const override {
    if (output == Output::kJacobian) return CopyMatrix(jacobian_.data, numbers);
    CopyVector(result_.data, numbers);
  }

 private:
  KDL::Tree tree_;
  std::string tip_;
  KDL::TreeIdSolver_RNE inverse_dynamics_;
  KDL::TreeJntToJacSolver jacobian_solver_;
  KDL::WrenchMap no_wrenches_;
  KDL::JntArray q_, v_, a_, result_;
  KDL::Jacobian jacobian_;
};

}  // namespace
}  // namespace torqued::bench

extern "C" torqued::bench::Peer* torqued_bench_make_peer(
    const torqued::bench::PeerRequest& request, std::string& why) try {
  namespace bench = torqued::bench;
  const torqued::testing_support::KdlTree robot(
      request.urdf, request.joint_names, bench::kGravity);
  KDL::Chain chain;
  const std::string& root = robot.tree().getRootSegment()->first;
  if (robot.tree().getChain(root, request.tip, chain) &&
      chain.getNrOfJoints() == robot.tree().getNrOfJoints()) {
    return new bench::KdlChainPeer(chain, robot.gravity());
  }
  return new bench::KdlTreePeer(robot.tree(), robot.gravity(), request.tip);
} catch (const std::exception& error) {
  why = error.what();
  return nullptr;
}
