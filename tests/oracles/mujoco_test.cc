// Our results against MuJoCo, which reads the same URDF text by its own parser.
// Contacts, limits and Coulomb friction, which MuJoCo solves for as
// constraints, are off.
//
// MuJoCo stores inertias by principal axes, which it finds to some 1e-9 only:
// the bounds of what depends on inertias are wide for that reason. They are
// less than ten times the largest error seen. Errors of accelerations are
// divided by the condition number of M.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracles/mujoco_model.h"
#include "tests/oracles/robots.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using enum Output;
using enum ReferenceFrame;
using Shape = RandomRobotOptions::Shape;

Vector3d At(const mjtNum* numbers) { return Vector3d(numbers); }

MatrixXd Number(double x) { return MatrixXd::Constant(1, 1, x); }

VectorXd Joined(const Vector3d& angular, const Vector3d& linear) {
  VectorXd both(6);
  both << angular, linear;
  return both;
}

/// A robot in a state. Results are in our conventions: joints in our order,
/// spatial vectors (angular; linear), wrenches (moment; force).
class Mujoco {
 public:
  Mujoco(const TestRobot& robot, const State& s, bool damping)
      : owner_(LoadMujocoModel(robot.urdf, kSkewGravity)),
        data_(mj_makeData(owner_.get())),
        s_(s) {
    if (m_->nv != robot.model->nv()) throw std::runtime_error("joints");
    m_->opt.enableflags |= mjENBL_ENERGY;
    if (damping) m_->opt.disableflags &= ~mjDSBL_PASSIVE;
    for (const Joint& joint : robot.model->joints()) {
      const int id = mj_name2id(m_, mjOBJ_JOINT, joint.name.c_str());
      if (id < 0) throw std::runtime_error("no joint " + joint.name);
      const int dof = m_->jnt_dofadr[id];
      index_.push_back(dof);
      m_->dof_armature[dof] = joint.armature;
      d_->qpos[m_->jnt_qposadr[id]] = s.q[joint.q_index];
      d_->qvel[dof] = s.v[joint.v_index];
    }
    tip_ = Body(robot.tip);
    mj_forward(m_, d_);
  }

  MatrixXd MassMatrix() const {
    MatrixXd M(m_->nv, m_->nv);
    mj_fullM(m_, M.data(), d_->qM);
    return M(index_, index_);
  }
  VectorXd Bias() const { return Ordered(d_->qfrc_bias); }
  VectorXd InverseDynamics() {
    Set(d_->qacc, s_.a);
    mj_inverse(m_, d_);
    return Ordered(d_->qfrc_inverse);
  }
  /// The tip exerts the wrench in world axes, the moment about its origin.
  VectorXd ForwardDynamics(const VectorXd& wrench) {
    Set(d_->qfrc_applied, s_.tau);
    const VectorXd on_tip = -wrench;
    mj_applyFT(m_, d_, on_tip.data() + 3, on_tip.data(), d_->xpos + 3 * tip_,
               tip_, d_->qfrc_applied);
    mj_forward(m_, d_);
    return Ordered(d_->qacc);
  }

  MatrixXd Pose(const std::string& link) const {
    const int body = Body(link);
    MatrixXd pose(3, 4);
    pose << Axes(body), At(d_->xpos + 3 * body);
    return pose;
  }
  /// Of the tip, as kLocalWorldAligned.
  MatrixXd Jacobian() const {
    RowMajor linear(3, m_->nv), angular(3, m_->nv), J(6, m_->nv);
    mj_jac(m_, d_, linear.data(), angular.data(), d_->xpos + 3 * tip_, tip_);
    J << angular, linear;
    return J(Eigen::all, index_);
  }
  VectorXd Twist(const std::string& link, bool in_its_axes) const {
    VectorXd twist(6);
    mj_objectVelocity(m_, d_, mjOBJ_XBODY, Body(link), twist.data(),
                      in_its_axes);
    return twist;
  }
  /// Angular acceleration of the link and the second derivative of the position
  /// of its origin, in world axes, where joints accelerate by `a`.
  VectorXd Acceleration(const std::string& link, const VectorXd& a) {
    Set(d_->qacc, a);
    mj_rnePostConstraint(m_, d_);
    VectorXd acceleration(6);
    mj_objectAcceleration(m_, d_, mjOBJ_XBODY, Body(link), acceleration.data(),
                          0);
    // MuJoCo counts gravity as an upward acceleration of the world.
    acceleration.tail(3) += At(m_->opt.gravity);
    return acceleration;
  }

  /// Of the links that joints move, all together; world axes. The momentum is
  /// about the centre of mass.
  struct Whole {
    double kinetic_energy, potential_energy;
    Vector3d center, velocity;
    VectorXd momentum;
  };
  Whole WholeRobot() {
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

  /// The wrench that the link before a joint exerts on the one that it moves,
  /// at that link's origin and in its axes, in the row of the joint; and what
  /// what is fixed exerts on what moves, in world axes about their origin. The
  /// tip exerts the state's wrench, as above.
  std::pair<MatrixXd, VectorXd> JointAndBaseWrenches() {
    // MuJoCo's forces act on the link, at its centre of mass.
    const Vector3d force = -s_.wrench.tail(3);
    const Vector3d arm = At(d_->xpos + 3 * tip_) - At(d_->xipos + 3 * tip_);
    Eigen::Map<Vector6d>(d_->xfrc_applied + 6 * tip_) << force,
        arm.cross(force) - s_.wrench.head<3>();
    Set(d_->qacc, s_.a);
    mj_rnePostConstraint(m_, d_);
    // MuJoCo has it about the centre of mass of the tree of the body.
    const auto about = [&](int body, const Vector3d& point) {
      const Vector3d moment = At(d_->cfrc_int + 6 * body);
      const Vector3d f = At(d_->cfrc_int + 6 * body + 3);
      const Vector3d center = At(d_->subtree_com + 3 * m_->body_rootid[body]);
      return std::pair{Vector3d(moment + (center - point).cross(f)), f};
    };
    MatrixXd of_joints(m_->nv, 6);
    VectorXd of_base = VectorXd::Zero(6);
    for (int i = 0; i < m_->nv; ++i) {
      const int body = m_->dof_bodyid[index_[i]];
      const auto [moment, f] = about(body, At(d_->xpos + 3 * body));
      const MatrixXd R = Axes(body);
      of_joints.row(i) = Joined(R.transpose() * moment, R.transpose() * f);
      if (!IsFixed(m_->body_parentid[body])) continue;
      const auto [about_origin, same] = about(body, Vector3d::Zero());
      of_base += Joined(about_origin, same);
    }
    return {of_joints, of_base};
  }

 private:
  int Body(const std::string& link) const {
    const int body = mj_name2id(m_, mjOBJ_BODY, link.c_str());
    if (body < 0) throw std::runtime_error("no link " + link);
    return body;
  }
  bool IsFixed(int body) const { return m_->body_weldid[body] == 0; }
  MatrixXd Axes(int body) const {
    return Eigen::Map<const RowMajor>(d_->xmat + 9 * body, 3, 3);
  }
  VectorXd Ordered(const mjtNum* values) const {
    return Eigen::Map<const VectorXd>(values, m_->nv)(index_);
  }
  void Set(mjtNum* theirs, const VectorXd& ours) {
    Eigen::Map<VectorXd>(theirs, m_->nv)(index_) = ours;
  }

  MujocoModel owner_;
  MujocoData data_;
  mjModel* const m_ = owner_.get();
  mjData* const d_ = data_.get();
  const State& s_;
  std::vector<int> index_;  // MuJoCo's number of our joint
  int tip_;
};

struct Bounds {
  double tau, M, a;
};

/// What depends on inertias, and with what each robot has of rotors and viscous
/// friction.
void CompareDynamics(const std::vector<TestRobot>& robots, bool damping,
                     const Bounds& bounds) {
  Comparison compare;
  ForStates(compare, robots, [&](const TestRobot& robot, const State& s) {
    Mujoco theirs(robot, s, damping);
    Setting free = In(robot, s, kLocalWorldAligned);
    free.options.terms.viscous_friction = damping;
    const Answers ours = AskAll(free);
    const Answers pushed = AskAll(free.With(Input::kTipWrench, s.wrench));
    const MatrixXd M = theirs.MassMatrix();
    const double condition = ConditionNumber(M);
    compare.Equal("M", ours.Matrix(kMassMatrix, s.v.size()), M, bounds.M);
    if (!damping) {
      compare.Equal("bias", ours[kBias], theirs.Bias(), 5e-8);
      compare.Equal("kinetic energy", ours[kKineticEnergy],
                    Number(theirs.WholeRobot().kinetic_energy), 7e-8);
    }
    compare.Equal("tau", ours[kTau], theirs.InverseDynamics(), bounds.tau);
    compare.Equal("a / cond M", ours[kAcceleration],
                  theirs.ForwardDynamics(VectorXd::Zero(6)), bounds.a, 0,
                  condition);
    const VectorXd a = theirs.ForwardDynamics(s.wrench);
    compare.Equal("a with a wrench / cond M", pushed[kAcceleration], a,
                  bounds.a, 0, condition);
    compare.Differ(
        "a with the wrench on the robot",
        AskAll(free.With(Input::kTipWrench, -s.wrench))[kAcceleration], a);
  });
}

std::vector<TestRobot> Robots() {
  return WithDeployed(RandomRobots(Shape::kTree, 60, 4, 20));
}

TEST(MujocoTest, DynamicsEqualMujocos) {
  CompareDynamics(Robots(), false, {.tau = 5e-8, .M = 2e-7, .a = 3e-9});
}

TEST(MujocoTest, ViscousFrictionIsMujocosDamping) {
  CompareDynamics(RandomRobots(Shape::kTree, 50, 2, 12, /*friction=*/true),
                  true, {.tau = 1e-7, .M = 2e-7, .a = 4e-8});
}

TEST(MujocoTest, RotorsAreMujocosArmatures) {
  auto robots = RandomRobots(Shape::kTree, 50, 2, 12);
  for (TestRobot& robot : robots) robot.model = WithArmature(*robot.model, 1);
  CompareDynamics(robots, false, {.tau = 1e-7, .M = 1e-7, .a = 1e-7});
}

TEST(MujocoTest, KinematicsEqualMujocos) {
  Comparison compare;
  ForStates(compare, Robots(), [&](const TestRobot& robot, const State& s) {
    Mujoco theirs(robot, s, false);
    const Answers local = AskAll(In(robot, s));
    const Answers aligned = AskAll(In(robot, s, kLocalWorldAligned));
    // MuJoCo's world takes the place of the root link.
    for (const Frame& frame : robot.model->frames().subspan(1)) {
      compare.Equal("pose", PoseOf(In(robot, s), frame.name),
                    theirs.Pose(frame.name), 2e-14);
    }
    const auto whole = theirs.WholeRobot();
    // Heights may cancel: errors are relative to the weight, a metre high.
    const double weight = robot.model->moving_mass() * 9.6;
    compare.Equal("potential energy", local[kPotentialEnergy],
                  Number(whole.potential_energy), 5e-15, weight);
    compare.Equal("center of mass", local[kCenterOfMass], whole.center, 2e-14);
    compare.Equal("center of mass velocity", local[kCenterOfMassVelocity],
                  whole.velocity, 1e-13);
    compare.Equal("momentum", local[kMomentum], whole.momentum, 5e-7);
    compare.Equal("momentum matrix times v",
                  local.Matrix(kMomentumMatrix, 6) * s.v, whole.momentum, 5e-7);
    const MatrixXd J = theirs.Jacobian();
    compare.Equal("J", aligned.Matrix(kJacobian, 6), J, 2e-14);
    // Where a lone prismatic joint moves the tip the drift vanishes. It is the
    // acceleration where no joint accelerates.
    const double scale = J.cwiseAbs().maxCoeff() * s.v.squaredNorm();
    compare.Equal("drift", aligned[kJacobianDrift],
                  theirs.Acceleration(robot.tip, 0 * s.a), 1e-14, scale);
    const VectorXd twist = theirs.Twist(robot.tip, false);
    const VectorXd a = theirs.Acceleration(robot.tip, s.a);
    const auto spatial = [](const VectorXd& classical, const VectorXd& V) {
      const Vector3d w = V.head(3), v = V.tail(3);
      return Joined(classical.head(3), classical.tail<3>() - w.cross(v));
    };
    compare.Equal("velocity", local[kFrameVelocity],
                  theirs.Twist(robot.tip, true), 1e-14);
    compare.Equal("velocity, aligned", aligned[kFrameVelocity], twist, 1e-14);
    compare.Equal("acceleration", aligned[kFrameAccelerationClassical], a,
                  6e-14);
    compare.Equal("spatial acceleration", aligned[kFrameAcceleration],
                  spatial(a, twist), 6e-14, a.cwiseAbs().maxCoeff());
    const MatrixXd twists = local.Matrix(kLinkTwists, s.v.size());
    const MatrixXd rates = local.Matrix(kLinkAccelerations, s.v.size());
    for (const Joint& joint : robot.model->joints()) {
      const std::string& link = joint.child_link;
      const MatrixXd back = theirs.Pose(link).leftCols(3).transpose();
      const VectorXd V = theirs.Twist(link, true);
      const VectorXd in_world = theirs.Acceleration(link, s.a);
      const VectorXd in_link =
          Joined(back * in_world.head(3), back * in_world.tail(3));
      compare.Equal("twists of links", twists.row(joint.v_index).transpose(), V,
                    1e-14, twists.cwiseAbs().maxCoeff());
      compare.Equal("accelerations of links",
                    rates.row(joint.v_index).transpose(), spatial(in_link, V),
                    6e-14, rates.cwiseAbs().maxCoeff());
    }
  });
}

TEST(MujocoTest, WrenchesOfJointsAndBaseEqualMujocos) {
  Comparison compare;
  ForStates(compare, Robots(), [&](const TestRobot& robot, const State& s) {
    const auto [joints, base] = Mujoco(robot, s, false).JointAndBaseWrenches();
    const Setting free = In(robot, s, kLocalWorldAligned);
    const Answers ours = AskAll(free.With(Input::kTipWrench, s.wrench));
    const Answers reverse = AskAll(free.With(Input::kTipWrench, -s.wrench));
    const Eigen::Index n = s.v.size();
    compare.Equal("joints", ours.Matrix(kJointWrenches, n), joints, 3e-8);
    compare.Equal("base", ours[kBaseWrench], base, 3e-8);
    compare.Differ("joints under the wrench on the robot",
                   reverse.Matrix(kJointWrenches, n), joints);
    compare.Differ("base under the wrench on the robot", reverse[kBaseWrench],
                   base);
  });
}

}  // namespace
}  // namespace torqued::testing_support
