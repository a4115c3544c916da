#include "bench/workload.h"

namespace torqued::bench {

WorkloadInputs InputsOf(Workload workload) {
  const auto reads = [workload](Input input) {
    return (RowOf(workload).reads & Bit(input)) != 0;
  };
  return {reads(Input::kV), reads(Input::kA), reads(Input::kTau)};
}

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
