#include "tests/oracles/mujoco_robot.h"

#include <Eigen/Geometry>
#include <stdexcept>
#include <utility>

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
  // The acceleration of the link where no joint accelerates.
  return LinkAcceleration(q, v, Eigen::VectorXd::Zero(v.size()), link);
}

MujocoRobot::Whole MujocoRobot::WholeRobot(const Eigen::VectorXd& q,
                                           const Eigen::VectorXd& v) {
  using Vector3 = Eigen::Map<const Eigen::Vector3d>;
  SetState(q, v);
  mjModel* const m = model_.get();
  mjData* const d = data_.get();
  mj_fwdPosition(m, d);
  mj_fwdVelocity(m, d);
  m->opt.enableflags |= mjENBL_ENERGY;
  mj_energyPos(m, d);
  mj_energyVel(m, d);
  mj_subtreeVel(m, d);
  const Vector3 gravity(m->opt.gravity);
  // MuJoCo's whole has the links that are fixed to the world in it.
  double mass = 0;
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  Whole whole;
  whole.kinetic_energy = d->energy[1];
  whole.potential_energy = d->energy[0];
  for (int body = 1; body < m->nbody; ++body) {
    const Vector3 center(d->xipos + 3 * body);
    if (IsFixed(body)) {
      whole.potential_energy += m->body_mass[body] * gravity.dot(center);
    } else {
      mass += m->body_mass[body];
    }
  }
  const double all = m->body_subtreemass[0];
  const Vector3 center_of_all(d->subtree_com);
  moment = all * center_of_all;
  for (int body = 1; body < m->nbody; ++body) {
    if (!IsFixed(body)) continue;
    moment -= m->body_mass[body] * Vector3(d->xipos + 3 * body);
  }
  whole.center_of_mass = moment / mass;
  const Eigen::Vector3d linear = all * Vector3(d->subtree_linvel);
  whole.center_of_mass_velocity = linear / mass;
  whole.momentum.resize(6);
  whole.momentum << Vector3(d->subtree_angmom) +
                        (center_of_all - whole.center_of_mass).cross(linear),
      linear;
  return whole;
}

Eigen::VectorXd MujocoRobot::LinkTwist(const Eigen::VectorXd& q,
                                       const Eigen::VectorXd& v,
                                       const std::string& link,
                                       bool in_its_axes) {
  SetState(q, v);
  mj_fwdPosition(model_.get(), data_.get());
  mj_fwdVelocity(model_.get(), data_.get());
  Eigen::VectorXd twist(6);
  mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, Body(link),
                    twist.data(), in_its_axes ? 1 : 0);
  return twist;
}

void MujocoRobot::ComputeAccelerations(const Eigen::VectorXd& a) {
  mj_fwdPosition(model_.get(), data_.get());
  mj_fwdVelocity(model_.get(), data_.get());
  for (int i = 0; i < a.size(); ++i) data_->qacc[velocity_index_[i]] = a[i];
  mj_rnePostConstraint(model_.get(), data_.get());
}

Eigen::VectorXd MujocoRobot::LinkAcceleration(const Eigen::VectorXd& q,
                                              const Eigen::VectorXd& v,
                                              const Eigen::VectorXd& a,
                                              const std::string& link) {
  SetState(q, v);
  ComputeAccelerations(a);
  Eigen::VectorXd acceleration(6);
  mj_objectAcceleration(model_.get(), data_.get(), mjOBJ_XBODY, Body(link),
                        acceleration.data(), 0);
  // MuJoCo counts gravity as an upward acceleration of the world.
  for (int k = 0; k < 3; ++k) acceleration[3 + k] += model_->opt.gravity[k];
  return acceleration;
}

MujocoRobot::Wrenches MujocoRobot::JointWrenches(
    const Eigen::VectorXd& q, const Eigen::VectorXd& v,
    const Eigen::VectorXd& a, const std::string& link,
    const Eigen::VectorXd& wrench) {
  using Vector3 = Eigen::Map<const Eigen::Vector3d>;
  SetState(q, v);
  const mjModel* const m = model_.get();
  const mjData* const d = data_.get();
  mj_kinematics(m, data_.get());
  // MuJoCo's forces act on the link, at its centre of mass.
  const int tip = Body(link);
  const Eigen::Vector3d force = -wrench.tail<3>();
  const Eigen::Vector3d arm =
      Vector3(d->xpos + 3 * tip) - Vector3(d->xipos + 3 * tip);
  Eigen::Map<Eigen::VectorXd> applied(data_->xfrc_applied + 6 * tip, 6);
  applied << force, arm.cross(force) - wrench.head<3>();
  ComputeAccelerations(a);

  // About the centre of mass of the tree of the body, in world axes.
  const auto about = [&](int body, const Eigen::Vector3d& point) {
    const double* const internal = d->cfrc_int + 6 * body;
    const Eigen::Vector3d f = Vector3(internal + 3);
    const Vector3 center(d->subtree_com + 3 * m->body_rootid[body]);
    Eigen::VectorXd result(6);
    result << Vector3(internal) + (center - point).cross(f), f;
    return result;
  };
  Wrenches wrenches;
  wrenches.of_base = Eigen::VectorXd::Zero(6);
  for (const int dof : velocity_index_) {
    const int body = m->dof_bodyid[dof];
    Eigen::VectorXd own = about(body, Vector3(d->xpos + 3 * body));
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(
        d->xmat + 9 * body);
    own.head<3>() = (R.transpose() * own.head<3>()).eval();
    own.tail<3>() = (R.transpose() * own.tail<3>()).eval();
    wrenches.of_joints.push_back(std::move(own));
    if (IsFixed(m->body_parentid[body])) {
      wrenches.of_base += about(body, Eigen::Vector3d::Zero());
    }
  }
  return wrenches;
}

}  // namespace torqued::testing_support
