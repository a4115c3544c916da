#include "bench/workload.h"

#include <cstddef>

namespace torqued::bench {
namespace {

struct Traits {
  std::string_view name;
  WorkloadInputs inputs;
};

constexpr WorkloadInputs kOfQ{};
constexpr WorkloadInputs kOfV{.v = true};
constexpr WorkloadInputs kOfA{.v = true, .a = true};
constexpr WorkloadInputs kOfTau{.v = true, .tau = true};

/// In the order of Quantity.
constexpr std::array kTraits = std::to_array<Traits>({
    {"inverse_dynamics", kOfA},
    {"mass_matrix", kOfQ},
    {"forward_dynamics", kOfTau},
    {"bias_forces", kOfV},
    {"frame_pose", kOfQ},
    {"jacobian", kOfQ},
    {"jacobian_drift", kOfV},
    {"operational_space", kOfV},
    {"gravity_forces", kOfQ},
    {"coriolis_forces", kOfV},
    {"coriolis_matrix", kOfV},
    {"christoffel_symbols", kOfQ},
    {"mass_matrix_rate", kOfV},
    {"mass_matrix_inverse", kOfQ},
    {"energy", kOfV},
    {"center_of_mass", kOfV},
    {"momentum", kOfV},
    {"momentum_matrix", kOfQ},
    {"link_twists", kOfV},
    {"link_accelerations", kOfA},
    {"frame_velocity", kOfV},
    {"frame_acceleration", kOfA},
    {"jacobian_rate", kOfV},
    {"joint_wrenches", kOfA},
    {"base_wrench", kOfA},
    {"regressor", kOfA},
    {"inverse_dynamics_derivatives", kOfA},
    {"forward_dynamics_derivatives", kOfTau},
    {"task_projection", kOfQ},
    {"forward_frame_acceleration", kOfTau},
    {"task_torque", kOfV},
    {"power_balance", kOfA},
});
static_assert(kTraits.size() == kQuantityCount);

const Traits& TraitsOf(Workload workload) {
  return kTraits[static_cast<std::size_t>(workload)];
}

}  // namespace

std::string_view Name(Workload workload) { return TraitsOf(workload).name; }

WorkloadInputs InputsOf(Workload workload) { return TraitsOf(workload).inputs; }

QuantitySet QuantitiesOf(Workload workload) {
  QuantitySet quantities = {workload};
  if (workload == Workload::kOperationalSpace) {
    quantities.Add(Quantity::kJacobian);
  }
  return quantities;
}

std::vector<Output> OutputsOf(Workload workload) {
  const QuantitySet quantities = QuantitiesOf(workload);
  std::vector<Output> outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (quantities.Has(QuantityOf(output))) outputs.push_back(output);
  }
  return outputs;
}

}  // namespace torqued::bench
