// Loops whose bounds may be known to the compiler, which then unrolls them.
#pragma once

#include "core/math/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// An integer as a type.
template <int kValue>
struct Int {
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for an int.
  TORQUED_INLINE constexpr operator int() const { return kValue; }
};

template <int kValue>
TORQUED_INLINE constexpr Int<kValue + 1> Next(Int<kValue> /*i*/) {
  return {};
}
TORQUED_INLINE constexpr int Next(int i) { return i + 1; }

/// body(i) for i in [begin, end): unrolled where both bounds are types.
template <int kBegin, int kEnd, class Body>
TORQUED_INLINE void For(Int<kBegin> begin, Int<kEnd> end, const Body& body) {
  if constexpr (kBegin < kEnd) {
    body(begin);
    For(Next(begin), end, body);
  }
}
template <class Body>
TORQUED_INLINE void For(int begin, int end, const Body& body) {
  for (int i = begin; i < end; ++i) body(i);
}

/// body(i) for i from end − 1 down to begin.
template <int kBegin, int kEnd, class Body>
TORQUED_INLINE void ForDown(Int<kBegin> begin, Int<kEnd> /*end*/,
                            const Body& body) {
  if constexpr (kBegin < kEnd) {
    body(Int<kEnd - 1>{});
    ForDown(begin, Int<kEnd - 1>{}, body);
  }
}
template <class Body>
TORQUED_INLINE void ForDown(int begin, int end, const Body& body) {
  for (int i = end - 1; i >= begin; --i) body(i);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
