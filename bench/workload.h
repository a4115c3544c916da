// What is measured: questions about a state, each with the results that it asks
// for.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/batch/evaluation.h"

namespace torqued::bench {

/// A quantity asked for alone; operational space, Λ and η, comes with J. Frames
/// are the tip's, world-aligned.
using Workload = Quantity;

/// In the order of Quantity.
constexpr std::array<Workload, kQuantityCount> AllWorkloads() {
  std::array<Workload, kQuantityCount> all{};
  for (int k = 0; k < kQuantityCount; ++k) all[k] = static_cast<Workload>(k);
  return all;
}

/// Those that are measured by size of the batch, number of threads and target,
/// and through class Robot.
inline constexpr std::array kMainWorkloads = {
    Workload::kInverseDynamics, Workload::kMassMatrix,
    Workload::kForwardDynamics, Workload::kOperationalSpace,
    Workload::kBiasForces,      Workload::kJacobian,
};

constexpr bool IsMain(Workload workload) {
  for (const Workload main : kMainWorkloads) {
    if (workload == main) return true;
  }
  return false;
}

/// "inverse_dynamics"; what reports and tables call it.
inline std::string_view Name(Workload workload) { return ToString(workload); }

/// What it reads beside q.
struct WorkloadInputs {
  bool v = false, a = false, tau = false;
};
WorkloadInputs InputsOf(Workload workload);

/// The quantities of the public interface that it asks for.
QuantitySet QuantitiesOf(Workload workload);

/// The results that it writes.
std::vector<Output> OutputsOf(Workload workload);

}  // namespace torqued::bench
