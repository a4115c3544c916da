// What is measured: six questions about a state, each with the results that it
// asks for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/batch/evaluation.h"

namespace torqued::bench {

enum class Workload : std::uint8_t {
  kInverseDynamics,   // τ from q, v, a
  kMassMatrix,        // M from q
  kForwardDynamics,   // q̈ from q, v, τ
  kOperationalSpace,  // J, Λ, η of the tip, world-aligned, from q, v
  kBiasForces,        // h from q, v
  kJacobian,          // J of the tip, world-aligned, from q
};

inline constexpr std::array kWorkloads = {
    Workload::kInverseDynamics, Workload::kMassMatrix,
    Workload::kForwardDynamics, Workload::kOperationalSpace,
    Workload::kBiasForces,      Workload::kJacobian,
};

/// "inverse_dynamics"; what reports and tables call it.
std::string_view Name(Workload workload);

/// The quantities of the public interface that it asks for.
QuantitySet QuantitiesOf(Workload workload);

/// The results that it writes.
std::span<const Output> OutputsOf(Workload workload);

}  // namespace torqued::bench
