// What is measured: a quantity of some states, prepared for the engine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/robots.h"
#include "core/engine/engine.h"

namespace torqued::bench {

/// Those that all libraries have, and class Robot.
inline constexpr std::array kMainQuantities = {
    Quantity::kInverseDynamics, Quantity::kMassMatrix,
    Quantity::kForwardDynamics, Quantity::kOperationalSpace,
    Quantity::kBiasForces,      Quantity::kJacobian,
};

/// Operational space, Λ and η, comes with J.
QuantitySet QuantitiesOf(Quantity quantity);
std::vector<Output> OutputsOf(Quantity quantity);

/// "baseline" first, the best one last.
std::vector<std::string> TargetNames();
Engine::Options OptionsFor(const std::string& target, int threads);

/// Inputs, plan and room for the results. Frames are the tip's, world-aligned.
class EvaluationRun {
 public:
  /// Of the first `rows` of the states, which must outlive it. In single
  /// precision all tables are, too. Throws std::runtime_error where the plan is
  /// refused.
  EvaluationRun(const BenchRobot& robot, Quantity quantity,
                const States& states, std::int64_t rows,
                Precision precision = Precision::kDouble);

  const EvaluationPlan& plan() const { return *plan_; }
  const EvaluationOutputs& outputs() const { return outputs_; }

  /// Of the tables of results.
  std::size_t bytes() const { return bytes_; }

  /// Row-major results of double precision; null where the quantity has no such
  /// output.
  const double* result(Output output) const {
    return static_cast<const double*>(outputs_[output].data);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<EvaluationPlan> plan_;
  EvaluationOutputs outputs_;
  std::vector<std::vector<float>> single_inputs_;
  std::vector<std::unique_ptr<std::byte[], Free>> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace torqued::bench
