// MuJoCo: the stages of its forward and inverse dynamics that a workload needs,
// without constraints, contacts and sensors.
#include <mujoco/mujoco.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers/copy.h"
#include "bench/peers/peer.h"
#include "bench/peers/task_solver.h"
#include "tests/oracles/mujoco_model.h"

namespace torqued::bench {
namespace {

class MujocoPeer : public Peer {
  using Rows =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

 public:
  MujocoPeer(testing_support::MujocoModel model, const std::string& tip)
      : model_(std::move(model)),
        data_(mj_makeData(model_.get())),
        tip_(mj_name2id(model_.get(), mjOBJ_BODY, tip.c_str())),
        n_(model_->nv),
        result_(n_),
        M_(n_, n_),
        identity_(Rows::Identity(n_, n_)),
        J_(6, n_),
        X_(6, n_) {}

  bool has_tip() const { return tip_ >= 0; }

  std::string version() const override {
    return std::string("MuJoCo ") + mj_versionString();
  }

  std::vector<std::string> joint_names() const override {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(model_->njnt));
    for (int i = 0; i < model_->njnt; ++i) {
      names.emplace_back(mj_id2name(model_.get(), mjOBJ_JOINT, i));
    }
    return names;
  }

  /// Inertias are stored as principal moments and a quaternion.
  double tolerance() const override { return 1e-6; }
  bool Computes(Workload workload) const override {
    switch (workload) {
      case Workload::kGravityForces:
      case Workload::kMassMatrixInverse:
      case Workload::kCenterOfMass:
      case Workload::kFramePose:
      case Workload::kFrameVelocity:
        return true;
      default:
        return IsMain(workload);
    }
  }

  void Compute(Workload workload, const StateRow& state) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    std::copy_n(state.q, n_, d->qpos);
    mj_kinematics(m, d);
    if (workload == Workload::kFramePose) return;
    mj_comPos(m, d);
    switch (workload) {
      case Workload::kInverseDynamics:
        std::copy_n(state.v, n_, d->qvel);
        std::copy_n(state.a, n_, d->qacc);
        mj_comVel(m, d);
        mj_rne(m, d, 1, result_.data());
        break;
      case Workload::kMassMatrix:
        mj_crb(m, d);
        mj_fullM(m, M_.data(), d->qM);
        break;
      case Workload::kForwardDynamics:
        ComputeBias(state);
        mj_crb(m, d);
        mj_factorM(m, d);
        result_ = Eigen::Map<const Eigen::VectorXd>(state.tau, n_) - result_;
        mj_solveM(m, d, result_.data(), result_.data(), 1);
        break;
      case Workload::kBiasForces:
        ComputeBias(state);
        break;
      case Workload::kJacobian:
        ComputeJacobian();
        break;
      case Workload::kOperationalSpace:
        ComputeTask(state);
        break;
      case Workload::kGravityForces:
        mju_zero(d->qvel, n_);
        mj_comVel(m, d);
        mj_rne(m, d, 0, result_.data());
        break;
      case Workload::kMassMatrixInverse:
        mj_crb(m, d);
        mj_factorM(m, d);
        mj_solveM(m, d, M_.data(), identity_.data(), n_);
        break;
      case Workload::kCenterOfMass:
        std::copy_n(state.v, n_, d->qvel);
        mj_comVel(m, d);
        mj_subtreeVel(m, d);
        break;
      case Workload::kFrameVelocity:
        std::copy_n(state.v, n_, d->qvel);
        mj_comVel(m, d);
        mj_objectVelocity(m, d, mjOBJ_XBODY, tip_, velocity_.data(), 0);
        break;
      default:
        break;
    }
  }

  void Copy(Output output, double* numbers) const override {
    switch (output) {
      case Output::kMassMatrix:
      case Output::kMassMatrixInverse:
        return CopyMatrix(M_, numbers);
      case Output::kCenterOfMass:
        std::copy_n(data_->subtree_com, 3, numbers);
        return;
      case Output::kCenterOfMassVelocity:
        std::copy_n(data_->subtree_linvel, 3, numbers);
        return;
      case Output::kPose:
        return CopyPose(numbers);
      case Output::kFrameVelocity:
        return CopyVector(velocity_, numbers);
      case Output::kJacobian:
        return CopyMatrix(J_, numbers);
      case Output::kLambda:
        return CopyMatrix(lambda_, numbers);
      case Output::kEta:
        return CopyVector(eta_, numbers);
      default:
        return CopyVector(result_, numbers);
    }
  }

 private:
  void ComputeBias(const StateRow& state) {
    std::copy_n(state.v, n_, data_->qvel);
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 0, result_.data());
  }

  void CopyPose(double* numbers) const {
    const mjtNum* const R = data_->xmat + 9 * tip_;
    const mjtNum* const p = data_->xpos + 3 * tip_;
    for (int i = 0; i < 3; ++i) {
      std::copy_n(R + 3 * i, 3, numbers + 4 * i);
      numbers[4 * i + 3] = p[i];
    }
  }

  void ComputeJacobian() {
    mj_jacBody(model_.get(), data_.get(), J_.row(3).data(), J_.data(), tip_);
  }

  void ComputeTask(const StateRow& state) {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    ComputeBias(state);
    mj_crb(m, d);
    mj_factorM(m, d);
    ComputeJacobian();
    // The tip's acceleration where no joint accelerates. MuJoCo counts gravity
    // as an upward acceleration of the world.
    mju_zero(d->qacc, n_);
    mj_rnePostConstraint(m, d);
    TaskVector drift;
    mj_objectAcceleration(m, d, mjOBJ_XBODY, tip_, drift.data(), 0);
    for (int k = 0; k < 3; ++k) drift[3 + k] += m->opt.gravity[k];
    // X = (M⁻¹ Jᵀ)ᵀ by the sparse factors.
    mj_solveM(m, d, X_.data(), J_.data(), 6);
    const TaskMatrix W = X_ * J_.transpose();
    lambda_ = W.llt().solve(TaskMatrix::Identity());
    eta_.noalias() = lambda_ * (X_ * result_ - drift);
  }

  testing_support::MujocoModel model_;
  testing_support::MujocoData data_;
  int tip_;
  int n_;
  Eigen::VectorXd result_;
  Rows M_;
  Rows identity_;
  Rows J_;
  Rows X_;
  TaskMatrix lambda_;
  TaskVector eta_;
  TaskVector velocity_;
};

}  // namespace
}  // namespace torqued::bench

extern "C" torqued::bench::Peer* torqued_bench_make_peer(
    const torqued::bench::PeerRequest& request, std::string& why) try {
  auto peer = std::make_unique<torqued::bench::MujocoPeer>(
      torqued::testing_support::LoadMujocoModel(request.urdf, {0, 0, -9.81}),
      request.tip);
  if (peer->has_tip()) return peer.release();
  why = "no link " + request.tip;
  return nullptr;
} catch (const std::exception& error) {
  why = error.what();
  return nullptr;
}
