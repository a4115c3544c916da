// A pack of lanes: the scalar of the kernels with one state per lane.
//
// As wide as the registers of the target that the unit is compiled for, or of
// one lane (TORQUED_ONE_LANE). Lanes never mix, so a lane's result does not
// depend on its neighbours.
#pragma once

#include "core/math/target.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace torqued {
inline namespace TORQUED_TARGET {

/// The size of a pack; 0: of one number.
#if defined(TORQUED_ONE_LANE)
#define TORQUED_REGISTER_BYTES 0
#elif defined(__AVX512F__) && defined(__AVX512DQ__)
#define TORQUED_REGISTER_BYTES 64
#elif defined(__AVX2__)
#define TORQUED_REGISTER_BYTES 32
#else
#define TORQUED_REGISTER_BYTES 16
#endif
#if defined(__x86_64__) && !defined(TORQUED_ONE_LANE)
#define TORQUED_INTRINSICS 1
#endif

template <class Number>
struct IntegerOf;
template <>
struct IntegerOf<double> {
  using Type = long long;
};
template <>
struct IntegerOf<float> {
  using Type = int;
};

/// The numbers of all lanes, and that of one of them.
#ifdef TORQUED_ONE_LANE
/// In a vector of one the compiler would fuse other products and sums than in
/// wider ones.
template <class Number>
using VectorOf = Number;
template <class Number>
inline constexpr int kLanesOf = 1;
#define TORQUED_LANE(vector, l) (vector)
#else
template <class Number>
using VectorOf __attribute__((vector_size(TORQUED_REGISTER_BYTES))) = Number;
template <class Number>
inline constexpr int kLanesOf = TORQUED_REGISTER_BYTES / int(sizeof(Number));
#define TORQUED_LANE(vector, l) (vector)[l]
#endif

/// Per lane: all bits set where a condition holds, none where it does not.
template <class Number>
struct Mask {
  using Integer = typename IntegerOf<Number>::Type;
  using Vector = VectorOf<Integer>;

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

/// The mask of a comparison of two packs' vectors.
template <class Number, class Comparison>
TORQUED_INLINE Mask<Number> MaskOf(const Comparison& holds) {
#if TORQUED_REGISTER_BYTES == 0
  return {-typename Mask<Number>::Integer(holds)};
#else
  return {__builtin_bit_cast(typename Mask<Number>::Vector, holds)};
#endif
}

/// Bit l: the condition holds in lane l.
template <class Number>
TORQUED_INLINE unsigned LaneBits(const Mask<Number>& m) {
#if TORQUED_REGISTER_BYTES == 64
  if constexpr (sizeof(Number) == 8) {
    return _mm512_movepi64_mask((__m512i)m.bits);
  } else {
    return _mm512_movepi32_mask((__m512i)m.bits);
  }
#elif TORQUED_REGISTER_BYTES == 32
  if constexpr (sizeof(Number) == 8) {
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)m.bits));
  } else {
    return static_cast<unsigned>(_mm256_movemask_ps((__m256)m.bits));
  }
#elif defined(TORQUED_INTRINSICS)
  if constexpr (sizeof(Number) == 8) {
    return static_cast<unsigned>(_mm_movemask_pd((__m128d)m.bits));
  } else {
    return static_cast<unsigned>(_mm_movemask_ps((__m128)m.bits));
  }
#else
  unsigned bits = 0;
  for (int l = 0; l < kLanesOf<Number>; ++l) {
    bits |= (TORQUED_LANE(m.bits, l) != 0 ? 1u : 0u) << l;
  }
  return bits;
#endif
}

template <class NumberType>
struct Pack {
  using Number = NumberType;
  using Vector = VectorOf<Number>;
  using Integers = typename Mask<Number>::Vector;
  static constexpr int kLanes = kLanesOf<Number>;

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
  TORQUED_INLINE Integers bits() const {
    return __builtin_bit_cast(Integers, v);
  }
  static TORQUED_INLINE Pack FromBits(Integers bits) {
    return Of(__builtin_bit_cast(Vector, bits));
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
/// compiler fuses products and sums as it likes; this asks for it, because the
/// compiler prefers to share a product between two sums.
template <class N>
TORQUED_INLINE Pack<N> Fma(const Pack<N>& a, const Pack<N>& b,
                           const Pack<N>& c) {
#if !defined(TORQUED_FUSED)
  return a * b + c;
#elif __has_builtin(__builtin_elementwise_fma)
  return Pack<N>::Of(__builtin_elementwise_fma(a.v, b.v, c.v));
#else
  Pack<N> sum;
  for (int l = 0; l < Pack<N>::kLanes; ++l) {
    const N x = TORQUED_LANE(a.v, l), y = TORQUED_LANE(b.v, l),
            z = TORQUED_LANE(c.v, l);
    if constexpr (sizeof(N) == 8) {
      TORQUED_LANE(sum.v, l) = __builtin_fma(x, y, z);
    } else {
      TORQUED_LANE(sum.v, l) = __builtin_fmaf(x, y, z);
    }
  }
  return sum;
#endif
}

template <class N>
TORQUED_INLINE Mask<N> operator<(const Pack<N>& a, const Pack<N>& b) {
  return MaskOf<N>(a.v < b.v);
}
template <class N>
TORQUED_INLINE Mask<N> operator>(const Pack<N>& a, const Pack<N>& b) {
  return b < a;
}
template <class N>
TORQUED_INLINE Mask<N> IsNaN(const Pack<N>& a) {
  return MaskOf<N>(a.v != a.v);
}

/// a where the mask holds, else b.
template <class N>
TORQUED_INLINE Pack<N> Select(const Mask<N>& m, const Pack<N>& a,
                              const Pack<N>& b) {
#if TORQUED_REGISTER_BYTES == 16
  return Pack<N>::FromBits((a.bits() & m.bits) | (b.bits() & ~m.bits));
#else
  return Pack<N>::Of(m.bits ? a.v : b.v);
#endif
}

template <class N>
TORQUED_INLINE Pack<N> Abs(const Pack<N>& a) {
  constexpr auto kNotSign =
      ~(typename IntegerOf<N>::Type(1) << (8 * int(sizeof(N)) - 1));
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
