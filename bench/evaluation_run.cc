#include "bench/evaluation_run.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>
#include <variant>

#include "core/engine/evaluation_plan.h"

namespace torqued::bench {
namespace {

/// Of a cache line, as kernels like it.
constexpr std::align_val_t kAlignment{64};

}  // namespace

QuantitySet QuantitiesOf(Quantity quantity) {
  QuantitySet quantities = {quantity};
  if (quantity == Quantity::kOperationalSpace) {
    quantities.Add(Quantity::kJacobian);
  }
  return quantities;
}

std::vector<Output> OutputsOf(Quantity quantity) {
  std::vector<Output> outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (QuantitiesOf(quantity).Has(QuantityOf(output))) {
      outputs.push_back(output);
    }
  }
  return outputs;
}

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const SimdKernels* target : Targets()) {
    names.insert(names.begin(), target->target);
  }
  return names;
}

Engine::Options OptionsFor(const std::string& target, int threads) {
  return {.threads = threads, .target = FindTarget(target)};
}

void EvaluationRun::Free::operator()(std::byte* memory) const {
  ::operator delete[](memory, kAlignment);
}

EvaluationRun::EvaluationRun(const BenchRobot& robot, Quantity quantity,
                             const States& states, std::int64_t rows,
                             Precision precision) {
  const NumberType type =
      precision == Precision::kSingle ? NumberType::kF32 : NumberType::kF64;
  EvaluationOptions options;
  options.precision = precision;
  options.quantities = QuantitiesOf(quantity);
  options.tip_frame = robot.tip;
  options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  EvaluationInputs inputs;
  const InputBits reads = RowOf(quantity).reads | Bit(Input::kQ);
  for (const auto& [input, numbers] :
       {std::pair{Input::kQ, &states.q}, std::pair{Input::kV, &states.v},
        std::pair{Input::kA, &states.a}, std::pair{Input::kTau, &states.tau}}) {
    if ((reads & Bit(input)) == 0) continue;
    inputs[input] = {numbers->data(), type, rows, states.columns};
    if (type == NumberType::kF64) continue;
    inputs[input].data =
        single_inputs_
            .emplace_back(numbers->begin(),
                          numbers->begin() + rows * states.columns)
            .data();
  }
  auto plan = EvaluationPlan::Create(robot.model, std::move(options), inputs);
  if (const auto* error = std::get_if<ArgumentError>(&plan)) {
    throw std::runtime_error(error->field + ": " + error->message);
  }
  plan_ = std::make_unique<EvaluationPlan>(
      std::move(std::get<EvaluationPlan>(plan)));
  for (const Output output : OutputsOf(quantity)) {
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
