#include "tests/oracles/mujoco_robot.h"

#include <stdexcept>

namespace torqued::testing_support {

MujocoRobot::MujocoRobot(const std::string& urdf,
                         const std::vector<std::string>& joint_names,
                         const std::array<double, 3>& gravity)
    : model_(LoadMujocoModel(urdf, gravity)), data_(mj_makeData(model_.get())) {
  if (model_->nv != static_cast<int>(joint_names.size())) {
    throw std::runtime_error("number of joints");
  }
  for (const std::string& name : joint_names) {
    const int joint = mj_name2id(model_.get(), mjOBJ_JOINT, name.c_str());
    if (joint < 0) throw std::runtime_error("no joint " + name);
    position_index_.push_back(model_->jnt_qposadr[joint]);
    velocity_index_.push_back(model_->jnt_dofadr[joint]);
  }
}

void MujocoRobot::EnableDamping() {
  model_->opt.disableflags &= ~mjDSBL_PASSIVE;
}

void MujocoRobot::SetArmature(const Eigen::VectorXd& armature) {
  for (int i = 0; i < armature.size(); ++i) {
    model_->dof_armature[velocity_index_[i]] = armature[i];
  }
}

int MujocoRobot::Body(const std::string& link) const {
  const int body = mj_name2id(model_.get(), mjOBJ_BODY, link.c_str());
  if (body < 0) throw std::runtime_error("no link " + link);
  return body;
}

void MujocoRobot::SetPosition(const Eigen::VectorXd& q) {
  SetState(q, Eigen::VectorXd::Zero(q.size()));
}

void MujocoRobot::SetState(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  mj_resetData(model_.get(), data_.get());
  for (int i = 0; i < q.size(); ++i) {
    data_->qpos[position_index_[i]] = q[i];
    data_->qvel[velocity_index_[i]] = v[i];
  }
}

Eigen::VectorXd MujocoRobot::Ordered(const mjtNum* values) const {
  Eigen::VectorXd ordered(model_->nv);
  for (int i = 0; i < model_->nv; ++i) ordered[i] = values[velocity_index_[i]];
  return ordered;
}

Eigen::VectorXd MujocoRobot::InverseDynamics(const Eigen::VectorXd& q,
                                             const Eigen::VectorXd& v,
                                             const Eigen::VectorXd& a) {
  SetState(q, v);
  for (int i = 0; i < a.size(); ++i) data_->qacc[velocity_index_[i]] = a[i];
  mj_inverse(model_.get(), data_.get());
  return Ordered(data_->qfrc_inverse);
}

Eigen::VectorXd MujocoRobot::Bias(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v) {
  SetState(q, v);
  mj_forward(model_.get(), data_.get());
  return Ordered(data_->qfrc_bias);
}

Eigen::MatrixXd MujocoRobot::MassMatrix(const Eigen::VectorXd& q) {
  SetPosition(q);
  mj_forward(model_.get(), data_.get());
  const int n = model_->nv;
  Eigen::MatrixXd theirs(n, n);
  mj_fullM(model_.get(), theirs.data(), data_->qM);
  Eigen::MatrixXd M(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      M(i, j) = theirs(velocity_index_[i], velocity_index_[j]);
    }
  }
  return M;
}

Eigen::VectorXd MujocoRobot::ForwardDynamics(const Eigen::VectorXd& q,
                                             const Eigen::VectorXd& v,
                                             const Eigen::VectorXd& tau) {
  return ForwardDynamics(q, v, tau, "", Eigen::VectorXd());
}

Eigen::VectorXd MujocoRobot::ForwardDynamics(const Eigen::VectorXd& q,
                                             const Eigen::VectorXd& v,
                                             const Eigen::VectorXd& tau,
                                             const std::string& link,
                                             const Eigen::VectorXd& wrench) {
  SetState(q, v);
  mj_fwdPosition(model_.get(), data_.get());
  for (int i = 0; i < tau.size(); ++i) {
    data_->qfrc_applied[velocity_index_[i]] = tau[i];
  }
  if (wrench.size() > 0) {
    // MuJoCo's forces act on the link.
    const Eigen::VectorXd on_link = -wrench;
    const int body = Body(link);
    mj_applyFT(model_.get(), data_.get(), on_link.data() + 3, on_link.data(),
               data_->xpos + 3 * body, body, data_->qfrc_applied);
  }
  mj_forward(model_.get(), data_.get());
  return Ordered(data_->qacc);
}

Eigen::Matrix4d MujocoRobot::FramePose(const Eigen::VectorXd& q,
                                       const std::string& link) {
  SetPosition(q);
  mj_kinematics(model_.get(), data_.get());
  const int body = Body(link);
  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      pose(r, c) = data_->xmat[9 * body + 3 * r + c];
    }
    pose(r, 3) = data_->xpos[3 * body + r];
  }
  return pose;
}

Eigen::MatrixXd MujocoRobot::Jacobian(const Eigen::VectorXd& q,
                                      const std::string& link) {
  SetPosition(q);
  mj_fwdPosition(model_.get(), data_.get());
  const int n = model_->nv;
  const int body = Body(link);
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> linear(3, n);
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> angular(3, n);
  mj_jac(model_.get(), data_.get(), linear.data(), angular.data(),
         data_->xpos + 3 * body, body);
  Eigen::MatrixXd J(6, n);
  for (int i = 0; i < n; ++i) {
    J.col(i) << angular.col(velocity_index_[i]), linear.col(velocity_index_[i]);
  }
  return J;
}

Eigen::VectorXd MujocoRobot::JacobianDrift(const Eigen::VectorXd& q,
                                           const Eigen::VectorXd& v,
                                           const std::string& link) {
  SetState(q, v);
  mj_fwdPosition(model_.get(), data_.get());
  mj_fwdVelocity(model_.get(), data_.get());
  // The acceleration of the link where no joint accelerates. MuJoCo counts
  // gravity as an upward acceleration of the world.
  mju_zero(data_->qacc, model_->nv);
  mj_rnePostConstraint(model_.get(), data_.get());
  Eigen::VectorXd drift(6);
  mj_objectAcceleration(model_.get(), data_.get(), mjOBJ_XBODY, Body(link),
                        drift.data(), 0);
  for (int k = 0; k < 3; ++k) drift[3 + k] += model_->opt.gravity[k];
  return drift;
}

}  // namespace torqued::testing_support
