// How arrays lie in one piece of memory.
#pragma once

#include "core/math/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Hands out arrays that begin on cache lines; with a null base it only counts.
class Arena {
 public:
  explicit TORQUED_INLINE Arena(void* base) : base_(static_cast<char*>(base)) {}

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

}  // namespace TORQUED_TARGET
}  // namespace torqued
