#include "core/batch/row_workspace.h"

#include <algorithm>
#include <new>
#include <span>

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

/// In either precision, and by the lowered tree or not.
std::int64_t BytesOfLanes(const EvaluationPlan& plan,
                          const LaneKernels& kernels) {
  if (!plan.blocks().usable()) return 0;
  double nothing = 0;  // is not written
  EvaluationOutputs outputs;
  std::int64_t of_a_row = 0;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (!plan.Produces(output)) continue;
    outputs[output].data = &nothing;
    of_a_row += kNumber * plan.columns(output);
  }
  BlockJob job = plan.blocks().Job(plan, outputs);
  const auto needed = [&] {
    return -kernels.evaluate(&job, 0, 0, nullptr, 0, nullptr);
  };
  long long most = needed();
  if (job.single_precision) {
    job.single_precision = false;
    most = std::max(most, needed());
    // Rows in doubt are put together, a block at least; see double_rows.cc.
    of_a_row *= kernels.lanes_f64;
  }
  job.lowered = false;
  most = std::max(most, needed());
  return most + of_a_row + kBytesOfAJointInLanes * plan.model().nv();
}

/// The system gives a page when it is first written, which takes it up to a
/// microsecond. What has pauses is to find its pages there: those of a large
/// matrix take longer than from one pause to the next.
constexpr std::size_t kPage = 4096;
constexpr long long kOperationsOfAPage = 1000;

void TakePages(std::span<std::byte> memory, Pauses* pauses) {
  if (pauses == nullptr) return;
  for (std::size_t at = 0; at < memory.size(); at += kPage) {
    // Not to be left out: nobody reads it.
    const_cast<volatile std::byte&>(memory[at]) = std::byte{0};
    if (GiveUpAfter(pauses, kOperationsOfAPage)) return;
  }
}

template <class T>
void Grow(std::vector<T>& memory, std::size_t wanted, Pauses* pauses) {
  constexpr std::size_t kOfAPause = 32 * kPage / sizeof(T);
  if (memory.size() >= wanted) return;
  memory.reserve(wanted);
  while (memory.size() < wanted) {
    const std::size_t more = std::min(wanted - memory.size(), kOfAPause);
    memory.resize(memory.size() + more);
    const std::size_t pages = more * sizeof(T) / kPage;
    if (pages > 0 && !GiveUpAfter(pauses, 0)) {
      GiveUpAfter(pauses, kOperationsOfAPage * static_cast<long long>(pages));
    }
  }
}

}  // namespace

std::int64_t RowWorkspace::BytesFor(const EvaluationPlan& plan,
                                    const LaneKernels& kernels) {
  const std::int64_t nv = plan.model().nv();
  const int bodies = plan.model().tree().n;
  const QuantitySet quantities = plan.options().quantities;
  std::int64_t numbers = NumbersOfPacked(plan) + kNumbersOfAJoint * (nv + 1);
  if (quantities.HasAny(kQuantitiesOfTheTask)) {
    numbers += nv * (plan.options().task.axis_count + nv);
  }
  return BytesOfScratch(bodies) + kNumber * numbers +
         BytesOfQuantities(quantities.bits() & kGeneralQuantities, bodies) +
         BytesOfLanes(plan, kernels);
}

std::int64_t RowWorkspace::bytes() const {
  std::size_t numbers =
      result.capacity() + packed.capacity() + projections.capacity();
  for (const auto& input : inputs) numbers += input.capacity();
  return BytesOfScratch(bodies) + kNumber * static_cast<std::int64_t>(numbers) +
         static_cast<std::int64_t>(
             (quantities == nullptr ? 0 : quantities->bytes) +
             doubtful.capacity() * sizeof(DoubtfulRow) + gathered.capacity()) +
         lanes_bytes;
}

void RowWorkspace::Trim() {
  if (bytes() > kMostKept) *this = RowWorkspace();
}

void RowWorkspace::Reserve(const EvaluationPlan& plan) {
  bodies = std::max(bodies, plan.model().tree().n);
  TakePages(dynamics.Reserve(bodies), pauses);
  const auto grow = [this](std::vector<double>& numbers, int size) {
    Grow(numbers, static_cast<std::size_t>(size), pauses);
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
  TakePages(quantities->Reserve(general, static_cast<unsigned long>(bodies)),
            pauses);
}

void RowWorkspace::FreeQuantities::operator()(Quantities* p) const { delete p; }

void RowWorkspace::Free::operator()(void* p) const {
  ::operator delete(p, kCacheLine);
}

void RowWorkspace::ReserveLanes(long long bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  lanes.reset();
  lanes_bytes = 0;
  lanes.reset(static_cast<std::byte*>(::operator new(size, kCacheLine)));
  lanes_bytes = bytes;
  TakePages({lanes.get(), size}, pauses);
}

void RowWorkspace::ReserveDoubtful(std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows);
  if (doubtful.size() < count) doubtful.resize(count);
}

void RowWorkspace::ReserveGathered(std::size_t bytes) {
  Grow(gathered, bytes, pauses);
}

}  // namespace torqued
