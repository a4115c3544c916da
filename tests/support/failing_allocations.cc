#include "tests/support/failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace torqued::testing_support {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t> fails_from{kNever}, fails_below{kNever};
std::atomic<int> failed{0};

void* Allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes >= fails_from.load() && bytes < fails_below.load()) {
    ++failed;
    return nullptr;
  }
  if (bytes > kNever - alignment) return nullptr;
  // aligned_alloc wants a multiple of the alignment, and not none.
  const std::size_t whole = (bytes + alignment) / alignment * alignment;
  return alignment <= alignof(std::max_align_t)
             ? std::malloc(whole)
             : std::aligned_alloc(alignment, whole);
}

void* AllocateOrThrow(std::size_t bytes, std::size_t alignment) {
  void* memory = Allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

FailingAllocations::FailingAllocations(std::size_t from_bytes,
                                       std::size_t below_bytes) {
  fails_below = below_bytes;
  failed = 0;
  fails_from = from_bytes;
}
FailingAllocations::~FailingAllocations() { fails_from = kNever; }

int FailingAllocations::failures() const { return failed; }

}  // namespace torqued::testing_support

namespace support = torqued::testing_support;

// The array forms call these; sanitizers bring all others of their own.
void* operator new(std::size_t bytes) {
  return support::AllocateOrThrow(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return support::AllocateOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return support::Allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t&) noexcept {
  return support::Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
