// A robot's quantities by MuJoCo, which reads the URDF text itself: by the
// stages of its forward and inverse dynamics that a quantity needs, without
// constraints, contacts and sensors. Joints are in MuJoCo's order, spatial
// vectors (angular; linear). What is returned by reference stays until the next
// call; memory is made once.
#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/libraries/task_solver.h"

namespace torqued::oracles {

inline TaskVector Joined(const Eigen::Vector3d& angular,
                         const Eigen::Vector3d& linear) {
  return (TaskVector() << angular, linear).finished();
}

class MujocoRobot {
 public:
  using Vector = const Eigen::Ref<const Eigen::VectorXd>&;
  using Rows =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// No link is merged, no inertia changed. Limits, damping and Coulomb
  /// friction are off. Throws std::runtime_error where MuJoCo refuses the text.
  MujocoRobot(const std::string& urdf, const std::string& tip,
              const std::array<double, 3>& gravity);
  MujocoRobot(const MujocoRobot&) = delete;
  MujocoRobot& operator=(const MujocoRobot&) = delete;

  std::vector<std::string> joint_names() const;
  /// Counts rotors and, if `damping`, viscous friction from now on.
  void AddTerms(Vector armatures, bool damping);

  const Eigen::VectorXd& InverseDynamics(Vector q, Vector v, Vector a) {
    Move(q, v);
    Joints(d_->qacc) = a;
    mj_rne(m_, d_, 1, result_.data());
    if (more_terms_) {
      result_ += Joints(m_->dof_armature).cwiseProduct(a) - Passive();
    }
    return result_;
  }
  const Rows& MassMatrix(Vector q) {
    Place(q);
    mj_crb(m_, d_);
    mj_fullM(m_, M_.data(), d_->qM);
    return M_;
  }
  /// The tip exerts the wrench in world axes, the moment about its origin;
  /// empty: none.
  const Eigen::VectorXd& ForwardDynamics(Vector q, Vector v, Vector tau,
                                         const Eigen::VectorXd& wrench = {}) {
    BiasForces(q, v);
    Factorize();
    result_ = tau - result_;
    if (more_terms_) result_ += Passive();
    if (wrench.size() > 0) {
      const TaskVector on_tip = -wrench;
      mj_applyFT(m_, d_, on_tip.data() + 3, on_tip.data(), d_->xpos + 3 * tip_,
                 tip_, result_.data());
    }
    mj_solveM(m_, d_, result_.data(), result_.data(), 1);
    return result_;
  }
  const Eigen::VectorXd& BiasForces(Vector q, Vector v) {
    Move(q, v);
    mj_rne(m_, d_, 0, result_.data());
    return result_;
  }
  /// In world axes at the tip.
  const Rows& Jacobian(Vector q) {
    Place(q);
    mj_jacBody(m_, d_, J_.row(3).data(), J_.data(), tip_);
    return J_;
  }
  const Rows& J() const { return J_; }
  /// And J().
  const TaskSolver& OperationalSpace(Vector q, Vector v);

  // Of the state that was moved to last, in world axes.

  void Move(Vector q, Vector v) {
    Place(q);
    Joints(d_->qvel) = v;
    mj_comVel(m_, d_);
  }
  Eigen::MatrixXd Pose(const std::string& link) const;
  TaskVector Twist(const std::string& link, bool in_its_axes) const;
  /// Angular acceleration of the link and the second derivative of the position
  /// of its origin, where joints accelerate by `a`.
  TaskVector Acceleration(const std::string& link, Vector a) {
    return Acceleration(Body(link), a);
  }

  /// Of the links that joints move, all together. The momentum is about the
  /// centre of mass.
  struct Whole {
    double kinetic_energy, potential_energy;
    Eigen::Vector3d center, velocity;
    TaskVector momentum;
  };
  Whole WholeRobot();

  /// The wrench that the link before a joint exerts on the one that it moves,
  /// at that link's origin and in its axes, in the row of the joint; and what
  /// what is fixed exerts on what moves, in world axes about their origin. The
  /// tip exerts the wrench, as above.
  std::pair<Eigen::MatrixXd, TaskVector> JointAndBaseWrenches(
      Vector a, const TaskVector& wrench);

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  int Body(const std::string& link) const;
  bool IsFixed(int body) const { return m_->body_weldid[body] == 0; }
  Eigen::MatrixXd Axes(int body) const {
    return Eigen::Map<const Rows>(d_->xmat + 9 * body, 3, 3);
  }
  Eigen::Map<Eigen::VectorXd> Joints(mjtNum* numbers) const {
    return {numbers, n_};
  }
  Eigen::Map<Eigen::VectorXd> Passive() {
    mj_passive(m_, d_);
    return Joints(d_->qfrc_passive);
  }
  void Place(Vector q) {
    Joints(d_->qpos) = q;
    mj_kinematics(m_, d_);
    mj_comPos(m_, d_);
  }
  void Factorize() {
    mj_crb(m_, d_);
    mj_factorM(m_, d_);
  }
  TaskVector Acceleration(int body, Vector a);

  const std::unique_ptr<mjModel, Delete> model_;
  const std::unique_ptr<mjData, Delete> data_;
  mjModel* const m_ = model_.get();
  mjData* const d_ = data_.get();
  const int n_ = m_->nv;
  const int tip_;
  bool more_terms_ = false;
  Eigen::VectorXd result_;
  const Eigen::VectorXd zeros_ = Eigen::VectorXd::Zero(n_);
  Rows M_, J_, X_;
  TaskSolver task_;
};

}  // namespace torqued::oracles
