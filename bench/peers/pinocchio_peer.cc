// Pinocchio. Arguments are of the types for which the library holds compiled
// algorithms (Eigen::Ref), so that its own compiler's code runs.
#include <Eigen/Core>
#include <algorithm>
#include <exception>
#include <memory>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <pinocchio/utils/version.hpp>
#include <string>
#include <vector>

#include "bench/peers/copy.h"
#include "bench/peers/peer.h"
#include "bench/peers/task_solver.h"

namespace torqued::bench {
namespace {

namespace pin = pinocchio;

class PinocchioPeer : public Peer {
 public:
  PinocchioPeer(const pin::Model& model, const std::string& tip)
      : model_(model),
        data_(model_),
        tip_(model_.getFrameId(tip)),
        zeros_(Eigen::VectorXd::Zero(model_.nv)),
        J_(TaskJacobian::Zero(6, model_.nv)),
        task_(model_.nv) {}

  std::string version() const override {
    return "Pinocchio " + pin::printVersion();
  }

  std::vector<std::string> joint_names() const override {
    return {model_.names.begin() + 1, model_.names.end()};  // without universe
  }

  bool linear_first() const override { return true; }
  bool Computes(Workload /*workload*/) const override { return true; }

  void Compute(Workload workload, const StateRow& state) override {
    const Vector q = Map(state.q);
    switch (workload) {
      case Workload::kInverseDynamics:
        pin::rnea(model_, data_, q, Map(state.v), Map(state.a));
        break;
      case Workload::kMassMatrix:
        pin::crba(model_, data_, q, pin::Convention::LOCAL);
        break;
      case Workload::kForwardDynamics:
        pin::aba(model_, data_, q, Map(state.v), Map(state.tau),
                 pin::Convention::LOCAL);
        break;
      case Workload::kBiasForces:
        pin::nonLinearEffects(model_, data_, q, Map(state.v));
        break;
      case Workload::kJacobian: {
        Eigen::Ref<TaskJacobian> J(J_);
        pin::computeFrameJacobian(model_, data_, q, tip_,
                                  pin::LOCAL_WORLD_ALIGNED, J);
        break;
      }
      case Workload::kOperationalSpace:
        ComputeTask(q, Map(state.v));
        break;
    }
  }

  void Copy(Output output, double* numbers) const override {
    switch (output) {
      case Output::kTau:
        return CopyVector(data_.tau, numbers);
      case Output::kBias:
        return CopyVector(data_.nle, numbers);
      case Output::kAcceleration:
        return CopyVector(data_.ddq, numbers);
      case Output::kMassMatrix: {
        // Only the upper half is computed.
        const Eigen::MatrixXd M = data_.M.selfadjointView<Eigen::Upper>();
        return CopyMatrix(M, numbers);
      }
      case Output::kJacobian:
        return CopyMatrix(J_, numbers);
      case Output::kLambda:
        return CopyMatrix(task_.lambda(), numbers);
      case Output::kEta:
        return CopyVector(task_.eta(), numbers);
      default:
        return;
    }
  }

 private:
  using Vector = Eigen::Ref<const Eigen::VectorXd>;

  Vector Map(const double* numbers) const {
    return Eigen::Map<const Eigen::VectorXd>(numbers, model_.nv);
  }

  void ComputeTask(const Vector& q, const Vector& v) {
    pin::crba(model_, data_, q, pin::Convention::LOCAL);
    pin::nonLinearEffects(model_, data_, q, v);
    // The tip's acceleration at rest of the joints is J̇ v.
    pin::forwardKinematics(model_, data_, q, v, Vector(zeros_));
    pin::updateFramePlacement(model_, data_, tip_);
    pin::computeJointJacobians(model_, data_);
    Eigen::Ref<TaskJacobian> J(J_);
    pin::getFrameJacobian(model_, data_, tip_, pin::LOCAL_WORLD_ALIGNED, J);
    const TaskVector drift = pin::getFrameClassicalAcceleration(
                                 model_, data_, tip_, pin::LOCAL_WORLD_ALIGNED)
                                 .toVector();
    task_.Solve(data_.M, data_.nle, J_, drift);
  }

  pin::Model model_;
  pin::Data data_;
  pin::FrameIndex tip_;
  Eigen::VectorXd zeros_;
  TaskJacobian J_;
  TaskSolver<Eigen::Upper> task_;
};

}  // namespace
}  // namespace torqued::bench

extern "C" torqued::bench::Peer* torqued_bench_make_peer(
    const torqued::bench::PeerRequest& request, std::string& why) try {
  pinocchio::Model model;
  pinocchio::urdf::buildModelFromXML(request.urdf, model);
  if (model.existFrame(request.tip)) {
    return new torqued::bench::PinocchioPeer(model, request.tip);
  }
  why = "no link " + request.tip;
  return nullptr;
} catch (const std::exception& error) {
  why = error.what();
  return nullptr;
}
