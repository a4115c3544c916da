// MuJoCo: the stages of its forward and inverse dynamics that a quantity needs,
// without constraints, contacts and sensors.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <stdexcept>

#include "bench/peers/eigen.h"
#include "bench/peers/peer.h"
#include "tests/oracles/mujoco_model.h"

namespace torqued::bench {
namespace {

class MujocoPeer : public Peer {
  using Rows =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

 public:
  explicit MujocoPeer(const PeerRequest& request)
      : model_(testing_support::LoadMujocoModel(request.urdf, {0, 0, -9.81})),
        data_(mj_makeData(model_.get())),
        tip_(mj_name2id(model_.get(), mjOBJ_BODY, request.tip.c_str())),
        n_(model_->nv),
        result_(n_),
        M_(n_, n_),
        J_(6, n_),
        X_(6, n_),
        task_(n_) {
    if (tip_ < 0) throw std::runtime_error("no link " + request.tip);
  }

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

  bool Compute(Quantity quantity, const StateRow& state) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    std::copy_n(state.q, n_, d->qpos);
    std::copy_n(state.v, n_, d->qvel);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    switch (quantity) {
      case Quantity::kInverseDynamics:
        std::copy_n(state.a, n_, d->qacc);
        mj_comVel(m, d);
        mj_rne(m, d, 1, result_.data());
        return true;
      case Quantity::kMassMatrix:
        mj_crb(m, d);
        mj_fullM(m, M_.data(), d->qM);
        return true;
      case Quantity::kForwardDynamics:
        ComputeBias();
        mj_crb(m, d);
        mj_factorM(m, d);
        result_ = Eigen::Map<const Eigen::VectorXd>(state.tau, n_) - result_;
        mj_solveM(m, d, result_.data(), result_.data(), 1);
        return true;
      case Quantity::kBiasForces:
        ComputeBias();
        return true;
      case Quantity::kJacobian:
        mj_jacBody(m, d, J_.row(3).data(), J_.data(), tip_);
        return true;
      case Quantity::kOperationalSpace:
        ComputeTask();
        return true;
      default:
        return false;
    }
  }

  void Copy(Output output, double* numbers) const override {
    switch (output) {
      case Output::kMassMatrix:
        return CopyMatrix(M_, numbers);
      case Output::kJacobian:
        return CopyMatrix(J_, numbers);
      case Output::kLambda:
        return CopyMatrix(task_.lambda, numbers);
      case Output::kEta:
        return CopyMatrix(task_.eta, numbers);
      default:
        return CopyMatrix(result_, numbers);
    }
  }

 private:
  void ComputeBias() {
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 0, result_.data());
  }

  void ComputeTask() {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    ComputeBias();
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_jacBody(m, d, J_.row(3).data(), J_.data(), tip_);
    // The tip's acceleration where no joint accelerates. MuJoCo counts gravity
    // as an upward acceleration of the world.
    mju_zero(d->qacc, n_);
    mj_rnePostConstraint(m, d);
    TaskVector drift;
    mj_objectAcceleration(m, d, mjOBJ_XBODY, tip_, drift.data(), 0);
    for (int k = 0; k < 3; ++k) drift[3 + k] += m->opt.gravity[k];
    // X = (M⁻¹ Jᵀ)ᵀ by the sparse factors.
    mj_solveM(m, d, X_.data(), J_.data(), 6);
    task_.Finish(X_ * J_.transpose(), X_ * result_ - drift);
  }

  testing_support::MujocoModel model_;
  testing_support::MujocoData data_;
  int tip_;
  int n_;
  Eigen::VectorXd result_;
  Rows M_, J_, X_;
  TaskSolver task_;
};

std::unique_ptr<Peer> MakeMujoco(const PeerRequest& request) {
  return std::make_unique<MujocoPeer>(request);
}

}  // namespace
}  // namespace torqued::bench

TORQUED_BENCH_PEER(MakeMujoco)
