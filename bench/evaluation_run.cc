#include "bench/evaluation_run.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>
#include <variant>

namespace torqued::bench {
namespace {

/// Of a cache line, as kernels like it.
constexpr std::align_val_t kAlignment{64};

InputArray Table(const std::vector<double>& numbers, int columns,
                 std::int64_t rows) {
  return {numbers.data(), NumberType::kF64, rows, columns};
}

EvaluationInputs Inputs(Workload workload, const States& states,
                        std::int64_t rows) {
  const int n = states.columns;
  const WorkloadInputs read = InputsOf(workload);
  EvaluationInputs inputs;
  inputs.q = Table(states.q, n, rows);
  if (read.v) inputs.v = Table(states.v, n, rows);
  if (read.a) inputs.a = Table(states.a, n, rows);
  if (read.tau) inputs.tau = Table(states.tau, n, rows);
  return inputs;
}

}  // namespace

void EvaluationRun::Free::operator()(std::byte* memory) const {
  ::operator delete[](memory, kAlignment);
}

EvaluationRun::EvaluationRun(const BenchRobot& robot, Workload workload,
                             const States& states, std::int64_t rows,
                             Precision precision) {
  const NumberType type =
      precision == Precision::kSingle ? NumberType::kF32 : NumberType::kF64;
  EvaluationOptions options;
  options.precision = precision;
  options.quantities = QuantitiesOf(workload);
  options.tip_frame = robot.tip;
  options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  EvaluationInputs inputs = Inputs(workload, states, rows);
  for (InputArray* input : {&inputs.q, &inputs.v, &inputs.a, &inputs.tau}) {
    if (type == NumberType::kF64 || !input->present()) continue;
    const auto* numbers = static_cast<const double*>(input->data);
    const auto& single = single_inputs_.emplace_back(
        numbers, numbers + input->rows * input->columns);
    input->data = single.data();
    input->type = type;
  }
  auto plan = EvaluationPlan::Create(robot.model, std::move(options), inputs);
  if (const auto* error = std::get_if<ArgumentError>(&plan)) {
    throw std::runtime_error(error->field + ": " + error->message);
  }
  plan_ = std::make_unique<EvaluationPlan>(
      std::move(std::get<EvaluationPlan>(plan)));
  for (const Output output : OutputsOf(workload)) {
    const auto size =
        static_cast<std::size_t>(rows * plan_->columns(output) * SizeOf(type));
    bytes_ += size;
    memory_.emplace_back(new (kAlignment) std::byte[size]);
    // Touched here, lest the first evaluation pay for the pages.
    std::fill_n(memory_.back().get(), size, std::byte{0});
    outputs_[output] = {memory_.back().get(), type};
  }
}

}  // namespace torqued::bench
