// Prints a hash of every result, so that two builds can be compared bit by bit:
// the bits depend on the compiler and on the machine's libm, so that no table
// of them is stored.
//
// Usage: torqued_bits [TARGET/ROBOT/PRECISION...]      without one: all
//
// A line is "TARGET/ROBOT/PRECISION/QUANTITY HASH". Of each quantity alone and
// of all together with every input, 5000 states in calls whose last block is
// not full; some rows are not finite, singular or beyond the range of the fast
// sine.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bench/robots.h"
#include "bench/states.h"
#include "bench/targets.h"
#include "bench/workload.h"
#include "core/batch/engine.h"

namespace torqued::bench {
namespace {

constexpr std::int64_t kRows = 5000;
constexpr std::int64_t kRowsOfCall = 1003;

class Hash {
 public:
  void Add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (; size >= 8; size -= 8, bytes += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes, sizeof word);
      Mix(word);
    }
    for (; size > 0; --size) Mix(*bytes++);
  }
  std::uint64_t value() const { return state_; }

 private:
  void Mix(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ULL;
    state_ ^= state_ >> 32;
  }
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

/// A table of one input for all rows, in the precision of the case.
class Table {
 public:
  Table(int columns, Precision precision, std::vector<double> numbers)
      : columns_(columns), doubles_(std::move(numbers)) {
    if (precision == Precision::kSingle) {
      singles_.assign(doubles_.begin(), doubles_.end());
    }
  }
  InputArray Rows(std::int64_t first, std::int64_t rows) const {
    const std::int64_t at = first * columns_;
    if (!singles_.empty()) {
      return {singles_.data() + at, NumberType::kF32, rows, columns_};
    }
    return {doubles_.data() + at, NumberType::kF64, rows, columns_};
  }

 private:
  int columns_;
  std::vector<double> doubles_;
  std::vector<float> singles_;
};

void SpoilRows(States& states) {
  const auto row = [&](std::vector<double>& table, std::int64_t k) {
    return table.begin() + k * states.columns;
  };
  const auto n = states.columns;
  for (std::int64_t k = 0; k + 64 < states.rows; k += 997) {
    std::fill_n(row(states.q, k + 3), n, 0.0);
    std::fill_n(row(states.q, k + 13), n, 1e-9);
    *row(states.q, k + 20) = 1e22;
    *row(states.q, k + 29) = std::numeric_limits<double>::quiet_NaN();
    *row(states.v, k + 38) = std::numeric_limits<double>::infinity();
    *row(states.a, k + 47) = 1e300;
  }
}

EvaluationOptions OptionsOf(const BenchRobot& robot, Precision precision,
                            QuantitySet quantities, bool everything) {
  EvaluationOptions options;
  options.quantities = quantities;
  options.precision = precision;
  options.tip_frame = robot.tip;
  options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  if (everything) {
    options.terms.viscous_friction = true;
    options.terms.coulomb_friction = true;
    options.terms.coulomb_smoothing = 0.01;
    options.external_wrenches.emplace_back();
    options.task.singularity = SingularityRule::kDamped;
    options.task.damping = 0.01;
  }
  return options;
}

/// What the plan takes of the states: q, v, a and tau as the quantity reads
/// them, or every input there is, the further ones out of the same numbers.
std::vector<std::pair<Input, Table>> TablesOf(const EvaluationPlan& plan,
                                              const States& states,
                                              Precision precision,
                                              WorkloadInputs read,
                                              bool everything) {
  std::vector<std::pair<Input, Table>> tables;
  const auto add = [&](Input input, const std::vector<double>& numbers) {
    const int columns = plan.ColumnsOf(input);
    std::vector<double> of_input(static_cast<std::size_t>(kRows * columns));
    for (std::size_t k = 0; k < of_input.size(); ++k) {
      of_input[k] = numbers[k % numbers.size()];
    }
    tables.emplace_back(input, Table(columns, precision, std::move(of_input)));
  };
  add(Input::kQ, states.q);
  if (read.v || everything) add(Input::kV, states.v);
  if (read.a || everything) add(Input::kA, states.a);
  if (read.tau || everything) add(Input::kTau, states.tau);
  for (int k = static_cast<int>(Input::kTipWrench);
       everything && k < kInputCount; ++k) {
    add(static_cast<Input>(k), states.tau);
  }
  return tables;
}

std::uint64_t HashOf(Engine& engine, const BenchRobot& robot,
                     const States& states, Precision precision,
                     QuantitySet quantities, WorkloadInputs read,
                     bool everything) {
  auto created = EvaluationPlan::Create(
      robot.model, OptionsOf(robot, precision, quantities, everything));
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    throw std::runtime_error(error->field + ": " + error->message);
  }
  auto& plan = std::get<EvaluationPlan>(created);
  const auto tables = TablesOf(plan, states, precision, read, everything);
  const NumberType type =
      precision == Precision::kSingle ? NumberType::kF32 : NumberType::kF64;
  std::vector<std::vector<std::byte>> memory(kOutputCount);
  EvaluationOutputs outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (!plan.Produces(output)) continue;
    memory[k].resize(static_cast<std::size_t>(
        kRowsOfCall * plan.columns(output) * SizeOf(type)));
    outputs[output] = {memory[k].data(), type};
  }
  std::vector<std::uint32_t> rank(kRowsOfCall);
  std::vector<double> sigma_min(kRowsOfCall);
  std::vector<TaskRule> rule(kRowsOfCall);
  if (quantities.Has(Quantity::kOperationalSpace)) {
    outputs.rank = rank.data();
    outputs.sigma_min = sigma_min.data();
    outputs.rule = rule.data();
  }

  Hash hash;
  for (std::int64_t first = 0; first < kRows; first += kRowsOfCall) {
    const std::int64_t rows = std::min(kRowsOfCall, kRows - first);
    EvaluationInputs inputs;
    for (const auto& [input, table] : tables) {
      inputs[input] = table.Rows(first, rows);
    }
    if (const auto error = plan.Rebind(inputs)) {
      throw std::runtime_error(error->field + ": " + error->message);
    }
    const EvaluationReport report = engine.Evaluate(plan, outputs);
    for (int k = 0; k < kOutputCount; ++k) {
      if (memory[k].empty()) continue;
      hash.Add(memory[k].data(),
               static_cast<std::size_t>(
                   rows * plan.columns(static_cast<Output>(k)) * SizeOf(type)));
    }
    const auto count = static_cast<std::size_t>(rows);
    hash.Add(rank.data(), count * sizeof rank[0]);
    hash.Add(sigma_min.data(), count * sizeof sigma_min[0]);
    hash.Add(rule.data(), count * sizeof rule[0]);
    hash.Add(&report.rows_not_ok, sizeof report.rows_not_ok);
    for (const RowIssue& issue : report.issues) {
      hash.Add(&issue.row, sizeof issue.row);
      hash.Add(&issue.code, sizeof issue.code);
      hash.Add(&issue.input, sizeof issue.input);
      hash.Add(&issue.output, sizeof issue.output);
      hash.Add(&issue.column, sizeof issue.column);
      hash.Add(&issue.value, sizeof issue.value);
      hash.Add(&issue.rank, sizeof issue.rank);
    }
  }
  return hash.value();
}

void Print(const std::string& name, std::string_view quantity,
           std::uint64_t hash) {
  std::printf("%s/%.*s %016llx\n", name.c_str(),
              static_cast<int>(quantity.size()), quantity.data(),
              static_cast<unsigned long long>(hash));
  std::fflush(stdout);
}

void Main(const std::vector<std::string>& wanted) {
  std::vector<BenchRobot> robots = BenchRobots();
  robots.push_back(LightLinkedRobot());
  robots.push_back(PlanarRobot());
  QuantitySet all;
  for (const Workload workload : AllWorkloads()) all.Add(workload);
  for (const std::string& target : TargetNames()) {
    Engine engine(OptionsFor(target, 1));
    for (const BenchRobot& robot : robots) {
      States states = RandomStates(*robot.model, kRows);
      SpoilRows(states);
      for (const Precision precision :
           {Precision::kDouble, Precision::kSingle}) {
        const std::string name =
            target + "/" + robot.name +
            (precision == Precision::kSingle ? "/single" : "/double");
        if (!wanted.empty() &&
            std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
          continue;
        }
        for (const Workload workload : AllWorkloads()) {
          Print(name, Name(workload),
                HashOf(engine, robot, states, precision, QuantitiesOf(workload),
                       InputsOf(workload), false));
        }
        Print(name, "all",
              HashOf(engine, robot, states, precision, all, {}, true));
      }
    }
  }
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  try {
    torqued::bench::Main({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torqued_bits: %s\n", error.what());
    return 1;
  }
}
