#include "bench/workload.h"

namespace torqued::bench {

std::string_view Name(Workload workload) {
  switch (workload) {
    case Workload::kInverseDynamics:
      return "inverse_dynamics";
    case Workload::kMassMatrix:
      return "mass_matrix";
    case Workload::kForwardDynamics:
      return "forward_dynamics";
    case Workload::kOperationalSpace:
      return "operational_space";
    case Workload::kBiasForces:
      return "bias_forces";
    case Workload::kJacobian:
      return "jacobian";
  }
  return {};
}

QuantitySet QuantitiesOf(Workload workload) {
  switch (workload) {
    case Workload::kInverseDynamics:
      return {Quantity::kInverseDynamics};
    case Workload::kMassMatrix:
      return {Quantity::kMassMatrix};
    case Workload::kForwardDynamics:
      return {Quantity::kForwardDynamics};
    case Workload::kOperationalSpace:
      return {Quantity::kJacobian, Quantity::kOperationalSpace};
    case Workload::kBiasForces:
      return {Quantity::kBiasForces};
    case Workload::kJacobian:
      return {Quantity::kJacobian};
  }
  return {};
}

std::span<const Output> OutputsOf(Workload workload) {
  static constexpr std::array kTau = {Output::kTau};
  static constexpr std::array kMassMatrix = {Output::kMassMatrix};
  static constexpr std::array kAcceleration = {Output::kAcceleration};
  static constexpr std::array kTask = {Output::kJacobian, Output::kLambda,
                                       Output::kEta};
  static constexpr std::array kBias = {Output::kBias};
  static constexpr std::array kJacobian = {Output::kJacobian};
  switch (workload) {
    case Workload::kInverseDynamics:
      return kTau;
    case Workload::kMassMatrix:
      return kMassMatrix;
    case Workload::kForwardDynamics:
      return kAcceleration;
    case Workload::kOperationalSpace:
      return kTask;
    case Workload::kBiasForces:
      return kBias;
    case Workload::kJacobian:
      return kJacobian;
  }
  return {};
}

}  // namespace torqued::bench
