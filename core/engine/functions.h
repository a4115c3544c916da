// Sine, cosine and hyperbolic tangent of every lane, without branches.
//
// Sine and cosine: reduction by multiples of π/2 in two parts with fused
// multiply-add, in three without (Cody and Waite 1980), then polynomials on
// |r| ≤ π/4. Absolute error at most 2e-16 in double precision for |x| ≤ 1.6e6
// (2.5e-16 where the rest of an offset is added), in all lanes that count as in
// range; the others get the library's values, and neighbours do not notice.
#pragma once

#include "core/math/pack.h"
#include "core/tree/compiled_tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Horner's rule on constants, those of the highest powers first.
template <class N, int kCount>
TORQUED_INLINE Pack<N> Polynomial(const N (&coefficients)[kCount],
                                  const Pack<N>& z) {
  Pack<N> sum(coefficients[0]);
  for (int k = 1; k < kCount; ++k) sum = sum * z + Pack<N>(coefficients[k]);
  return sum;
}

/// A number that is added to it is rounded to an integer, in its low bits.
template <class N>
inline constexpr N kMagic = sizeof(N) == 8 ? N(0x1.8p52) : N(0x1.8p23);

template <class N>
struct SinCosConstants;

template <>
struct SinCosConstants<double> {
  /// The reduction is for multiples in [−kMultiples, kMultiples): at least for
  /// |x| ≤ 1.6e6.
  static constexpr double kMultiples = 0x1p20;
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
  static constexpr float kMultiples = 0x1p13f;  // at least |x| ≤ 12000
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
    strange_ |= angle.quadrant ^ Pack<N>(kMagic<N>).bits();
  }
  /// One bit for each.
  TORQUED_INLINE unsigned lanes() const {
    using Integer = typename IntegerOf<N>::Type;
    // Those in range differ from kMagic in low bits alone.
    constexpr auto kLow =
        2 * static_cast<Integer>(SinCosConstants<N>::kMultiples) - 1;
    const Integers high = strange_ & ((~kLow) - Integers{});
    return LaneBits(MaskOf<N>(high != Integers{}));
  }

 private:
  Integers strange_{};
};

/// By quadrant: rounds as kMagic does, with the quadrant in the low bits.
template <class N>
inline constexpr N kShift[] = {kMagic<N> + SinCosConstants<N>::kMultiples,
                               kMagic<N> + SinCosConstants<N>::kMultiples + 1,
                               kMagic<N> + SinCosConstants<N>::kMultiples + 2,
                               kMagic<N> + SinCosConstants<N>::kMultiples + 3};

/// The multiple of π/2 that is nearest to x + quadrant π/2, less `quadrant`.
/// The low bits of `rounded` have the whole of it. Fused explicitly: the range
/// check must not depend on where this is inlined.
template <class N>
TORQUED_INLINE Pack<N> NearestMultiple(const Pack<N>& x, int quadrant,
                                       Pack<N>& rounded) {
  const Pack<N> shift(kShift<N>[quadrant]);
  rounded = Fma(x, Pack<N>(SinCosConstants<N>::kTwoOverPi), shift);
  return rounded - shift;
}

/// Reduces x + quadrant π/2.
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

/// Reduces x + quadrant π/2 + rest, |rest| ≤ π/4, without rounding the sum: an
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
#if TORQUED_REGISTER_BYTES >= 32
  const Mask<N> odd = MaskOf<N>((quadrant & one) != Integers{});
#else
  const Mask<N> odd = {-(quadrant & one)};  // no 64-bit comparison in SSE2
#endif
  const Integers sign = (Integer(1) - Integers{}) << kSignBit;
  const Integers sine_sign = (quadrant << (kSignBit - 1)) & sign;
  const Integers cosine_sign = ((quadrant + one) << (kSignBit - 1)) & sign;
  sine = Pack<N>::FromBits(Select(odd, c, s).bits() ^ sine_sign);
  cosine = Pack<N>::FromBits(Select(odd, s, c).bits() ^ cosine_sign);
}

/// q + q0 of a revolute joint.
template <class N>
TORQUED_INLINE ReducedAngle<N> AngleOf(const CompiledBody<N>& body,
                                       const Pack<N>& q) {
  return body.q0_rest == 0 ? Reduce(q, body.quadrant)
                           : Reduce(q, body.quadrant, Pack<N>(body.q0_rest));
}

/// Sine and cosine by the library in the lanes that are out of range, then of
/// the sum by the addition theorem, which leaves a large angle its digits.
template <class N>
__attribute__((noinline, cold)) void SinCosOfLargeAngles(
    const CompiledTree<N>& tree, const Pack<N>* q, Pack<N>* s, Pack<N>* c) {
  using P = Pack<N>;
  for (int i = 0; i < tree.n; ++i) {
    const CompiledBody<N>& body = tree.bodies[i];
    if (body.motion != JointMotion::kRevolute) continue;
    AngleRange<N> range;
    range.Add(AngleOf(body, q[i]));
    const unsigned lanes = range.lanes();
    P sine(N(0)), cosine(N(0));
    for (int l = 0; l < P::kLanes; ++l) {
      if ((lanes >> l & 1u) == 0) continue;
      const double angle = static_cast<double>(TORQUED_LANE(q[i].v, l));
      TORQUED_LANE(sine.v, l) = static_cast<N>(__builtin_sin(angle));
      TORQUED_LANE(cosine.v, l) = static_cast<N>(__builtin_cos(angle));
    }
    const P s0(body.sin_q0), c0(body.cos_q0);
    const P of_sum_s = Fma(sine, c0, cosine * s0);
    const P of_sum_c = Fma(cosine, c0, -(sine * s0));
    for (int l = 0; l < P::kLanes; ++l) {
      if ((lanes >> l & 1u) == 0) continue;
      TORQUED_LANE(s[i].v, l) = TORQUED_LANE(of_sum_s.v, l);
      TORQUED_LANE(c[i].v, l) = TORQUED_LANE(of_sum_c.v, l);
    }
  }
}

/// Sine and cosine of the angles that no q changes: q0 of prismatic joints.
template <class N>
void SetConstantAngles(const CompiledTree<N>& tree, Pack<N>* s, Pack<N>* c) {
  for (int i = 0; i < tree.n; ++i) {
    if (tree.bodies[i].motion != JointMotion::kPrismatic) continue;
    s[i] = Pack<N>(tree.bodies[i].sin_q0);
    c[i] = Pack<N>(tree.bodies[i].cos_q0);
  }
}

/// Sine and cosine of q + q0 of revolute joints, of those listed or, without a
/// list, of the first `count`; those of prismatic joints are left alone.
template <class N>
TORQUED_INLINE void SinCosOfAngles(const CompiledTree<N>& tree,
                                   const int* joints, int count,
                                   const Pack<N>* q, Pack<N>* s, Pack<N>* c) {
  AngleRange<N> range;
  const auto find = [&](int i) TORQUED_INLINE_BODY {
    const CompiledBody<N>& body = tree.bodies[i];
    if (body.motion != JointMotion::kRevolute) return;
    const ReducedAngle<N> angle = AngleOf(body, q[i]);
    range.Add(angle);
    SinCosOfReduced(angle, s[i], c[i]);
  };
  if (joints == nullptr) {
    for (int i = 0; i < count; ++i) find(i);
  } else {
    for (int k = 0; k < count; ++k) find(joints[k]);
  }
  if (range.lanes() != 0) [[unlikely]] {
    SinCosOfLargeAngles(tree, q, s, c);
  }
}

template <class N>
struct TanhConstants;

template <>
struct TanhConstants<double> {
  static constexpr int kExponentBias = 1023;
  static constexpr int kMantissaBits = 52;
  /// From here on tanh rounds to 1.
  static constexpr double kOne = 20;
  static constexpr double kInverseLn2 = 1.44269504088896338700;
  // ln 2 in two parts: k times the first is exact for |k| < 2¹¹.
  static constexpr double kLn2High = 6.93147180369123816490e-01;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  // 1/13! to 1/2!: exp r = 1 + r + r² P(r), to 1e-17 for |r| ≤ ln 2 / 2.
  static constexpr double kExponential[] = {
      1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
      1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
      1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        0.5};
};

template <>
struct TanhConstants<float> {
  static constexpr int kExponentBias = 127;
  static constexpr int kMantissaBits = 23;
  static constexpr float kOne = 10;
  static constexpr float kInverseLn2 = 1.44269504F;
  static constexpr float kLn2High = 6.9314575195e-01F;
  static constexpr float kLn2Low = 1.4286067653e-06F;
  static constexpr float kExponential[] = {
      1.0F / 40320.0F, 1.0F / 5040.0F, 1.0F / 720.0F, 1.0F / 120.0F,
      1.0F / 24.0F,    1.0F / 6.0F,    0.5F};
};

/// The hyperbolic tangent: tanh|x| = e / (e + 2) with e = exp(2|x|) − 1, which
/// is small where x is: no digit is lost there. Within 4 units in the last
/// place.
template <class N>
TORQUED_INLINE Pack<N> Tanh(const Pack<N>& x) {
  using C = TanhConstants<N>;
  using P = Pack<N>;
  using Integer = typename IntegerOf<N>::Type;
  const P one(N(1)), two(N(2));
  const P twice = two * Min(Abs(x), P(C::kOne));
  // 2|x| = k ln 2 + r
  const P shifted = twice * P(C::kInverseLn2) + P(kMagic<N>);
  const P k = shifted - P(kMagic<N>);
  const P r = (twice - k * P(C::kLn2High)) - k * P(C::kLn2Low);
  // All bits of kMagic above those of k are shifted out.
  const auto power = P::FromBits(
      (shifted.bits() + (Integer(C::kExponentBias) - typename P::Integers{}))
      << C::kMantissaBits);
  const P part = r + r * r * Polynomial(C::kExponential, r);
  const P e = power * part + (power - one);
  const P t = e / (e + two);
  return Select(x < P(N(0)), -t, t);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
