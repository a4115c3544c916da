#include "core/batch/row_workspace.h"

#include <algorithm>
#include <new>

#include "core/batch/quantity_needs.h"
#include "core/batch/row_quantities.h"

namespace torqued {
namespace {

constexpr std::int64_t kNumber = sizeof(double);
/// Of the general texts: matrices, and vectors of each body.
constexpr std::int64_t kVectorsOfABody = 128;
/// Of inputs and results, by joint.
constexpr std::int64_t kNumbersOfAJoint = 32;
/// Of lanes, beside what they say without inputs.
constexpr std::int64_t kBytesOfAJointInLanes = 2048;
/// The gaps between the tables of gathered rows take at most so much.
constexpr std::int64_t kBytesOfBorders = 4096;

std::int64_t BytesOfScratch(std::int64_t bodies) {
  return kNumber * bodies * (bodies + kVectorsOfABody);
}

/// Numbers of the largest symmetric result: M, or what a task of six axes has.
int NumbersOfPacked(const EvaluationPlan& plan) {
  constexpr int kOfATask = 21;
  if (!plan.options().quantities.Has(Quantity::kMassMatrix)) return kOfATask;
  const int nv = plan.model().nv();
  return std::max(nv * (nv + 1) / 2, kOfATask);
}

std::int64_t BytesOfQuantities(QuantityBits wanted, int bodies) {
  if (wanted == 0) return 0;
  QuantityScratch<double> scratch{};
  Carver counter(nullptr);
  CarveQuantityScratch(wanted, static_cast<unsigned long>(bodies), counter,
                       scratch);
  return static_cast<std::int64_t>(counter.used());
}

/// What the kernels themselves say of a job, by the lowered tree or not, in its
/// precision and, if that is single, in double.
std::int64_t BytesOfLanes(BlockJob job, const LaneKernels& kernels) {
  std::int64_t most = 0;
  const auto look = [&] {
    most = std::max<std::int64_t>(
        most, -kernels.evaluate(&job, 0, 0, nullptr, 0, nullptr));
  };
  job.part_count = 1;
  look();
  if (job.single_precision) {
    job.single_precision = false;
    look();
  }
  job.lowered = !job.lowered;
  look();
  return most;
}

/// Of one row.
std::int64_t BytesOfResults(const EvaluationPlan& plan) {
  std::int64_t bytes = 0;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (plan.Produces(output)) bytes += kNumber * plan.columns(output);
  }
  return bytes;
}

/// Of the list of rows in doubt, and of single precision what is put together
/// of them: a block at least; see double_rows.cc.
std::int64_t BytesOfDoubts(const EvaluationPlan& plan,
                           const LaneKernels& kernels) {
  const std::int64_t listed = RowWorkspace::kMostListed *
                              static_cast<std::int64_t>(sizeof(DoubtfulRow));
  if (plan.precision() != Precision::kSingle) return listed;
  const std::int64_t row = BytesOfResults(plan) +
                           kNumber * kNumbersOfAJoint * (plan.model().nv() + 1);
  return listed + kBytesOfBorders +
         std::max(RowWorkspace::kMostGathered, kernels.lanes_f64 * row);
}

/// Whether it has grown.
template <class T>
bool Grow(std::vector<T>& memory, std::size_t wanted) {
  if (memory.size() >= wanted) return false;
  memory = {};  // not both at a time
  memory.resize(wanted);
  return true;
}

}  // namespace

std::int64_t RowWorkspace::BytesFor(const EvaluationPlan& plan,
                                    const LaneKernels& kernels) {
  const std::int64_t nv = plan.model().nv();
  const int bodies = plan.model().tree().n;
  const QuantitySet quantities = plan.options().quantities;
  std::int64_t bytes =
      BytesOfScratch(bodies) + kNumber * kNumbersOfAJoint * (nv + 1) +
      kNumber * NumbersOfPacked(plan) +
      BytesOfQuantities(quantities.bits() & kGeneralQuantities, bodies);
  if (quantities.HasAny(kQuantitiesOfTheTask)) {
    bytes += kNumber * nv * (plan.options().task.axis_count + nv);
  }
  if (!plan.blocks().usable()) return bytes;
  bytes += BytesOfDoubts(plan, kernels);
  double nothing = 0;  // is not written
  EvaluationOutputs outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (plan.Produces(output)) outputs[output].data = &nothing;
  }
  BlockJob job = plan.blocks().Job(plan, outputs);
  for (LaneInput& input : job.inputs) input = {};
  return bytes + BytesOfLanes(job, kernels) + BytesOfResults(plan) +
         kBytesOfAJointInLanes * nv;
}

std::int64_t RowWorkspace::bytes() const {
  const auto bytes_of = [](const auto& memory) {
    return static_cast<std::int64_t>(memory.capacity() * sizeof(memory[0]));
  };
  std::int64_t bytes = BytesOfScratch(bodies) + lanes_bytes;
  for (const auto& input : inputs) bytes += bytes_of(input);
  if (quantities != nullptr) {
    bytes += static_cast<std::int64_t>(quantities->bytes);
  }
  return bytes + bytes_of(result) + bytes_of(packed) + bytes_of(projections) +
         bytes_of(doubtful) + bytes_of(gathered);
}

void RowWorkspace::Trim() {
  if (grown && bytes() > kMostKept) *this = RowWorkspace();
  grown = false;
}

void RowWorkspace::Reserve(const EvaluationPlan& plan) {
  if (bodies < plan.model().tree().n) {
    bodies = plan.model().tree().n;
    grown = true;
  }
  dynamics.Reserve(bodies);
  const auto grow = [this](std::vector<double>& numbers, int size) {
    grown |= Grow(numbers, static_cast<std::size_t>(size));
  };
  const int nv = plan.model().nv();
  for (int k = 0; k < kInputCount; ++k) {
    grow(inputs[static_cast<std::size_t>(k)],
         plan.ColumnsOf(static_cast<Input>(k)));
  }
  grow(result, nv);
  grow(packed, NumbersOfPacked(plan));
  if (plan.options().quantities.HasAny(kQuantitiesOfTheInverse)) {
    pivots.Reserve(bodies);
  }
  if (plan.options().quantities.HasAny(kQuantitiesOfTheTask)) {
    grow(projections, nv * (plan.options().task.axis_count + nv));
  }

  const QuantityBits general =
      plan.options().quantities.bits() & kGeneralQuantities;
  if (general == 0) return;
  if (quantities == nullptr) quantities.reset(new Quantities);
  grown |= quantities->Reserve(general, static_cast<unsigned long>(bodies));
}

void RowWorkspace::FreeQuantities::operator()(Quantities* p) const { delete p; }

void RowWorkspace::Free::operator()(void* p) const {
  ::operator delete(p, kCacheLine);
}

void RowWorkspace::ReserveLanes(long long bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  grown = true;
  lanes.reset();
  lanes_bytes = 0;
  lanes.reset(static_cast<std::byte*>(::operator new(size, kCacheLine)));
  lanes_bytes = bytes;
}

void RowWorkspace::ReserveDoubtful(std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows);
  if (doubtful.size() >= count) return;
  grown = true;
  doubtful = {};
  doubtful.resize(count);
}

void RowWorkspace::ReserveGathered(std::size_t bytes) {
  grown |= Grow(gathered, bytes);
}

}  // namespace torqued
