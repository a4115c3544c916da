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

/// Operations grow with n and, where a matrix is made or factorized, with its
/// powers; nanoseconds fitted to the kernels of AVX2 on one core, a little
/// high. In the order of Quantity.
constexpr std::array kCosts = std::to_array<Cost>({
    {0, 5, 0, 0},      // inverse dynamics
    {0, 3, 0.8, 0},    // mass matrix
    {0, 10, 0.3, 0},   // forward dynamics
    {0, 5, 0, 0},      // bias forces
    {0, 3, 0, 0},      // pose
    {0, 6, 0, 0},      // Jacobian
    {0, 6, 0, 0},      // its drift
    {0, 0, 0, 0},      // operational space: see CostOfTask
    {0, 5, 0, 0},      // gravity forces
    {0, 5, 0, 0},      // Coriolis forces
    {15, 15, 3, 0},    // Coriolis matrix
    {15, 15, 0, 1.2},  // Christoffel symbols
    {15, 15, 3, 0},    // rate of the mass matrix
    {15, 15, 1, 0.3},  // its inverse
    {15, 15, 0, 0},    // energy
    {15, 15, 0, 0},    // centre of mass
    {15, 15, 0, 0},    // momentum
    {15, 15, 0, 0},    // momentum matrix
    {15, 15, 0, 0},    // link twists
    {15, 15, 0, 0},    // link accelerations
    {15, 15, 0, 0},    // velocity of the frame
    {15, 15, 0, 0},    // its acceleration
    {15, 15, 0, 0},    // rate of the Jacobian
    {15, 15, 0, 0},    // joint wrenches
    {15, 15, 0, 0},    // base wrench
    {15, 15, 9, 0},    // regressor
    {0, 12, 2.5, 0},   // derivatives of inverse dynamics
    {0, 25, 3, 0.4},   // derivatives of forward dynamics
    {0, 10, 16, 0},    // task projection
    {0, 25, 0.3, 0},   // acceleration of the frame by forward dynamics
    {0, 15, 1, 0},     // task torque
    {30, 30, 0, 0},    // power balance
});
static_assert(kCosts.size() == kQuantityCount);

/// Of the general text beside the lanes.
constexpr double kByRows = 20;

/// Rows that the kernels leave to the general text cost some hundred times as
/// much: a few of them are allowed for where they are to be expected.
double CostOfTask(const TaskOptions& task, int dof) {
  const double n = dof;
  constexpr Cost kLanes = {0, 15, 1, 0.06}, kText = {3000, 800, 20, 0.5};
  const bool always_singular = dof < task.axis_count;
  return kLanes.of(n) + kText.of(n) * (always_singular ? 1.0 : 0.005);
}

}  // namespace

double NanosecondsPerRow(const EvaluationOptions& options, QuantitySet by_rows,
                         int dof) {
  const double n = dof;
  double ns = 5 + 3 * n;  // loads, angles
  const QuantitySet& wanted = options.quantities;
  if (wanted.HasAny(kQuantitiesOfTheTask)) {
    ns += CostOfTask(options.task, dof) *
          (by_rows.HasAny(kQuantitiesOfTheTask) ? kByRows : 1);
  }
  for (int k = 0; k < kQuantityCount; ++k) {
    const auto quantity = static_cast<Quantity>(k);
    if (!wanted.Has(quantity)) continue;
    ns += kCosts[static_cast<std::size_t>(k)].of(n) *
          (by_rows.Has(quantity) ? kByRows : 1);
  }
  return ns;
}

double NanosecondsOfWrenches(QuantitySet quantities, int count, int dof) {
  constexpr Cost kWrench = {10, 0, 0, 0}, kHeld = {10, 10, 3, 0};
  double each = kWrench.of(dof);
  for (const Quantity quantity : {Quantity::kInverseDynamicsDerivatives,
                                  Quantity::kForwardDynamicsDerivatives}) {
    if (quantities.Has(quantity)) each += kHeld.of(dof);
  }
  return each * count;
}

}  // namespace torqued
