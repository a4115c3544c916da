#include "tests/support/libraries/mujoco_robot.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace torqued::oracles {

using Eigen::Vector3d;

namespace {

// How MuJoCo is to read a URDF: no link merged, no inertia changed. A moving
// point mass, which it refuses, gets an inertia below the rounding of ours.
constexpr char kSettings[] =
    "<mujoco><compiler fusestatic=\"false\" balanceinertia=\"false\" "
    "boundinertia=\"1e-14\" discardvisual=\"true\"/></mujoco>";

std::string WithSettings(const std::string& urdf) {
  const std::size_t robot = urdf.find("<robot");
  if (robot == std::string::npos) throw std::runtime_error("no <robot>");
  const std::size_t inside = urdf.find('>', robot) + 1;
  return urdf.substr(0, inside) + kSettings + urdf.substr(inside);
}

mjModel* Load(const std::string& text) {
  constexpr char kName[] = "robot.urdf";
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), kName, static_cast<int>(text.size())) !=
      0) {
    throw std::runtime_error("mj_makeEmptyFileVFS");
  }
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), kName)], text.data(),
              text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML(kName, files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

Vector3d At(const mjtNum* numbers) { return Vector3d(numbers); }

}  // namespace

MujocoRobot::MujocoRobot(const std::string& urdf, const std::string& tip,
                         const std::array<double, 3>& gravity)
    : model_(Load(WithSettings(urdf))),
      data_(mj_makeData(model_.get())),
      tip_(Body(tip)),
      result_(n_),
      M_(n_, n_),
      J_(6, n_),
      X_(6, n_),
      task_(n_) {
  std::copy(gravity.begin(), gravity.end(), m_->opt.gravity);
  m_->opt.enableflags |= mjENBL_ENERGY;
  m_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_PASSIVE;
}

std::vector<std::string> MujocoRobot::joint_names() const {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) {
    names.emplace_back(mj_id2name(m_, mjOBJ_JOINT, i));
  }
  return names;
}

void MujocoRobot::AddTerms(Vector armatures, bool damping) {
  more_terms_ = true;
  Joints(m_->dof_armature) = armatures;
  if (damping) m_->opt.disableflags &= ~mjDSBL_PASSIVE;
}

const TaskSolver& MujocoRobot::OperationalSpace(Vector q, Vector v) {
  BiasForces(q, v);
  Factorize();
  mj_jacBody(m_, d_, J_.row(3).data(), J_.data(), tip_);
  const TaskVector drift = Acceleration(tip_, zeros_);
  // X = (M⁻¹ Jᵀ)ᵀ by the sparse factors.
  mj_solveM(m_, d_, X_.data(), J_.data(), 6);
  task_.Finish(X_ * J_.transpose(), X_ * result_ - drift);
  return task_;
}

Eigen::MatrixXd MujocoRobot::Pose(const std::string& link) const {
  const int body = Body(link);
  Eigen::MatrixXd pose(3, 4);
  pose << Axes(body), At(d_->xpos + 3 * body);
  return pose;
}

TaskVector MujocoRobot::Twist(const std::string& link, bool in_its_axes) const {
  TaskVector twist;
  mj_objectVelocity(m_, d_, mjOBJ_XBODY, Body(link), twist.data(), in_its_axes);
  return twist;
}

TaskVector MujocoRobot::Acceleration(int body, Vector a) {
  Joints(d_->qacc) = a;
  mj_rnePostConstraint(m_, d_);
  TaskVector acceleration;
  mj_objectAcceleration(m_, d_, mjOBJ_XBODY, body, acceleration.data(), 0);
  // MuJoCo counts gravity as an upward acceleration of the world.
  acceleration.tail(3) += At(m_->opt.gravity);
  return acceleration;
}

MujocoRobot::Whole MujocoRobot::WholeRobot() {
  mj_crb(m_, d_);
  mj_energyPos(m_, d_);
  mj_energyVel(m_, d_);
  mj_subtreeVel(m_, d_);
  double mass = m_->body_subtreemass[0], potential = d_->energy[0];
  const Vector3d center_of_all = At(d_->subtree_com);
  Vector3d moment = mass * center_of_all;
  const Vector3d linear = mass * At(d_->subtree_linvel);
  // MuJoCo's whole has the links that are fixed to the world in it.
  for (int body = 1; body < m_->nbody; ++body) {
    if (!IsFixed(body)) continue;
    const Vector3d part = m_->body_mass[body] * At(d_->xipos + 3 * body);
    mass -= m_->body_mass[body];
    moment -= part;
    potential += At(m_->opt.gravity).dot(part);
  }
  const Vector3d center = moment / mass;
  const Vector3d angular =
      At(d_->subtree_angmom) + (center_of_all - center).cross(linear);
  return {d_->energy[1], potential, center, linear / mass,
          Joined(angular, linear)};
}

std::pair<Eigen::MatrixXd, TaskVector> MujocoRobot::JointAndBaseWrenches(
    Vector a, const TaskVector& wrench) {
  // MuJoCo's forces act on the link, at its centre of mass.
  const Vector3d force = -wrench.tail(3);
  const Vector3d arm = At(d_->xpos + 3 * tip_) - At(d_->xipos + 3 * tip_);
  Eigen::Map<TaskVector>(d_->xfrc_applied + 6 * tip_) << force,
      arm.cross(force) - wrench.head<3>();
  Acceleration(tip_, a);
  // MuJoCo has it about the centre of mass of the tree of the body.
  const auto about = [&](int body, const Vector3d& point) {
    const Vector3d moment = At(d_->cfrc_int + 6 * body);
    const Vector3d f = At(d_->cfrc_int + 6 * body + 3);
    const Vector3d center = At(d_->subtree_com + 3 * m_->body_rootid[body]);
    return std::pair{Vector3d(moment + (center - point).cross(f)), f};
  };
  Eigen::MatrixXd of_joints(n_, 6);
  TaskVector of_base = TaskVector::Zero();
  for (int i = 0; i < n_; ++i) {
    const int body = m_->dof_bodyid[i];
    const auto [moment, f] = about(body, At(d_->xpos + 3 * body));
    of_joints.row(i) =
        Joined(Axes(body).transpose() * moment, Axes(body).transpose() * f);
    if (!IsFixed(m_->body_parentid[body])) continue;
    const auto [about_origin, same] = about(body, Vector3d::Zero());
    of_base += Joined(about_origin, same);
  }
  return {of_joints, of_base};
}

int MujocoRobot::Body(const std::string& link) const {
  const int body = mj_name2id(m_, mjOBJ_BODY, link.c_str());
  if (body < 0) throw std::runtime_error("no link " + link);
  return body;
}

}  // namespace torqued::oracles
