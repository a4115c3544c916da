#include "core/batch/row_workspace.h"

#include <algorithm>
#include <new>

#include "core/batch/evaluate_rows.h"
#include "core/batch/row_decision.h"

namespace torqued {
namespace {

constexpr std::int64_t kNumber = sizeof(double);
/// Of lanes, beside what they say without inputs.
constexpr std::int64_t kBytesOfAJointInLanes = 2048;
constexpr std::align_val_t kCacheLine{64};

/// Of PivotScratch, beside what vectors take themselves.
std::int64_t BytesOfPivots(std::int64_t bodies) {
  return bodies *
         static_cast<std::int64_t>(sizeof(Transform<double>) +
                                   2 * sizeof(ArticulatedInertia<double>) +
                                   3 * sizeof(double) + sizeof(int));
}

/// What the kernels themselves say of a job.
std::int64_t BytesOfLanes(const BlockJob& job, const LaneKernels& kernels) {
  return -kernels.evaluate(&job, 0, 0, nullptr, 0, nullptr);
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
  std::int64_t bytes = BytesOfPivots(plan.model().tree().n);
  for (int k = 0; k < kInputCount; ++k) {
    bytes += kNumber * plan.ColumnsOf(static_cast<Input>(k));
  }
  if (plan.options().quantities.HasAny(kTaskQuantities)) {
    bytes += kNumber * RowDecision::TaskNumbers(plan);
  }
  bytes += 2 * kMostListed * static_cast<std::int64_t>(sizeof(DoubtfulRow));
  double nothing = 0;  // is not written
  EvaluationOutputs outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if (plan.Produces(output)) outputs[output].data = &nothing;
  }
  BlockJob job = plan.Job(outputs);
  for (LaneInput& input : job.inputs) input = {};
  BlockJob in_double = job;
  in_double.single_precision = false;
  std::int64_t of_lanes =
      BytesOfLanes(in_double, plan.one_lane() ? *kernels.one_lane : kernels);
  if (job.single_precision) {
    job.wanted = WantedOf(job, ~plan.large().bits());
    of_lanes = std::max(of_lanes, BytesOfLanes(job, kernels));
  }
  return bytes + of_lanes + kBytesOfAJointInLanes * nv;
}

std::int64_t RowWorkspace::bytes() const {
  const auto bytes_of = [](const auto& memory) {
    return static_cast<std::int64_t>(memory.capacity() * sizeof(memory[0]));
  };
  std::int64_t bytes =
      BytesOfPivots(static_cast<std::int64_t>(pivots.X.capacity())) +
      lanes_bytes;
  for (const auto& input : inputs) bytes += bytes_of(input);
  return bytes + bytes_of(task) + bytes_of(doubtful) + bytes_of(undecided);
}

void RowWorkspace::Trim() {
  if (grown && bytes() > kMostKept) *this = RowWorkspace();
  grown = false;
}

void RowWorkspace::Reserve(const EvaluationPlan& plan) {
  const auto grow = [this](std::vector<double>& numbers, std::int64_t size) {
    grown |= Grow(numbers, static_cast<std::size_t>(size));
  };
  for (int k = 0; k < kInputCount; ++k) {
    grow(inputs[static_cast<std::size_t>(k)],
         plan.ColumnsOf(static_cast<Input>(k)));
  }
  const std::size_t before = pivots.X.size();
  pivots.Reserve(plan.model().tree().n);
  grown |= pivots.X.size() > before;
  if (plan.options().quantities.HasAny(kTaskQuantities)) {
    grow(task, RowDecision::TaskNumbers(plan));
  }
}

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
  grown |= Grow(doubtful, count);
  grown |= Grow(undecided, count);
}

}  // namespace torqued
