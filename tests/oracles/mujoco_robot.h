// Robots of MuJoCo, which reads the URDF text itself.
//
// Results are in our conventions: joints in the order given, spatial vectors
// (angular; linear), wrenches (moment; force). Contacts, limits and Coulomb
// friction, which MuJoCo solves for as constraints, are off.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "tests/oracles/mujoco_model.h"

namespace torqued::testing_support {

class MujocoRobot {
 public:
  /// Of the links that joints move, all together; world axes.
  struct Whole {
    double kinetic_energy;    // with the armatures
    double potential_energy;  // zero at the world's origin
    Eigen::Vector3d center_of_mass;
    Eigen::Vector3d center_of_mass_velocity;
    /// (angular; linear), about the centre of mass.
    Eigen::VectorXd momentum;
  };

  /// `joint_names` order q, v, a and τ. Throws std::runtime_error where MuJoCo
  /// refuses the text.
  MujocoRobot(const std::string& urdf,
              const std::vector<std::string>& joint_names,
              const std::array<double, 3>& gravity);

  /// Viscous friction as in the URDF; off at first.
  void EnableDamping();
  void SetArmature(const Eigen::VectorXd& armature);

  Eigen::VectorXd InverseDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& a);
  Eigen::VectorXd Bias(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  Eigen::MatrixXd MassMatrix(const Eigen::VectorXd& q);
  Eigen::VectorXd ForwardDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& tau);
  /// With a wrench that the link exerts on the environment, in world axes with
  /// the moment about the link's origin.
  Eigen::VectorXd ForwardDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& tau,
                                  const std::string& link,
                                  const Eigen::VectorXd& wrench);
  Eigen::Matrix4d FramePose(const Eigen::VectorXd& q, const std::string& link);
  /// At the link's origin, in world axes.
  Eigen::MatrixXd Jacobian(const Eigen::VectorXd& q, const std::string& link);
  /// J̇ v of that Jacobian.
  Eigen::VectorXd JacobianDrift(const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v,
                                const std::string& link);
  Whole WholeRobot(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Twist of the link at its origin, in its axes or in those of the world.
  Eigen::VectorXd LinkTwist(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                            const std::string& link, bool in_its_axes);
  /// Angular acceleration of the link and the second derivative of the position
  /// of its origin, in world axes.
  Eigen::VectorXd LinkAcceleration(const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& v,
                                   const Eigen::VectorXd& a,
                                   const std::string& link);

  struct Wrenches {
    /// For each joint the wrench that the link before it exerts on the one that
    /// it moves, at that link's origin and in its axes.
    std::vector<Eigen::VectorXd> of_joints;
    /// What what is fixed exerts on what moves: world axes and origin.
    Eigen::VectorXd of_base;
  };
  /// With a wrench that the link exerts on the environment, in world axes with
  /// the moment about the link's origin.
  Wrenches JointWrenches(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                         const Eigen::VectorXd& a, const std::string& link,
                         const Eigen::VectorXd& wrench);

 private:
  /// Of the state that is set, with gravity in them, and the forces that they
  /// take.
  void ComputeAccelerations(const Eigen::VectorXd& a);
  bool IsFixed(int body) const { return model_->body_weldid[body] == 0; }
  int Body(const std::string& link) const;
  void SetPosition(const Eigen::VectorXd& q);
  void SetState(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// From MuJoCo's order.
  Eigen::VectorXd Ordered(const mjtNum* values) const;

  MujocoModel model_;
  MujocoData data_;
  /// Of our joint i.
  std::vector<int> position_index_;
  std::vector<int> velocity_index_;
};

}  // namespace torqued::testing_support
