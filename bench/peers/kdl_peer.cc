// Orocos KDL: solvers for chains; for trees inverse dynamics and Jacobian only.
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "bench/peers/eigen.h"
#include "bench/peers/peer.h"
#include "tests/oracles/kdl_robot.h"

namespace torqued::bench {
namespace {

class KdlPeer : public Peer {
 public:
  explicit KdlPeer(unsigned joints)
      : q_(joints), v_(joints), a_(joints), result_(joints), J_(joints) {}

  std::string version() const override {
    return "Orocos KDL " TORQUED_PEER_VERSION;
  }
  bool linear_first() const override { return true; }

 protected:
  static void Assign(KDL::JntArray& array, const double* numbers) {
    array.data = Eigen::Map<const Eigen::VectorXd>(numbers, array.data.size());
  }

  KDL::JntArray q_, v_, a_, result_;
  KDL::Jacobian J_;
};

class KdlChainPeer : public KdlPeer {
 public:
  KdlChainPeer(const KDL::Chain& chain, const KDL::Vector& gravity)
      : KdlPeer(chain.getNrOfJoints()),
        chain_(chain),
        inverse_dynamics_(chain_, gravity),
        parameters_(chain_, gravity),
        forward_dynamics_(chain_, gravity),
        jacobian_solver_(chain_),
        drift_solver_(chain_),
        no_wrenches_(chain_.getNrOfSegments(), KDL::Wrench::Zero()),
        M_(chain_.getNrOfJoints()),
        task_(static_cast<int>(chain_.getNrOfJoints())) {
    drift_solver_.setHybridRepresentation();
  }

  std::vector<std::string> joint_names() const override {
    std::vector<std::string> names;
    for (const KDL::Segment& segment : chain_.segments) {
      const KDL::Joint& joint = segment.getJoint();
      if (joint.getType() == KDL::Joint::Fixed) continue;
      names.push_back(joint.getName());
    }
    return names;
  }

  bool Compute(Quantity quantity, const StateRow& state) override {
    Assign(q_, state.q);
    Assign(v_, state.v);
    switch (quantity) {
      case Quantity::kInverseDynamics:
        Assign(a_, state.a);
        inverse_dynamics_.CartToJnt(q_, v_, a_, no_wrenches_, result_);
        return true;
      case Quantity::kMassMatrix:
        parameters_.JntToMass(q_, M_);
        return true;
      case Quantity::kForwardDynamics:
        Assign(a_, state.tau);
        forward_dynamics_.CartToJnt(q_, v_, a_, no_wrenches_, result_);
        return true;
      case Quantity::kBiasForces:
        // One recursion, where JntToCoriolis and JntToGravity would take two.
        a_.data.setZero();
        inverse_dynamics_.CartToJnt(q_, v_, a_, no_wrenches_, result_);
        return true;
      case Quantity::kJacobian:
        jacobian_solver_.JntToJac(q_, J_);
        return true;
      case Quantity::kOperationalSpace: {
        Compute(Quantity::kBiasForces, state);
        parameters_.JntToMass(q_, M_);
        jacobian_solver_.JntToJac(q_, J_);
        KDL::Twist drift;
        drift_solver_.JntToJacDot({q_, v_}, drift);
        TaskVector linear_first;
        for (int k = 0; k < 6; ++k) linear_first[k] = drift(k);
        task_.Solve(M_.data, result_.data, J_.data, linear_first);
        return true;
      }
      default:
        return false;
    }
  }

  void Copy(Output output, double* numbers) const override {
    switch (output) {
      case Output::kMassMatrix:
        return CopyMatrix(M_.data, numbers);
      case Output::kJacobian:
        return CopyMatrix(J_.data, numbers);
      case Output::kLambda:
        return CopyMatrix(task_.lambda, numbers);
      case Output::kEta:
        return CopyMatrix(task_.eta, numbers);
      default:
        return CopyMatrix(result_.data, numbers);
    }
  }

 private:
  KDL::Chain chain_;
  KDL::ChainIdSolver_RNE inverse_dynamics_;
  KDL::ChainDynParam parameters_;
  KDL::ChainFdSolver_RNE forward_dynamics_;
  KDL::ChainJntToJacSolver jacobian_solver_;
  KDL::ChainJntToJacDotSolver drift_solver_;
  KDL::Wrenches no_wrenches_;
  KDL::JntSpaceInertiaMatrix M_;
  TaskSolver task_;
};

class KdlTreePeer : public KdlPeer {
 public:
  KdlTreePeer(const KDL::Tree& tree, const KDL::Vector& gravity,
              std::string tip)
      : KdlPeer(tree.getNrOfJoints()),
        tree_(tree),
        tip_(std::move(tip)),
        inverse_dynamics_(tree_, gravity),
        jacobian_solver_(tree_) {}

  std::vector<std::string> joint_names() const override {
    std::vector<std::string> names(tree_.getNrOfJoints());
    for (const auto& [link, element] : tree_.getSegments()) {
      const KDL::Joint& joint = element.segment.getJoint();
      if (joint.getType() == KDL::Joint::Fixed) continue;
      names[element.q_nr] = joint.getName();
    }
    return names;
  }

  bool Compute(Quantity quantity, const StateRow& state) override {
    Assign(q_, state.q);
    if (quantity == Quantity::kJacobian) {
      return jacobian_solver_.JntToJac(q_, J_, tip_) >= 0;
    }
    const bool bias = quantity == Quantity::kBiasForces;
    if (!bias && quantity != Quantity::kInverseDynamics) return false;
    Assign(v_, state.v);
    Assign(a_, state.a);
    if (bias) a_.data.setZero();
    return inverse_dynamics_.CartToJnt(q_, v_, a_, {}, result_) >= 0;
  }

  void Copy(Output output, double* numbers) const override {
    if (output == Output::kJacobian) return CopyMatrix(J_.data, numbers);
    CopyMatrix(result_.data, numbers);
  }

 private:
  KDL::Tree tree_;
  std::string tip_;
  KDL::TreeIdSolver_RNE inverse_dynamics_;
  KDL::TreeJntToJacSolver jacobian_solver_;
};

std::unique_ptr<Peer> MakeKdl(const PeerRequest& request) {
  const testing_support::KdlTree robot(request.urdf, request.joint_names,
                                       {0, 0, -9.81});
  KDL::Chain chain;
  const std::string& root = robot.tree().getRootSegment()->first;
  if (robot.tree().getChain(root, request.tip, chain) &&
      chain.getNrOfJoints() == robot.tree().getNrOfJoints()) {
    return std::make_unique<KdlChainPeer>(chain, robot.gravity());
  }
  return std::make_unique<KdlTreePeer>(robot.tree(), robot.gravity(),
                                       request.tip);
}

}  // namespace
}  // namespace torqued::bench

TORQUED_BENCH_PEER(MakeKdl)
