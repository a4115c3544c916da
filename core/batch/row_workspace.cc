#include "core/batch/row_workspace.h"

#include <algorithm>
#include <new>

#include "core/batch/quantity_needs.h"
#include "core/batch/row_quantities.h"

namespace torqued {

void RowWorkspace::Reserve(const EvaluationPlan& plan) {
  const int bodies = plan.model().tree().n;
  dynamics.Reserve(bodies);
  const auto grow = [](std::vector<double>& numbers, int size) {
    const auto wanted = static_cast<std::size_t>(size);
    if (numbers.size() < wanted) numbers.resize(wanted);
  };
  const int nv = plan.model().nv();
  for (int k = 0; k < kInputCount; ++k) {
    grow(inputs[static_cast<std::size_t>(k)],
         plan.ColumnsOf(static_cast<Input>(k)));
  }
  grow(result, nv);
  grow(packed, std::max(nv * (nv + 1) / 2, 21));
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
  quantities->Reserve(general, static_cast<unsigned long>(bodies));
}

void RowWorkspace::FreeQuantities::operator()(Quantities* p) const { delete p; }

void RowWorkspace::Free::operator()(void* p) const {
  ::operator delete(p, kCacheLine);
}

void RowWorkspace::ReserveLanes(long long bytes) {
  lanes.reset(static_cast<std::byte*>(
      ::operator new(static_cast<std::size_t>(bytes), kCacheLine)));
  lanes_bytes = bytes;
}

void RowWorkspace::ReserveDoubtful(std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows);
  if (doubtful.size() < count) doubtful.resize(count);
}

}  // namespace torqued
