#include "server/wire/reply_layout.h"

#include "server/wire/enums.h"

namespace torqued::server {
namespace {

v1::Array* ArrayOf(Output output, v1::Results* results) {
  switch (output) {
    case Output::kTau:
      return results->mutable_tau();
    case Output::kMassMatrix:
      return results->mutable_mass_matrix();
    case Output::kAcceleration:
      return results->mutable_a();
    case Output::kBias:
      return results->mutable_bias();
    case Output::kPose:
      return results->mutable_pose();
    case Output::kJacobian:
      return results->mutable_jacobian();
    case Output::kJacobianDrift:
      return results->mutable_jacobian_drift();
    case Output::kLambda:
      return results->mutable_lambda();
    case Output::kEta:
      return results->mutable_eta();
    case Output::kGravity:
      return results->mutable_gravity();
    case Output::kCoriolis:
      return results->mutable_coriolis();
    case Output::kCoriolisMatrix:
      return results->mutable_coriolis_matrix();
    case Output::kChristoffel:
      return results->mutable_christoffel();
    case Output::kMassMatrixRate:
      return results->mutable_mass_matrix_rate();
    case Output::kMassMatrixInverse:
      return results->mutable_mass_matrix_inverse();
    case Output::kKineticEnergy:
      return results->mutable_kinetic_energy();
    case Output::kPotentialEnergy:
      return results->mutable_potential_energy();
    case Output::kCenterOfMass:
      return results->mutable_center_of_mass();
    case Output::kCenterOfMassVelocity:
      return results->mutable_center_of_mass_velocity();
    case Output::kMomentum:
      return results->mutable_momentum();
    case Output::kMomentumMatrix:
      return results->mutable_momentum_matrix();
    case Output::kLinkTwists:
      return results->mutable_link_twists();
    case Output::kLinkAccelerations:
      return results->mutable_link_accelerations();
    case Output::kFrameVelocity:
      return results->mutable_frame_velocity();
    case Output::kFrameAcceleration:
      return results->mutable_frame_acceleration();
    case Output::kFrameAccelerationClassical:
      return results->mutable_frame_acceleration_classical();
    case Output::kJacobianRate:
      return results->mutable_jacobian_rate();
    case Output::kJointWrenches:
      return results->mutable_joint_wrenches();
    case Output::kBaseWrench:
      return results->mutable_base_wrench();
    case Output::kRegressor:
      return results->mutable_regressor();
    case Output::kTauByQ:
      return results->mutable_dtau_dq();
    case Output::kTauByV:
      return results->mutable_dtau_dv();
    case Output::kAccelerationByQ:
      return results->mutable_da_dq();
    case Output::kAccelerationByV:
      return results->mutable_da_dv();
    case Output::kAccelerationByTau:
      return results->mutable_da_dtau();
    case Output::kMobility:
      return results->mutable_mobility();
    case Output::kConsistentInverse:
      return results->mutable_consistent_inverse();
    case Output::kNullSpaceProjector:
      return results->mutable_null_space_projector();
    case Output::kForwardFrameAcceleration:
      return results->mutable_forward_frame_acceleration();
    case Output::kTaskTorque:
      return results->mutable_task_torque();
    case Output::kPowerBalance:
      return results->mutable_power_balance();
  }
  return nullptr;
}

}  // namespace

std::int64_t ReplyBytesPerRow(const EvaluationPlan& plan,
                              const ReplyForm& form) {
  std::int64_t bytes = 0;
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (plan.Produces(output)) {
      bytes += std::int64_t{plan.columns(output)} *
               SizeOf(NumberTypeOf(form.payload));
    }
  }
  if (plan.Produces(Output::kLambda)) {
    bytes += 2;  // rank, rule
    if (form.sigma_min) bytes += sizeof(double);
  }
  return bytes;
}

void ReplyResults::Lay(const EvaluationPlan& plan, const ReplyForm& form) {
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (!plan.Produces(output)) continue;
    outputs_[output] =
        AllocateArray(form.payload, plan.rows(), plan.columns(output),
                      ArrayOf(output, results_));
  }
  if (plan.Produces(Output::kLambda)) {
    outputs_.rank = Resize(results_->mutable_rank(), plan.rows());
    if (form.sigma_min) {
      outputs_.sigma_min = Resize(results_->mutable_sigma_min(), plan.rows());
    }
    rules_.resize(static_cast<std::size_t>(plan.rows()));
    outputs_.rule = rules_.data();
  }
}

void ReplyResults::Finish() {
  int* wire = Resize(results_->mutable_rule(),
                     static_cast<std::int64_t>(rules_.size()));
  for (const TaskRule rule : rules_) *wire++ = ToWire(rule);
}

}  // namespace torqued::server
