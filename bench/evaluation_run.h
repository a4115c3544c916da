// A workload prepared for the engine: inputs, plan and room for the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/robots.h"
#include "bench/states.h"
#include "bench/workload.h"
#include "core/batch/evaluation_plan.h"

namespace torqued::bench {

/// The first `rows` of the states, which must outlive it.
class EvaluationRun {
 public:
  /// Throws std::runtime_error where the plan is refused.
  /// In single precision all tables are, too.
  EvaluationRun(const BenchRobot& robot, Workload workload,
                const States& states, std::int64_t rows,
                Precision precision = Precision::kDouble);

  const EvaluationPlan& plan() const { return *plan_; }
  const EvaluationOutputs& outputs() const { return outputs_; }

  /// Of the tables of results.
  std::size_t bytes() const { return bytes_; }

  /// Row-major results of double precision; null where the workload has no such
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
