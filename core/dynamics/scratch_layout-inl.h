// How the arrays of a Scratch lie in one piece of memory.
#pragma once

#include "core/dynamics/scratch.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Hands out arrays that begin on cache lines; with a null base it only counts.
class Carver {
 public:
  explicit TORQUED_INLINE Carver(void* base)
      : base_(static_cast<char*>(base)) {}

  template <class Item>
  TORQUED_INLINE void Take(Item*& array, unsigned long count) {
    array = base_ == nullptr ? nullptr : reinterpret_cast<Item*>(base_ + used_);
    used_ += count * sizeof(Item);
    if constexpr (sizeof(Item) % kLine != 0) {
      used_ = (used_ + kLine - 1) / kLine * kLine;
    }
  }
  TORQUED_INLINE unsigned long used() const { return used_; }

 private:
  static constexpr unsigned long kLine = 64;

  char* base_;
  unsigned long used_ = 0;
};

/// All arrays, for n bodies.
template <class T>
void CarveScratch(unsigned long n, Carver& carver, Scratch<T>& s) {
  carver.Take(s.X, n);
  carver.Take(s.Gc, n);
  carver.Take(s.Ga, n);
  carver.Take(s.U, n);
  carver.Take(s.d, n);
  carver.Take(s.u, n);
  carver.Take(s.h, n);
  carver.Take(s.M, n * n);
  carver.Take(s.J, 6 * n);
  carver.Take(s.Y, 7 * n);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
