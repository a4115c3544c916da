// Sine and cosine of every lane, without branches.
//
// Reduction by multiples of π/2 in two parts with fused multiply-add, in three
// without (Cody and Waite 1980), then polynomials on |r| ≤ π/4. Absolute error
// at most 2e-16 in double precision for |x| ≤ 1.6e6 (2.5e-16 where the rest of
// an offset is added), in all lanes that count as in range; the others get the
// library's values, and neighbours do not notice.
#pragma once

#include "core/lanes/pack.h"
#include "core/lanes/polynomial.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
struct SinCosConstants;

template <>
struct SinCosConstants<double> {
  /// What is added to it is rounded to an integer, which stands in its low
  /// bits.
  static constexpr double kMagic = 0x1.8p52;
  /// The reduction is for multiples in [−kMultiples, kMultiples): at least for
  /// |x| ≤ 1.6e6.
  static constexpr double kMultiples = 0x1p20;
  /// By quadrant: rounds, with the quadrant in the low bits.
  static constexpr double kShift[] = {
      kMagic + kMultiples, kMagic + kMultiples + 1, kMagic + kMultiples + 2,
      kMagic + kMultiples + 3};
  static constexpr double kTwoOverPi = 6.36619772367581382433e-01;
#ifdef TORQUED_FUSED
  static constexpr int kParts = 2;
  static constexpr double kHalfPi[] = {1.57079632679489655800e+00,
                                       6.12323399573676603587e-17};
#else
  static constexpr int kParts = 3;
  // 31 + 32 + 53 bits: the products with |k| ≤ 2²¹ are exact.
  static constexpr double kHalfPi[] = {1.57079632673412561417e+00,
                                       6.07710050630396597660e-11,
                                       2.02226624879595063154e-21};
#endif
  // sin r = r + r z P(z), cos r = 1 + z Q(z), z = r²; falling powers.
  static constexpr double kSine[] = {
      1.58962301576546568060e-10, -2.50507477628578072866e-8,
      2.75573136213857245213e-6,  -1.98412698295895385996e-4,
      8.33333333332211858878e-3,  -1.66666666666666307295e-1};
  static constexpr double kCosine[] = {-1.13585365213876817300e-11,
                                       2.08757008419747316778e-9,
                                       -2.75573141792967388112e-7,
                                       2.48015872888517045348e-5,
                                       -1.38888888888730564116e-3,
                                       4.16666666666665929218e-2,
                                       -0.5};
};

template <>
struct SinCosConstants<float> {
  static constexpr float kMagic = 0x1.8p23f;
  static constexpr float kMultiples = 0x1p13f;  // at least |x| ≤ 12000
  static constexpr float kShift[] = {
      kMagic + kMultiples, kMagic + kMultiples + 1, kMagic + kMultiples + 2,
      kMagic + kMultiples + 3};
  static constexpr float kTwoOverPi = 6.36619772e-01F;
#ifdef TORQUED_FUSED
  static constexpr int kParts = 2;
  static constexpr float kHalfPi[] = {1.57079637050628662F,
                                      -4.37113900018624283e-8F};
#else
  static constexpr int kParts = 3;
  static constexpr float kHalfPi[] = {1.5703125F, 4.837512969970703125e-4F,
                                      7.54978995489188216e-8F};
#endif
  static constexpr float kSine[] = {-1.9515295891e-4F, 8.3321608736e-3F,
                                    -1.6666654611e-1F};
  static constexpr float kCosine[] = {2.443315711809948e-5F,
                                      -1.388731625493765e-3F,
                                      4.166664568298827e-2F, -0.5F};
};

/// The library's values in the lanes of `lanes`.
template <class N>
__attribute__((noinline, cold)) void LibrarySinCos(const Pack<N>& x,
                                                   unsigned lanes,
                                                   Pack<N>* sine,
                                                   Pack<N>* cosine) {
  for (int l = 0; l < Pack<N>::kLanes; ++l) {
    if ((lanes >> l & 1u) == 0) continue;
    const double lane = static_cast<double>(x.v[l]);
    sine->v[l] = static_cast<N>(__builtin_sin(lane));
    cosine->v[l] = static_cast<N>(__builtin_cos(lane));
  }
}

/// An angle less k π/2, |r| ≤ π/4.
template <class N>
struct ReducedAngle {
  Pack<N> r;
  /// k modulo 4 in its low two bits.
  typename Pack<N>::Integers quadrant;
};

/// Collects the lanes in which some angle was not in range; NaN is not.
template <class N>
class AngleRange {
 public:
  using Integers = typename Pack<N>::Integers;

  TORQUED_INLINE void Add(const ReducedAngle<N>& angle) {
    strange_ |= angle.quadrant ^ Pack<N>(SinCosConstants<N>::kMagic).bits();
  }
  /// One bit for each.
  TORQUED_INLINE unsigned lanes() const {
    using Integer = typename IntegerOf<N>::Type;
    // Those in range differ from kMagic in low bits alone.
    constexpr auto kLow =
        2 * static_cast<Integer>(SinCosConstants<N>::kMultiples) - 1;
    const Integers high = strange_ & ((~kLow) - Integers{});
    return LaneBits(Mask<N>{__builtin_bit_cast(Integers, high != Integers{})});
  }

 private:
  Integers strange_{};
};

/// The multiple of π/2 that is nearest to x + quadrant π/2, less `quadrant`;
/// the whole of it stands in the low bits of `rounded`. Fused as told: who is
/// in range must not depend on where this stands.
template <class N>
TORQUED_INLINE Pack<N> NearestMultiple(const Pack<N>& x, int quadrant,
                                       Pack<N>& rounded) {
  const Pack<N> shift(SinCosConstants<N>::kShift[quadrant]);
  rounded = Fma(x, Pack<N>(SinCosConstants<N>::kTwoOverPi), shift);
  return rounded - shift;
}

/// Of x + quadrant π/2.
template <class N>
TORQUED_INLINE ReducedAngle<N> Reduce(const Pack<N>& x, int quadrant) {
  using C = SinCosConstants<N>;
  Pack<N> rounded;
  const Pack<N> k = NearestMultiple(x, quadrant, rounded);
  Pack<N> r = x;
  for (int part = 0; part < C::kParts; ++part) {
    r = Fma(-k, Pack<N>(C::kHalfPi[part]), r);
  }
  return {r, rounded.bits()};
}

/// Of x + quadrant π/2 + rest, |rest| ≤ π/4, without rounding the sum: an
/// offset does not cost a large angle its digits.
template <class N>
TORQUED_INLINE ReducedAngle<N> Reduce(const Pack<N>& x, int quadrant,
                                      const Pack<N>& rest) {
  using C = SinCosConstants<N>;
  Pack<N> rounded;
  const Pack<N> k = NearestMultiple(x + rest, quadrant, rounded);
  // The smallest first.
  Pack<N> low = rest;
  for (int part = C::kParts - 1; part > 0; --part) {
    low = Fma(-k, Pack<N>(C::kHalfPi[part]), low);
  }
  return {Fma(-k, Pack<N>(C::kHalfPi[0]), x) + low, rounded.bits()};
}

template <class N>
TORQUED_INLINE void SinCosOfReduced(const ReducedAngle<N>& angle, Pack<N>& sine,
                                    Pack<N>& cosine) {
  using C = SinCosConstants<N>;
  using Integer = typename IntegerOf<N>::Type;
  using Integers = typename Pack<N>::Integers;
  constexpr int kSignBit = 8 * int(sizeof(N)) - 1;
  const Pack<N>& r = angle.r;
  const Integers& quadrant = angle.quadrant;
  const Pack<N> z = r * r;
  const Pack<N> s = r + (r * z) * Polynomial(C::kSine, z);
  const Pack<N> c = Pack<N>(N(1)) + z * Polynomial(C::kCosine, z);
  // Odd quadrants swap; sin is negative in 2, 3, cos in 1, 2.
  const Integers one = Integer(1) - Integers{};
#if TORQUED_REGISTER_BYTES == 64
  const Mask<N> odd = {
      __builtin_bit_cast(Integers, (quadrant & one) != Integers{})};
#else
  const Mask<N> odd = {-(quadrant & one)};  // no 64-bit comparison in SSE2
#endif
  const Integers sign = (Integer(1) - Integers{}) << kSignBit;
  const Integers sine_sign = (quadrant << (kSignBit - 1)) & sign;
  const Integers cosine_sign = ((quadrant + one) << (kSignBit - 1)) & sign;
  sine = Pack<N>::FromBits(Select(odd, c, s).bits() ^ sine_sign);
  cosine = Pack<N>::FromBits(Select(odd, s, c).bits() ^ cosine_sign);
}

template <class N>
TORQUED_INLINE void SinCos(const Pack<N>& x, Pack<N>& sine, Pack<N>& cosine) {
  const ReducedAngle<N> angle = Reduce(x, 0);
  AngleRange<N> range;
  range.Add(angle);
  SinCosOfReduced(angle, sine, cosine);
  if (const unsigned strange = range.lanes(); strange != 0) [[unlikely]] {
    Pack<N> library_sine = sine, library_cosine = cosine;
    LibrarySinCos(x, strange, &library_sine, &library_cosine);
    sine = library_sine;
    cosine = library_cosine;
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
