// The memory of a thread for the texts of further quantities, one state at a
// time.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "core/batch/row_workspace.h"
#include "core/dynamics/quantities-inl.h"

namespace torqued {

inline constexpr std::align_val_t kCacheLine{64};

struct RowWorkspace::Quantities {
  QuantityScratch<double> scratch{};
  std::unique_ptr<std::byte, Free> memory;
  std::size_t bytes = 0;

  /// Whether it has grown.
  bool Reserve(QuantityBits wanted, unsigned long n) {
    Carver counter(nullptr);
    CarveQuantityScratch(wanted, n, counter, scratch);
    const bool grows = bytes < counter.used();
    if (grows) {
      memory.reset();
      bytes = 0;
      memory.reset(
          static_cast<std::byte*>(::operator new(counter.used(), kCacheLine)));
      bytes = counter.used();
    }
    Carver carver(memory.get());
    CarveQuantityScratch(wanted, n, carver, scratch);
    return grows;
  }
};

}  // namespace torqued
