// Which rows of a block need another look, and for which quantities.
#pragma once

#include "core/engine/block_job.h"
#include "core/math/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The doubts of a row with an input that is not finite.
inline constexpr QuantityBits kAllQuantities = ~QuantityBits{0};

template <int kLanes>
class FallbackMask {
 public:
  TORQUED_INLINE void Clear() { lanes_ = 0; }
  TORQUED_INLINE bool any() const { return lanes_ != 0; }

  /// `lanes`: one bit each.
  TORQUED_INLINE void Add(QuantityBits quantities, unsigned lanes) {
    if (lanes != 0) [[unlikely]] {
      Note(quantities, lanes);
    }
  }

  /// Lists the first `count` lanes' rows, of which the first is `row`; returns
  /// how many there are.
  int List(long long row, int count, FallbackRow* rows) const {
    int listed = 0;
    for (int l = 0; l < count; ++l) {
      if (Has(lanes_, l)) rows[listed++] = {row + l, quantities_[l]};
    }
    return listed;
  }

 private:
  static bool Has(unsigned lanes, int l) { return (lanes >> l & 1u) != 0; }

  __attribute__((noinline, cold)) void Note(QuantityBits quantities,
                                            unsigned lanes) {
    for (int l = 0; l < kLanes; ++l) {
      if (!Has(lanes, l)) continue;
      quantities_[l] = (Has(lanes_, l) ? quantities_[l] : 0U) | quantities;
    }
    lanes_ |= lanes;
  }

  unsigned lanes_ = 0;
  QuantityBits quantities_[kLanes] = {};  // of the lanes that are set
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
