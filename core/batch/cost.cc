#include "core/batch/cost.h"

#include <array>
#include <cstddef>

#include "core/batch/quantity_needs.h"

namespace torqued {
namespace {

/// constant + linear n + square n² + cube n³.
struct Cost {
  double constant, linear, square, cube;

  double of(double n) const {
    return constant + n * (linear + n * (square + n * cube));
  }
};

/// Of a quantity beside what all take.
struct Costs {
  Cost lanes, rows;
};

/// Operations grow with n and, where a matrix is made or factorized, with its
/// powers; nanoseconds fitted to the kernels of AVX2 and to the general texts,
/// on one core, a little high. In the order of Quantity. bench/costs.py
/// holds them to the instructions of all quantities and sizes.
constexpr std::array kCosts = std::to_array<Costs>({
    {{0, 5, 0, 0}, {0, 36, 0, 0}},           // inverse dynamics
    {{0, 3, 0.8, 0}, {0, 5, 4.3, 0}},        // mass matrix
    {{0, 10, 0.3, 0}, {0, 245, 0, 0}},       // forward dynamics
    {{0, 5, 0, 0}, {0, 36, 0, 0}},           // bias forces
    {{0, 3, 0, 0}, {0, 2, 0, 0}},            // pose
    {{0, 6, 0, 0}, {0, 16, 0, 0}},           // Jacobian
    {{0, 6, 0, 0}, {0, 18, 0, 0}},           // its drift
    {{0, 0, 0, 0}, {0, 0, 0, 0}},            // operational space: see kTask
    {{0, 5, 0, 0}, {0, 36, 0, 0}},           // gravity forces
    {{0, 5, 0, 0}, {0, 36, 0, 0}},           // Coriolis forces
    {{15, 15, 3, 0}, {100, 40, 9, 0}},       // Coriolis matrix
    {{15, 15, 0, 1.2}, {100, 30, 0, 1.9}},   // Christoffel symbols
    {{15, 15, 3, 0}, {100, 40, 12, 0}},      // rate of the mass matrix
    {{15, 15, 1, 0.3}, {500, 40, 4, 0.85}},  // its inverse
    {{15, 15, 0, 0}, {100, 15, 0, 0}},       // energy
    {{15, 15, 0, 0}, {100, 18, 0, 0}},       // centre of mass
    {{15, 15, 0, 0}, {100, 18, 0, 0}},       // momentum
    {{15, 15, 0, 0}, {100, 30, 0, 0}},       // momentum matrix
    {{15, 15, 0, 0}, {100, 22, 0, 0}},       // link twists
    {{15, 15, 0, 0}, {100, 22, 0, 0}},       // link accelerations
    {{15, 15, 0, 0}, {100, 18, 0, 0}},       // velocity of the frame
    {{15, 15, 0, 0}, {100, 18, 0, 0}},       // its acceleration
    {{15, 15, 0, 0}, {100, 32, 0, 0}},       // rate of the Jacobian
    {{15, 15, 0, 0}, {100, 38, 0, 0}},       // joint wrenches
    {{15, 15, 0, 0}, {100, 38, 0, 0}},       // base wrench
    {{15, 15, 7, 0}, {100, 20, 20, 0}},      // regressor
    // Derivatives of inverse dynamics: large ones leave the caches.
    {{0, 12, 3.2, 0}, {400, 100, 5, 0.011}},
    {{0, 25, 3, 0.45}, {1000, 300, 8, 1.6}},  // of forward dynamics
    {{0, 10, 4, 0}, {700, 50, 8, 0}},         // task projection
    // Acceleration of the frame by forward dynamics.
    {{0, 25, 0.3, 0}, {0, 290, 0, 0}},
    {{0, 15, 1, 0}, {0, 80, 1.2, 0}},   // task torque
    {{30, 30, 0, 0}, {200, 65, 0, 0}},  // power balance
});
static_assert(kCosts.size() == kQuantityCount);

/// Loads, angles and placements.
constexpr Costs kAll = {{5, 3, 0, 0}, {250, 33, 0, 0}};

/// Once for all quantities of the task.
constexpr Costs kTask = {{0, 15, 1, 0.06}, {2500, 350, 3.5, 0.09}};

/// Of the rows that the kernels leave to the general text, which costs some
/// hundred times as much, a few are allowed for where they are to be expected.
constexpr double kExpectedDoubts = 0.005;

/// Of these quantities together, in one of the ways.
double CostOf(QuantitySet quantities, Cost Costs::* way, double n) {
  if (quantities.empty()) return 0;
  double ns = (kAll.*way).of(n);
  if (quantities.HasAny(kQuantitiesOfTheTask)) ns += (kTask.*way).of(n);
  for (int k = 0; k < kQuantityCount; ++k) {
    if (quantities.Has(static_cast<Quantity>(k))) {
      ns += (kCosts[static_cast<std::size_t>(k)].*way).of(n);
    }
  }
  return ns;
}

}  // namespace

RowCost CostOfRow(const EvaluationOptions& options, QuantitySet by_rows,
                  int dof) {
  const double n = dof;
  const QuantitySet by_lanes(options.quantities.bits() & ~by_rows.bits());
  RowCost cost;
  cost.by_rows = CostOf(by_rows, &Costs::rows, n);
  cost.by_lanes = CostOf(by_lanes, &Costs::lanes, n);
  cost.in_doubt =
      CostOf(QuantitySet(by_lanes.bits() & kQuantitiesOfTheInverse.bits()),
             &Costs::rows, n);
  if (by_lanes.HasAny(kQuantitiesOfTheTask)) {
    const bool always_singular = dof < options.task.axis_count;
    cost.by_lanes += cost.in_doubt * (always_singular ? 1 : kExpectedDoubts);
  }
  return cost;
}

RowCost CostOfWrenches(QuantitySet quantities, QuantitySet by_rows, int count,
                       int dof) {
  constexpr Cost kWrench = {10, 0, 0, 0};
  constexpr Costs kHeld = {{10, 10, 3, 0}, {50, 20, 8, 0}};
  RowCost each;
  each.by_lanes = each.by_rows = kWrench.of(dof);
  for (const Quantity quantity : {Quantity::kInverseDynamicsDerivatives,
                                  Quantity::kForwardDynamicsDerivatives}) {
    if (by_rows.Has(quantity)) {
      each.by_rows += kHeld.rows.of(dof);
    } else if (quantities.Has(quantity)) {
      each.by_lanes += kHeld.lanes.of(dof);
      each.in_doubt += kHeld.rows.of(dof);
    }
  }
  return {each.by_lanes * count, each.by_rows * count, each.in_doubt * count};
}

}  // namespace torqued
