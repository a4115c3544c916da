// A robot's quantities by Orocos KDL, which gets it from a URDF text by urdfdom
// and thus without any code of ours. Joints are in KDL's order, spatial vectors
// (angular; linear). What is returned by reference stays until the next call;
// solvers and their memory are made once.
#pragma once

#include <Eigen/Core>
#include <array>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/dynamics/quantity.h"
#include "tests/support/libraries/task_solver.h"

namespace torqued::oracles {

/// A view, copied where it is assigned.
inline auto AngularFirst(const KDL::Jacobian& J) {
  return J.data(std::array{3, 4, 5, 0, 1, 2}, Eigen::all);
}
inline TaskVector AngularFirst(const KDL::Twist& twist) {
  TaskVector x;
  for (int k = 0; k < 6; ++k) x[k] = twist((k + 3) % 6);
  return x;
}
inline KDL::Wrench ToKdl(const Eigen::VectorXd& w) {
  return {KDL::Vector(w[3], w[4], w[5]), KDL::Vector(w[0], w[1], w[2])};
}

/// KDL has inverse dynamics, poses and Jacobians of trees.
class KdlTree {
 public:
  using Vector = const Eigen::Ref<const Eigen::VectorXd>&;

  /// Throws std::runtime_error where urdfdom or KDL cannot read the text.
  KdlTree(const std::string& urdf, std::string tip,
          const std::array<double, 3>& gravity);
  KdlTree(const KdlTree&) = delete;
  KdlTree& operator=(const KdlTree&) = delete;

  std::vector<std::string> joint_names() const;
  /// Whether all joints are between the root and the tip.
  bool is_chain() const {
    return chain_.getNrOfJoints() == tree_.getNrOfJoints();
  }

  const Eigen::VectorXd& InverseDynamics(Vector q, Vector v, Vector a,
                                         const KDL::WrenchMap& on_robot = {}) {
    Check(tree_inverse_dynamics_.CartToJnt(Set(q_, q), Set(v_, v), Set(a_, a),
                                           on_robot, result_));
    return result_.data;
  }
  const Eigen::VectorXd& BiasForces(Vector q, Vector v) {
    return InverseDynamics(q, v, zeros_);
  }
  /// The one that was computed last.
  auto J() const { return AngularFirst(J_); }
  /// kLocalWorldAligned.
  auto Jacobian(Vector q) {
    Check(tree_jacobian_.JntToJac(Set(q_, q), J_, tip_));
    return J();
  }
  Eigen::MatrixXd FramePose(Vector q, const std::string& link);

 protected:
  static const KDL::JntArray& Set(KDL::JntArray& array, Vector numbers) {
    array.data = numbers;
    return array;
  }
  static void Check(int error) {
    if (error < 0) throw std::runtime_error("a solver of KDL fails");
  }
  KDL::Frame PoseOf(Vector q, const std::string& link) {
    KDL::Frame pose;
    Check(tree_poses_.JntToCart(Set(q_, q), pose, link));
    return pose;
  }

  KDL::Tree tree_;
  KDL::Chain chain_;
  std::string tip_;
  KDL::Vector gravity_;
  KDL::JntArray q_, v_, a_, result_;
  KDL::Jacobian J_;
  Eigen::VectorXd zeros_;

 private:
  KDL::TreeIdSolver_RNE tree_inverse_dynamics_;
  KDL::TreeJntToJacSolver tree_jacobian_;
  KDL::TreeFkSolverPos_recursive tree_poses_;
};

/// A robot whose joints are all between the root and the tip. Wrenches are
/// those that the tip exerts, in its axes; empty: none.
class KdlChain : public KdlTree {
  static constexpr auto kAligned = ReferenceFrame::kLocalWorldAligned;

 public:
  /// Throws std::runtime_error for another robot, too.
  KdlChain(const std::string& urdf, const std::string& tip,
           const std::array<double, 3>& gravity);

  const Eigen::VectorXd& InverseDynamics(Vector q, Vector v, Vector a,
                                         const Eigen::VectorXd& wrench = {}) {
    Check(inverse_dynamics_.CartToJnt(Set(q_, q), Set(v_, v), Set(a_, a),
                                      Exerted(wrench), result_));
    return result_.data;
  }
  const Eigen::VectorXd& ForwardDynamics(Vector q, Vector v, Vector tau,
                                         const Eigen::VectorXd& wrench = {}) {
    Check(forward_dynamics_.CartToJnt(Set(q_, q), Set(v_, v), Set(a_, tau),
                                      Exerted(wrench), result_));
    return result_.data;
  }
  /// One recursion, where JntToCoriolis and JntToGravity would take two.
  const Eigen::VectorXd& BiasForces(Vector q, Vector v) {
    return InverseDynamics(q, v, zeros_);
  }
  const Eigen::VectorXd& GravityForces(Vector q) {
    Check(parameters_.JntToGravity(Set(q_, q), result_));
    return result_.data;
  }
  const Eigen::VectorXd& CoriolisForces(Vector q, Vector v) {
    Check(parameters_.JntToCoriolis(Set(q_, q), Set(v_, v), result_));
    return result_.data;
  }
  const Eigen::MatrixXd& MassMatrix(Vector q) {
    Check(parameters_.JntToMass(Set(q_, q), M_));
    return M_.data;
  }
  auto Jacobian(Vector q, ReferenceFrame frame = kAligned) {
    Check(jacobian_.JntToJac(Set(q_, q), J_));
    if (frame == ReferenceFrame::kLocal) {
      J_.changeBase(PoseOf(q, tip_).M.Inverse());
    } else if (frame == ReferenceFrame::kWorld) {
      J_.changeRefPoint(-PoseOf(q, tip_).p);
    }
    return J();
  }
  auto JacobianRate(Vector q, Vector v, ReferenceFrame frame) {
    ComputeRate(q, v, frame, rate_);
    return AngularFirst(rate_);
  }
  TaskVector JacobianDrift(Vector q, Vector v, ReferenceFrame frame) {
    KDL::Twist drift;
    ComputeRate(q, v, frame, drift);
    return AngularFirst(drift);
  }
  TaskVector FrameVelocity(Vector q, Vector v, ReferenceFrame frame);
  /// And J().
  const TaskSolver& OperationalSpace(Vector q, Vector v,
                                     ReferenceFrame frame = kAligned) {
    task_.Solve(MassMatrix(q), BiasForces(q, v), Jacobian(q, frame),
                JacobianDrift(q, v, frame));
    return task_;
  }
  /// Ten numbers for each moving link with all that is fixed to it: m, m c,
  /// I_xx, I_xy, I_yy, I_xz, I_yz, I_zz, in the axes of the link and about its
  /// origin.
  Eigen::VectorXd InertialParameters() const;

 private:
  template <class Result>
  void ComputeRate(Vector q, Vector v, ReferenceFrame frame, Result& result) {
    using Solver = KDL::ChainJntToJacDotSolver;
    rate_solver_.setRepresentation(frame == kAligned ? Solver::HYBRID
                                   : frame == ReferenceFrame::kLocal
                                       ? Solver::BODYFIXED
                                       : Solver::INERTIAL);
    Check(rate_solver_.JntToJacDot({Set(q_, q), Set(v_, v)}, result));
  }
  const KDL::Wrenches& Exerted(const Eigen::VectorXd& wrench);

  KDL::ChainIdSolver_RNE inverse_dynamics_;
  KDL::ChainFdSolver_RNE forward_dynamics_;
  KDL::ChainDynParam parameters_;
  KDL::ChainJntToJacSolver jacobian_;
  KDL::ChainJntToJacDotSolver rate_solver_;
  KDL::Wrenches wrenches_;
  KDL::JntSpaceInertiaMatrix M_;
  KDL::Jacobian rate_;
  TaskSolver task_;
};

}  // namespace torqued::oracles
