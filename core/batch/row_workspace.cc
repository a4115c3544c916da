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

/// What the kernels themselves say of a job, in its precision and, where that
/// is single, in double. `both_texts`: by the lowered tree or not.
std::int64_t BytesOfLanes(BlockJob job, bool both_texts,
                          const LaneKernels& kernels) {
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
  if (both_texts) {
    job.lowered = !job.lowered;
    look();
  }
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
void AddDoubts(const EvaluationPlan& plan, const LaneKernels& kernels,
               RowWorkspace::Parts* parts) {
  parts->listed = RowWorkspace::kMostListed *
                  static_cast<std::int64_t>(sizeof(DoubtfulRow));
  if (plan.precision() != Precision::kSingle) return;
  const std::int64_t row = BytesOfResults(plan) +
                           kNumber * kNumbersOfAJoint * (plan.model().nv() + 1);
  parts->gathered = kBytesOfBorders + std::max(RowWorkspace::kMostGathered,
                                               kernels.lanes_f64 * row);
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

/// Whether it has grown.
template <class T>
bool Grow(std::vector<T>& memory, std::size_t wanted, Pauses* pauses) {
  constexpr std::size_t kOfAPause = 32 * kPage / sizeof(T);
  if (memory.size() >= wanted) return false;
  // Not both at a time.
  memory = {};
  memory.reserve(wanted);
  while (memory.size() < wanted) {
    const std::size_t more = std::min(wanted - memory.size(), kOfAPause);
    memory.resize(memory.size() + more);
    const std::size_t pages = more * sizeof(T) / kPage;
    if (pages > 0 && !GiveUpAfter(pauses, 0)) {
      GiveUpAfter(pauses, kOperationsOfAPage * static_cast<long long>(pages));
    }
  }
  return true;
}

/// But for lanes.
RowWorkspace::Parts OtherParts(const EvaluationPlan& plan,
                               const LaneKernels& kernels) {
  const std::int64_t nv = plan.model().nv();
  const int bodies = plan.model().tree().n;
  const QuantitySet quantities = plan.options().quantities;
  RowWorkspace::Parts parts;
  parts.scratch = BytesOfScratch(bodies);
  parts.numbers = kNumber * kNumbersOfAJoint * (nv + 1);
  parts.packed = kNumber * NumbersOfPacked(plan);
  if (quantities.HasAny(kQuantitiesOfTheTask)) {
    parts.projections = kNumber * nv * (plan.options().task.axis_count + nv);
  }
  parts.quantities =
      BytesOfQuantities(quantities.bits() & kGeneralQuantities, bodies);
  if (plan.blocks().usable()) AddDoubts(plan, kernels, &parts);
  return parts;
}

}  // namespace

std::int64_t RowWorkspace::BytesFor(const EvaluationPlan& plan,
                                    const LaneKernels& kernels) {
  Parts parts = OtherParts(plan, kernels);
  if (!plan.blocks().usable()) return parts.total();
  double nothing = 0;  // is not written
  EvaluationOutputs outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (plan.Produces(output)) outputs[output].data = &nothing;
  }
  BlockJob job = plan.blocks().Job(plan, outputs);
  for (LaneInput& input : job.inputs) input = {};
  parts.lanes = BytesOfLanes(job, true, kernels) + BytesOfResults(plan) +
                kBytesOfAJointInLanes * std::int64_t{plan.model().nv()};
  return parts.total();
}

RowWorkspace::Parts RowWorkspace::PartsFor(const EvaluationPlan& plan,
                                           const EvaluationOutputs& outputs,
                                           const LaneKernels& kernels) {
  Parts parts = OtherParts(plan, kernels);
  if (!plan.blocks().usable()) return parts;
  const BlockJob job = plan.blocks().Job(plan, outputs);
  parts.lanes = BytesOfLanes(job, job.part_count > 1, kernels);
  return parts;
}

RowWorkspace::Parts RowWorkspace::parts() const {
  const auto bytes_of = [](const auto& memory) {
    return static_cast<std::int64_t>(memory.capacity() * sizeof(memory[0]));
  };
  Parts parts;
  parts.scratch = BytesOfScratch(bodies);
  parts.numbers = bytes_of(result);
  for (const auto& input : inputs) parts.numbers += bytes_of(input);
  parts.packed = bytes_of(packed);
  parts.projections = bytes_of(projections);
  if (quantities != nullptr) {
    parts.quantities = static_cast<std::int64_t>(quantities->bytes);
  }
  parts.lanes = lanes_bytes;
  parts.listed = bytes_of(doubtful);
  parts.gathered = bytes_of(gathered);
  return parts;
}

void RowWorkspace::MakeRoom(const Parts& needed) {
  if (!grown && kept + needed.total() <= kMostKept) return;
  const Parts has = parts();
  const Parts both = {
      .scratch = std::max(has.scratch, needed.scratch),
      .numbers = std::max(has.numbers, needed.numbers),
      .packed = std::max(has.packed, needed.packed),
      .projections = std::max(has.projections, needed.projections),
      .quantities = std::max(has.quantities, needed.quantities),
      .lanes = std::max(has.lanes, needed.lanes),
      .listed = std::max(has.listed, needed.listed),
      .gathered = std::max(has.gathered, needed.gathered)};
  if (both.total() > kMostKept) *this = RowWorkspace();
}

void RowWorkspace::Trim() {
  if (!grown) return;
  grown = false;
  kept = bytes();
  if (kept > kMostKept) *this = RowWorkspace();
}

void RowWorkspace::Reserve(const EvaluationPlan& plan) {
  if (bodies < plan.model().tree().n) {
    bodies = plan.model().tree().n;
    grown = true;
  }
  TakePages(dynamics.Reserve(bodies), pauses);
  const auto grow = [this](std::vector<double>& numbers, int size) {
    grown |= Grow(numbers, static_cast<std::size_t>(size), pauses);
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
  const auto pages =
      quantities->Reserve(general, static_cast<unsigned long>(bodies));
  grown |= !pages.empty();
  TakePages(pages, pauses);
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
  TakePages({lanes.get(), size}, pauses);
}

void RowWorkspace::ReserveDoubtful(std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows);
  if (doubtful.size() >= count) return;
  grown = true;
  doubtful = {};
  doubtful.resize(count);
}

void RowWorkspace::ReserveGathered(std::size_t bytes) {
  grown |= Grow(gathered, bytes, pauses);
}

}  // namespace torqued
