#include "core/dynamics/workspace.h"

#include <cstddef>
#include <new>

#include "core/dynamics/scratch_layout-inl.h"

namespace torqued {
namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

void Workspace::Free::operator()(void* p) const {
  ::operator delete(p, kAlignment);
}

void Workspace::Reserve(int bodies) {
  if (bodies <= bodies_) return;
  const auto n = static_cast<unsigned long>(bodies);
  Carver counter(nullptr);
  CarveScratch(n, counter, scratch_);
  // Not both at a time; and where there is no memory nothing is left.
  bodies_ = -1;
  memory_.reset();
  memory_.reset(
      static_cast<std::byte*>(::operator new(counter.used(), kAlignment)));
  Carver carver(memory_.get());
  CarveScratch(n, carver, scratch_);
  bodies_ = bodies;
}

}  // namespace torqued
