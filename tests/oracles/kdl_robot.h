// Robots of Orocos KDL, built from a URDF text by urdfdom and thus without any
// code of ours.
//
// Results are in our conventions: joints in the order given, spatial vectors
// (angular; linear), wrenches (moment; force).
#pragma once

#include <Eigen/Core>
#include <array>
#include <kdl/chain.hpp>
#include <kdl/jntarray.hpp>
#include <kdl/tree.hpp>
#include <map>
#include <string>
#include <vector>

#include "core/model/tree.h"

namespace torqued::testing_support {

/// The whole robot. KDL offers trees inverse dynamics, poses and Jacobians.
class KdlTree {
 public:
  /// `joint_names` order q, v, a and τ. Throws std::runtime_error where
  /// urdfdom or KDL cannot read the text.
  KdlTree(const std::string& urdf, const std::vector<std::string>& joint_names,
          const std::array<double, 3>& gravity);

  /// With a wrench that `tip` exerts on the environment, in the axes of tip.
  Eigen::VectorXd InverseDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& a,
                                  const std::string& tip = {},
                                  const Eigen::VectorXd& wrench = {}) const;
  /// With wrenches that act on links, each in the axes of its link.
  Eigen::VectorXd InverseDynamics(
      const Eigen::VectorXd& q, const Eigen::VectorXd& v,
      const Eigen::VectorXd& a,
      const std::map<std::string, Eigen::VectorXd>& on_robot) const;
  Eigen::Matrix4d FramePose(const Eigen::VectorXd& q,
                            const std::string& link) const;
  /// kLocalWorldAligned.
  Eigen::MatrixXd Jacobian(const Eigen::VectorXd& q,
                           const std::string& link) const;

  const KDL::Tree& tree() const { return tree_; }
  const KDL::Vector& gravity() const { return gravity_; }

 private:
  KDL::JntArray JointArray(const Eigen::VectorXd& values) const;

  KDL::Tree tree_;
  KDL::Vector gravity_;
  /// Our joint i is KDL's number kdl_index_[i].
  std::vector<int> kdl_index_;
};

/// The robot from its root to a link, which must have all its joints on the
/// way: the order of the joints is then that of the way.
class KdlChain {
 public:
  KdlChain(const KdlTree& robot, const std::string& root,
           const std::string& tip);

  Eigen::VectorXd InverseDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& a) const;
  /// With a wrench that the tip exerts on the environment, in its axes.
  Eigen::VectorXd InverseDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& a,
                                  const Eigen::VectorXd& wrench) const;
  Eigen::MatrixXd MassMatrix(const Eigen::VectorXd& q) const;
  Eigen::VectorXd GravityTorque(const Eigen::VectorXd& q) const;
  Eigen::VectorXd CoriolisTorque(const Eigen::VectorXd& q,
                                 const Eigen::VectorXd& v) const;
  Eigen::VectorXd ForwardDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& tau) const;
  Eigen::VectorXd ForwardDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& tau,
                                  const Eigen::VectorXd& wrench) const;
  Eigen::Matrix4d FramePose(const Eigen::VectorXd& q) const;
  Eigen::MatrixXd Jacobian(const Eigen::VectorXd& q,
                           ReferenceFrame frame) const;
  /// J̇ v.
  Eigen::VectorXd JacobianDrift(const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v,
                                ReferenceFrame frame) const;
  /// J̇.
  Eigen::MatrixXd JacobianRate(const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v,
                               ReferenceFrame frame) const;
  /// Twist of the tip.
  Eigen::VectorXd FrameVelocity(const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v,
                                ReferenceFrame frame) const;
  /// Ten numbers for each moving link with all that is fixed to it: m, m c,
  /// I_xx, I_xy, I_yy, I_xz, I_yz, I_zz, in the axes of the link and about its
  /// origin.
  Eigen::VectorXd InertialParameters() const;

 private:
  std::vector<KDL::Wrench> TipWrench(const Eigen::VectorXd& wrench) const;

  KDL::Chain chain_;
  KDL::Vector gravity_;
};

}  // namespace torqued::testing_support
