// A pack of lanes: the scalar of the algorithm texts with one state per lane.
//
// As wide as the registers of the target that the unit is compiled for. Lanes
// never mix, so a lane's result does not depend on its neighbours.
#pragma once

#include "core/spatial/target.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace torqued {
inline namespace TORQUED_TARGET {

#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline constexpr int kRegisterBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif

template <class Number>
struct IntegerOf;
template <>
struct IntegerOf<double> {
  using Type = long long;
  using Unsigned = unsigned long long;
};
template <>
struct IntegerOf<float> {
  using Type = int;
  using Unsigned = unsigned;
};

/// Per lane: all bits set where a condition holds, none where it does not.
template <class Number>
struct Mask {
  using Integer = typename IntegerOf<Number>::Type;
  using Vector __attribute__((vector_size(kRegisterBytes))) = Integer;

  Vector bits;

  static TORQUED_INLINE Mask None() { return {Vector{}}; }
};

template <class Number>
TORQUED_INLINE Mask<Number> operator&(const Mask<Number>& a,
                                      const Mask<Number>& b) {
  return {a.bits & b.bits};
}
template <class Number>
TORQUED_INLINE Mask<Number> operator!(const Mask<Number>& a) {
  return {~a.bits};
}

/// Bit l: the condition holds in lane l.
template <class Number>
TORQUED_INLINE unsigned LaneBits(const Mask<Number>& m) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  if constexpr (sizeof(Number) == 8) {
    return _mm512_movepi64_mask((__m512i)m.bits);
  } else {
    return _mm512_movepi32_mask((__m512i)m.bits);
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(Number) == 8) {
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)m.bits));
  } else {
    return static_cast<unsigned>(_mm256_movemask_ps((__m256)m.bits));
  }
#elif defined(__x86_64__)
  if constexpr (sizeof(Number) == 8) {
    return static_cast<unsigned>(_mm_movemask_pd((__m128d)m.bits));
  } else {
    return static_cast<unsigned>(_mm_movemask_ps((__m128)m.bits));
  }
#else
  unsigned bits = 0;
  for (int l = 0; l < kRegisterBytes / int(sizeof(Number)); ++l) {
    bits |= (m.bits[l] != 0 ? 1u : 0u) << l;
  }
  return bits;
#endif
}

template <class NumberType>
struct Pack {
  using Number = NumberType;
  using Vector __attribute__((vector_size(kRegisterBytes))) = Number;
  using Integers = typename Mask<Number>::Vector;
  static constexpr int kLanes = kRegisterBytes / int(sizeof(Number));

  Vector v;

  Pack() = default;
  /// The same number in every lane.
  explicit TORQUED_INLINE Pack(Number x) : v(x - Vector{}) {}

  static TORQUED_INLINE Pack Of(Vector lanes) {
    Pack p;
    p.v = lanes;
    return p;
  }
  /// The lanes' bit patterns.
  TORQUED_INLINE Integers bits() const { return (Integers)v; }
  static TORQUED_INLINE Pack FromBits(Integers bits) {
    return Of((Vector)bits);
  }

  TORQUED_INLINE Pack& operator+=(const Pack& b) {
    v += b.v;
    return *this;
  }
  TORQUED_INLINE Pack& operator-=(const Pack& b) {
    v -= b.v;
    return *this;
  }
};

template <class N>
TORQUED_INLINE Pack<N> operator+(const Pack<N>& a, const Pack<N>& b) {
  return Pack<N>::Of(a.v + b.v);
}
template <class N>
TORQUED_INLINE Pack<N> operator-(const Pack<N>& a, const Pack<N>& b) {
  return Pack<N>::Of(a.v - b.v);
}
template <class N>
TORQUED_INLINE Pack<N> operator*(const Pack<N>& a, const Pack<N>& b) {
  return Pack<N>::Of(a.v * b.v);
}
template <class N>
TORQUED_INLINE Pack<N> operator/(const Pack<N>& a, const Pack<N>& b) {
  return Pack<N>::Of(a.v / b.v);
}
template <class N>
TORQUED_INLINE Pack<N> operator-(const Pack<N>& a) {
  return Pack<N>::Of(-a.v);
}

#if defined(__x86_64__) && defined(__FMA__)
#define TORQUED_FUSED 1
#endif

/// a b + c, rounded once where the target can (TORQUED_FUSED). Elsewhere the
/// compiler fuses products and sums as it likes; here it is told to, because it
/// prefers to share a product between two sums.
TORQUED_INLINE Pack<double> Fma(const Pack<double>& a, const Pack<double>& b,
                                const Pack<double>& c) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return Pack<double>::Of(_mm512_fmadd_pd(a.v, b.v, c.v));
#elif defined(TORQUED_FUSED)
  return Pack<double>::Of(_mm256_fmadd_pd(a.v, b.v, c.v));
#else
  return a * b + c;
#endif
}
TORQUED_INLINE Pack<float> Fma(const Pack<float>& a, const Pack<float>& b,
                               const Pack<float>& c) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return Pack<float>::Of(_mm512_fmadd_ps(a.v, b.v, c.v));
#elif defined(TORQUED_FUSED)
  return Pack<float>::Of(_mm256_fmadd_ps(a.v, b.v, c.v));
#else
  return a * b + c;
#endif
}

template <class N>
TORQUED_INLINE Mask<N> operator<(const Pack<N>& a, const Pack<N>& b) {
  return {(typename Mask<N>::Vector)(a.v < b.v)};
}
template <class N>
TORQUED_INLINE Mask<N> operator>(const Pack<N>& a, const Pack<N>& b) {
  return b < a;
}
template <class N>
TORQUED_INLINE Mask<N> IsNaN(const Pack<N>& a) {
  return {(typename Mask<N>::Vector)(a.v != a.v)};
}

/// a where the mask holds, else b.
template <class N>
TORQUED_INLINE Pack<N> Select(const Mask<N>& m, const Pack<N>& a,
                              const Pack<N>& b) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return Pack<N>::Of(m.bits ? a.v : b.v);
#elif defined(__AVX2__)
  if constexpr (sizeof(N) == 8) {
    return Pack<N>::Of(_mm256_blendv_pd(b.v, a.v, (__m256d)m.bits));
  } else {
    return Pack<N>::Of(_mm256_blendv_ps(b.v, a.v, (__m256)m.bits));
  }
#else
  return Pack<N>::FromBits((a.bits() & m.bits) | (b.bits() & ~m.bits));
#endif
}

template <class N>
TORQUED_INLINE Pack<N> Abs(const Pack<N>& a) {
  using Unsigned = typename IntegerOf<N>::Unsigned;
  constexpr auto kNotSign =
      static_cast<typename IntegerOf<N>::Type>(~Unsigned{0} >> 1);
  return Pack<N>::FromBits(a.bits() &
                           (kNotSign - typename Pack<N>::Integers{}));
}
template <class N>
TORQUED_INLINE Pack<N> Min(const Pack<N>& a, const Pack<N>& b) {
  return Select(a < b, a, b);
}
template <class N>
TORQUED_INLINE Pack<N> Max(const Pack<N>& a, const Pack<N>& b) {
  return Select(b < a, a, b);
}

/// sgn(x) with sgn(0) = 0.
template <class N>
TORQUED_INLINE Pack<N> Sign(const Pack<N>& x) {
  const Pack<N> zero(N(0)), one(N(1));
  return Select(x > zero, one, zero) - Select(x < zero, one, zero);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
