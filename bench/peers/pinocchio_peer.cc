// Pinocchio. Arguments are of the types for which the library holds compiled
// algorithms (Eigen::Ref), so that its own compiler's code runs.
#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
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
        rate_(TaskJacobian::Zero(6, model_.nv)),
        task_(model_.nv) {}

  std::string version() const override {
    return "Pinocchio " + pin::printVersion();
  }

  std::vector<std::string> joint_names() const override {
    return {model_.names.begin() + 1, model_.names.end()};  // without universe
  }

  bool linear_first() const override { return true; }
  bool Computes(Workload workload) const override {
    return workload != Workload::kCoriolisForces &&
           workload != Workload::kChristoffelSymbols &&
           workload != Workload::kMassMatrixRate &&
           workload != Workload::kBaseWrench &&
           workload != Workload::kTaskProjection &&
           workload != Workload::kForwardFrameAcceleration &&
           workload != Workload::kTaskTorque &&
           workload != Workload::kPowerBalance;
  }

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
        pin::computeFrameJacobian(model_, data_, q, tip_, kReference, J);
        break;
      }
      case Workload::kOperationalSpace:
        ComputeTask(q, Map(state.v));
        break;
      case Workload::kGravityForces:
        pin::computeGeneralizedGravity(model_, data_, q);
        break;
      case Workload::kCoriolisMatrix:
        pin::computeCoriolisMatrix(model_, data_, q, Map(state.v));
        break;
      case Workload::kMassMatrixInverse:
        pin::computeMinverse(model_, data_, q);
        break;
      case Workload::kEnergy:
        pin::computeMechanicalEnergy(model_, data_, q, Map(state.v));
        break;
      case Workload::kCenterOfMass:
        pin::centerOfMass(model_, data_, q, Map(state.v), false);
        break;
      case Workload::kMomentum:
        pin::computeCentroidalMomentum(model_, data_, q, Map(state.v));
        break;
      case Workload::kMomentumMatrix:
        pin::computeCentroidalMap(model_, data_, q);
        break;
      case Workload::kJointWrenches:
        pin::rnea(model_, data_, q, Map(state.v), Map(state.a));
        break;
      case Workload::kRegressor:
        pin::computeJointTorqueRegressor(model_, data_, q, Map(state.v),
                                         Map(state.a));
        break;
      case Workload::kInverseDynamicsDerivatives:
        pin::computeRNEADerivatives(model_, data_, q, Map(state.v),
                                    Map(state.a));
        break;
      case Workload::kForwardDynamicsDerivatives:
        pin::computeABADerivatives(model_, data_, q, Map(state.v),
                                   Map(state.tau));
        break;
      default:
        ComputeMotion(workload, state);
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
      case Output::kGravity:
        return CopyVector(data_.g, numbers);
      case Output::kCoriolisMatrix:
        return CopyMatrix(data_.C, numbers);
      case Output::kMassMatrixInverse:
      case Output::kAccelerationByTau: {
        const Eigen::MatrixXd inverse =
            data_.Minv.selfadjointView<Eigen::Upper>();
        return CopyMatrix(inverse, numbers);
      }
      case Output::kKineticEnergy:
        *numbers = data_.kinetic_energy;
        return;
      case Output::kPotentialEnergy:
        *numbers = data_.potential_energy;
        return;
      case Output::kCenterOfMass:
        return CopyVector(data_.com[0], numbers);
      case Output::kCenterOfMassVelocity:
        return CopyVector(data_.vcom[0], numbers);
      case Output::kMomentum:
        return CopyVector(data_.hg.toVector(), numbers);
      case Output::kMomentumMatrix:
        return CopyMatrix(data_.Ag, numbers);
      case Output::kRegressor:
        return CopyMatrix(data_.jointTorqueRegressor, numbers);
      case Output::kTauByQ:
        return CopyMatrix(data_.dtau_dq, numbers);
      case Output::kTauByV:
        return CopyMatrix(data_.dtau_dv, numbers);
      case Output::kAccelerationByQ:
        return CopyMatrix(data_.ddq_dq, numbers);
      case Output::kAccelerationByV:
        return CopyMatrix(data_.ddq_dv, numbers);
      default:
        return CopyMotion(output, numbers);
    }
  }

 private:
  using Vector = Eigen::Ref<const Eigen::VectorXd>;
  static constexpr pin::ReferenceFrame kReference = pin::LOCAL_WORLD_ALIGNED;

  Vector Map(const double* numbers) const {
    return Eigen::Map<const Eigen::VectorXd>(numbers, model_.nv);
  }

  /// Of links and of the tip.
  void ComputeMotion(Workload workload, const StateRow& state) {
    const Vector q = Map(state.q);
    switch (workload) {
      case Workload::kFramePose:
        pin::forwardKinematics(model_, data_, q);
        pin::updateFramePlacement(model_, data_, tip_);
        break;
      case Workload::kLinkTwists:
        pin::forwardKinematics(model_, data_, q, Map(state.v));
        break;
      case Workload::kLinkAccelerations:
        pin::forwardKinematics(model_, data_, q, Map(state.v), Map(state.a));
        break;
      case Workload::kFrameVelocity:
        pin::forwardKinematics(model_, data_, q, Map(state.v));
        pin::updateFramePlacement(model_, data_, tip_);
        motion_ = pin::getFrameVelocity(model_, data_, tip_, kReference);
        break;
      case Workload::kFrameAcceleration:
        pin::forwardKinematics(model_, data_, q, Map(state.v), Map(state.a));
        pin::updateFramePlacement(model_, data_, tip_);
        motion_ = pin::getFrameAcceleration(model_, data_, tip_, kReference);
        classical_ =
            pin::getFrameClassicalAcceleration(model_, data_, tip_, kReference);
        break;
      case Workload::kJacobianDrift:
        pin::forwardKinematics(model_, data_, q, Map(state.v), Vector(zeros_));
        pin::updateFramePlacement(model_, data_, tip_);
        motion_ =
            pin::getFrameClassicalAcceleration(model_, data_, tip_, kReference);
        break;
      case Workload::kJacobianRate: {
        pin::computeJointJacobiansTimeVariation(model_, data_, q, Map(state.v));
        Eigen::Ref<TaskJacobian> rate(rate_);
        pin::getFrameJacobianTimeVariation(model_, data_, tip_, kReference,
                                           rate);
        break;
      }
      default:
        break;
    }
  }

  void CopyMotion(Output output, double* numbers) const {
    switch (output) {
      case Output::kPose:
        return CopyMatrix(data_.oMf[tip_].toHomogeneousMatrix().topRows<3>(),
                          numbers);
      case Output::kLinkTwists:
        return CopyLinks(data_.v, numbers);
      case Output::kLinkAccelerations:
        return CopyLinks(data_.a, numbers);
      case Output::kJointWrenches:
        return CopyLinks(data_.f, numbers);
      case Output::kFrameVelocity:
      case Output::kFrameAcceleration:
      case Output::kJacobianDrift:
        return CopyVector(motion_.toVector(), numbers);
      case Output::kFrameAccelerationClassical:
        return CopyVector(classical_.toVector(), numbers);
      case Output::kJacobianRate:
        return CopyMatrix(rate_, numbers);
      default:
        return;
    }
  }

  /// A spatial vector per joint, without that of the universe.
  template <class Vectors>
  static void CopyLinks(const Vectors& vectors, double* numbers) {
    for (std::size_t i = 1; i < vectors.size(); ++i) {
      CopyVector(vectors[i].toVector(), numbers + 6 * (i - 1));
    }
  }

  void ComputeTask(const Vector& q, const Vector& v) {
    pin::crba(model_, data_, q, pin::Convention::LOCAL);
    pin::nonLinearEffects(model_, data_, q, v);
    // The tip's acceleration at rest of the joints is J̇ v.
    pin::forwardKinematics(model_, data_, q, v, Vector(zeros_));
    pin::updateFramePlacement(model_, data_, tip_);
    pin::computeJointJacobians(model_, data_);
    Eigen::Ref<TaskJacobian> J(J_);
    pin::getFrameJacobian(model_, data_, tip_, kReference, J);
    const TaskVector drift =
        pin::getFrameClassicalAcceleration(model_, data_, tip_, kReference)
            .toVector();
    task_.Solve(data_.M, data_.nle, J_, drift);
  }

  pin::Model model_;
  pin::Data data_;
  pin::FrameIndex tip_;
  Eigen::VectorXd zeros_;
  TaskJacobian J_, rate_;
  TaskSolver<Eigen::Upper> task_;
  pin::Motion motion_, classical_;
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
