// Symmetric matrices with the lower half packed by rows: entry (i, j), j ≤ i,
// stands at i (i + 1) / 2 + j.
#pragma once

#include "core/math/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

TORQUED_INLINE constexpr int PackedRow(int i) { return i * (i + 1) / 2; }
TORQUED_INLINE constexpr int PackedEntry(int i, int j) {
  return j <= i ? PackedRow(i) + j : PackedRow(j) + i;
}
TORQUED_INLINE constexpr int PackedSize(int n) { return n * (n + 1) / 2; }

}  // namespace TORQUED_TARGET
}  // namespace torqued
