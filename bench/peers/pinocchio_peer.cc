// Pinocchio. Arguments are of the types for which the library holds compiled
// algorithms (Eigen::Ref), so that its own compiler's code runs.
#include <Eigen/Core>
#include <cstddef>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
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
#include <stdexcept>

#include "bench/peers/eigen.h"
#include "bench/peers/peer.h"

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

  bool Compute(Quantity quantity, const StateRow& state) override {
    const Vector q = Map(state.q), v = Map(state.v), a = Map(state.a),
                 tau = Map(state.tau);
    Eigen::Ref<TaskJacobian> J(J_);
    switch (quantity) {
      case Quantity::kInverseDynamics:
      case Quantity::kJointWrenches:
        pin::rnea(model_, data_, q, v, a);
        return true;
      case Quantity::kMassMatrix:
        pin::crba(model_, data_, q, pin::Convention::LOCAL);
        return true;
      case Quantity::kForwardDynamics:
        pin::aba(model_, data_, q, v, tau, pin::Convention::LOCAL);
        return true;
      case Quantity::kBiasForces:
        pin::nonLinearEffects(model_, data_, q, v);
        return true;
      case Quantity::kJacobian:
        pin::computeFrameJacobian(model_, data_, q, tip_, kReference, J);
        return true;
      case Quantity::kOperationalSpace:
        ComputeTask(q, v);
        return true;
      case Quantity::kGravityForces:
        pin::computeGeneralizedGravity(model_, data_, q);
        return true;
      case Quantity::kCoriolisMatrix:
        pin::computeCoriolisMatrix(model_, data_, q, v);
        return true;
      case Quantity::kMassMatrixInverse:
        pin::computeMinverse(model_, data_, q);
        return true;
      case Quantity::kEnergy:
        pin::computeMechanicalEnergy(model_, data_, q, v);
        return true;
      case Quantity::kCenterOfMass:
        pin::centerOfMass(model_, data_, q, v, false);
        return true;
      case Quantity::kMomentum:
        pin::computeCentroidalMomentum(model_, data_, q, v);
        return true;
      case Quantity::kMomentumMatrix:
        pin::computeCentroidalMap(model_, data_, q);
        return true;
      case Quantity::kRegressor:
        pin::computeJointTorqueRegressor(model_, data_, q, v, a);
        return true;
      case Quantity::kInverseDynamicsDerivatives:
        pin::computeRNEADerivatives(model_, data_, q, v, a);
        return true;
      case Quantity::kForwardDynamicsDerivatives:
        pin::computeABADerivatives(model_, data_, q, v, tau);
        return true;
      case Quantity::kFramePose:
        pin::forwardKinematics(model_, data_, q);
        pin::updateFramePlacement(model_, data_, tip_);
        return true;
      case Quantity::kLinkTwists:
        pin::forwardKinematics(model_, data_, q, v);
        return true;
      case Quantity::kLinkAccelerations:
        pin::forwardKinematics(model_, data_, q, v, a);
        return true;
      case Quantity::kFrameVelocity:
        pin::forwardKinematics(model_, data_, q, v);
        pin::updateFramePlacement(model_, data_, tip_);
        motion_ = pin::getFrameVelocity(model_, data_, tip_, kReference);
        return true;
      case Quantity::kFrameAcceleration:
        pin::forwardKinematics(model_, data_, q, v, a);
        pin::updateFramePlacement(model_, data_, tip_);
        motion_ = pin::getFrameAcceleration(model_, data_, tip_, kReference);
        classical_ =
            pin::getFrameClassicalAcceleration(model_, data_, tip_, kReference);
        return true;
      case Quantity::kJacobianDrift:
        pin::forwardKinematics(model_, data_, q, v, Vector(zeros_));
        pin::updateFramePlacement(model_, data_, tip_);
        motion_ =
            pin::getFrameClassicalAcceleration(model_, data_, tip_, kReference);
        return true;
      case Quantity::kJacobianRate:
        pin::computeJointJacobiansTimeVariation(model_, data_, q, v);
        pin::getFrameJacobianTimeVariation(model_, data_, tip_, kReference, J);
        return true;
      default:
        return false;
    }
  }

  void Copy(Output output, double* numbers) override {
    switch (output) {
      case Output::kTau:
        return CopyMatrix(data_.tau, numbers);
      case Output::kBias:
        return CopyMatrix(data_.nle, numbers);
      case Output::kAcceleration:
        return CopyMatrix(data_.ddq, numbers);
      case Output::kMassMatrix:
        return CopyUpper(data_.M, numbers);
      case Output::kJacobian:
      case Output::kJacobianRate:
        return CopyMatrix(J_, numbers);
      case Output::kLambda:
        return CopyMatrix(task_.lambda, numbers);
      case Output::kEta:
        return CopyMatrix(task_.eta, numbers);
      case Output::kGravity:
        return CopyMatrix(data_.g, numbers);
      case Output::kCoriolisMatrix:
        return CopyMatrix(data_.C, numbers);
      case Output::kMassMatrixInverse:
      case Output::kAccelerationByTau:
        return CopyUpper(data_.Minv, numbers);
      case Output::kKineticEnergy:
        *numbers = data_.kinetic_energy;
        return;
      case Output::kPotentialEnergy:
        *numbers = data_.potential_energy;
        return;
      case Output::kCenterOfMass:
        return CopyMatrix(data_.com[0], numbers);
      case Output::kCenterOfMassVelocity:
        return CopyMatrix(data_.vcom[0], numbers);
      case Output::kMomentum:
        return CopyMatrix(data_.hg.toVector(), numbers);
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
      case Output::kPose:
        return CopyMatrix(data_.oMf[tip_].toHomogeneousMatrix().topRows<3>(),
                          numbers);
      case Output::kLinkTwists:
        return CopyLinks(data_.v, numbers);
      case Output::kLinkAccelerations:
        return CopyLinks(data_.a, numbers);
      case Output::kJointWrenches:
        return CopyLinks(data_.f, numbers);
      case Output::kFrameAccelerationClassical:
        return CopyMatrix(classical_.toVector(), numbers);
      default:
        return CopyMatrix(motion_.toVector(), numbers);
    }
  }

 private:
  using Vector = Eigen::Ref<const Eigen::VectorXd>;
  static constexpr pin::ReferenceFrame kReference = pin::LOCAL_WORLD_ALIGNED;

  Vector Map(const double* numbers) const {
    return Eigen::Map<const Eigen::VectorXd>(numbers, model_.nv);
  }

  /// Of M and its inverse the upper half is computed.
  static void CopyUpper(const Eigen::MatrixXd& upper, double* numbers) {
    const Eigen::MatrixXd full = upper.selfadjointView<Eigen::Upper>();
    CopyMatrix(full, numbers);
  }
  /// A spatial vector per joint, without that of the universe.
  template <class Vectors>
  static void CopyLinks(const Vectors& vectors, double* numbers) {
    for (std::size_t i = 1; i < vectors.size(); ++i) {
      CopyMatrix(vectors[i].toVector(), numbers + 6 * (i - 1));
    }
  }

  /// By the sparse factors M = U D Uᵀ.
  void ComputeTask(const Vector& q, const Vector& v) {
    pin::crba(model_, data_, q, pin::Convention::LOCAL);
    pin::cholesky::decompose(model_, data_);
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
    task_.Y = J_.transpose();
    pin::cholesky::Uiv(model_, data_, task_.Y);
    task_.y = data_.nle;
    pin::cholesky::Uiv(model_, data_, task_.y);
    task_.y.array() *= data_.Dinv.array();
    const TaskVector r = task_.Y.transpose() * task_.y - drift;
    task_.Finish(task_.Y.transpose() * data_.Dinv.asDiagonal() * task_.Y, r);
  }

  pin::Model model_;
  pin::Data data_;
  pin::FrameIndex tip_;
  Eigen::VectorXd zeros_;
  TaskJacobian J_;
  TaskSolver task_;
  pin::Motion motion_, classical_;
};

std::unique_ptr<Peer> MakePinocchio(const PeerRequest& request) {
  pin::Model model;
  pin::urdf::buildModelFromXML(request.urdf, model);
  if (!model.existFrame(request.tip)) {
    throw std::runtime_error("no link " + request.tip);
  }
  return std::make_unique<PinocchioPeer>(model, request.tip);
}

}  // namespace
}  // namespace torqued::bench

TORQUED_BENCH_PEER(MakePinocchio)
