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

/// Of a pack; 0: of one number.
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
  using Unsigned = unsigned long long;
};
template <>
struct IntegerOf<float> {
  using Type = int;
  using Unsigned = unsigned;
};
template <>
struct IntegerOf<long long> : IntegerOf<double> {};
template <>
struct IntegerOf<int> : IntegerOf<float> {};

#ifdef TORQUED_ONE_LANE
/// What Clang offers of vectors, for one number. In a vector of one it would
/// fuse other products and sums than in wider ones.
template <class Number>
struct VectorOf {
  Number x;
  TORQUED_INLINE Number& operator[](int) { return x; }
  TORQUED_INLINE const Number& operator[](int) const { return x; }
};
#define TORQUED_OPERATOR(op)                                               \
  template <class Number>                                                  \
  TORQUED_INLINE VectorOf<Number> operator op(const VectorOf<Number>& a,   \
                                              const VectorOf<Number>& b) { \
    return {Number(a.x op b.x)};                                           \
  }
TORQUED_OPERATOR(+)
TORQUED_OPERATOR(-)
TORQUED_OPERATOR(*)
TORQUED_OPERATOR(/)
TORQUED_OPERATOR(&)
TORQUED_OPERATOR(|)
TORQUED_OPERATOR(^)
#undef TORQUED_OPERATOR
#define TORQUED_COMPARISON(op)                                       \
  template <class Number>                                            \
  TORQUED_INLINE auto operator op(const VectorOf<Number>& a,         \
                                  const VectorOf<Number>& b) {       \
    using Integer = typename IntegerOf<Number>::Type;                \
    return VectorOf<Integer>{a.x op b.x ? Integer(-1) : Integer(0)}; \
  }
TORQUED_COMPARISON(<)
TORQUED_COMPARISON(!=)
#undef TORQUED_COMPARISON
template <class Number>
TORQUED_INLINE VectorOf<Number> operator-(Number a, const VectorOf<Number>& b) {
  return {a - b.x};
}
template <class Number>
TORQUED_INLINE VectorOf<Number> operator-(const VectorOf<Number>& a) {
  return {-a.x};
}
template <class Number>
TORQUED_INLINE VectorOf<Number> operator~(const VectorOf<Number>& a) {
  return {~a.x};
}
template <class Number>
TORQUED_INLINE VectorOf<Number> operator<<(const VectorOf<Number>& a, int by) {
  using Unsigned = typename IntegerOf<Number>::Unsigned;
  return {Number(Unsigned(a.x) << by)};
}
template <class Number>
TORQUED_INLINE void operator+=(VectorOf<Number>& a, const VectorOf<Number>& b) {
  a.x += b.x;
}
template <class Number>
TORQUED_INLINE void operator-=(VectorOf<Number>& a, const VectorOf<Number>& b) {
  a.x -= b.x;
}
template <class Number>
TORQUED_INLINE void operator|=(VectorOf<Number>& a, const VectorOf<Number>& b) {
  a.x |= b.x;
}
#else
template <class Number>
using VectorOf __attribute__((vector_size(TORQUED_REGISTER_BYTES))) = Number;
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
  for (int l = 0; l < int(sizeof(VectorOf<Number>) / sizeof(Number)); ++l) {
    bits |= (m.bits[l] != 0 ? 1u : 0u) << l;
  }
  return bits;
#endif
}

template <class NumberType>
struct Pack {
  using Number = NumberType;
  using Vector = VectorOf<Number>;
  using Integers = typename Mask<Number>::Vector;
  static constexpr int kLanes = int(sizeof(VectorOf<Number>) / sizeof(Number));

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
/// compiler fuses products and sums as it likes; here it is told to, because it
/// prefers to share a product between two sums.
template <class N>
TORQUED_INLINE Pack<N> Fma(const Pack<N>& a, const Pack<N>& b,
                           const Pack<N>& c) {
#if !defined(TORQUED_FUSED)
  return a * b + c;
#elif TORQUED_REGISTER_BYTES != 0 && __has_builtin(__builtin_elementwise_fma)
  return Pack<N>::Of(__builtin_elementwise_fma(a.v, b.v, c.v));
#else
  Pack<N> sum;
  for (int l = 0; l < Pack<N>::kLanes; ++l) {
    if constexpr (sizeof(N) == 8) {
      sum.v[l] = __builtin_fma(a.v[l], b.v[l], c.v[l]);
    } else {
      sum.v[l] = __builtin_fmaf(a.v[l], b.v[l], c.v[l]);
    }
  }
  return sum;
#endif
}

template <class N>
TORQUED_INLINE Mask<N> operator<(const Pack<N>& a, const Pack<N>& b) {
  return {__builtin_bit_cast(typename Mask<N>::Vector, a.v < b.v)};
}
template <class N>
TORQUED_INLINE Mask<N> operator>(const Pack<N>& a, const Pack<N>& b) {
  return b < a;
}
template <class N>
TORQUED_INLINE Mask<N> IsNaN(const Pack<N>& a) {
  return {__builtin_bit_cast(typename Mask<N>::Vector, a.v != a.v)};
}

/// a where the mask holds, else b.
template <class N>
TORQUED_INLINE Pack<N> Select(const Mask<N>& m, const Pack<N>& a,
                              const Pack<N>& b) {
#if TORQUED_REGISTER_BYTES >= 32
  return Pack<N>::Of(m.bits ? a.v : b.v);
#elif TORQUED_REGISTER_BYTES == 0
  return Pack<N>::Of(typename Pack<N>::Vector{m.bits[0] ? a.v[0] : b.v[0]});
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
