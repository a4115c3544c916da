// The hyperbolic tangent of every lane, without branches.
#pragma once

#include "core/lanes/pack.h"
#include "core/lanes/polynomial.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
struct TanhConstants;

template <>
struct TanhConstants<double> {
  /// Adding it rounds to an integer, which stands in the low bits.
  static constexpr double kMagic = 0x1.8p52;
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
  static constexpr float kMagic = 0x1.8p23F;
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

/// tanh|x| = e / (e + 2) with e = exp(2|x|) − 1, which is small where x is: no
/// digit is lost there. Within 4 units in the last place.
template <class N>
TORQUED_INLINE Pack<N> Tanh(const Pack<N>& x) {
  using C = TanhConstants<N>;
  using P = Pack<N>;
  using Integer = typename IntegerOf<N>::Type;
  const P one(N(1)), two(N(2));
  const P twice = two * Min(Abs(x), P(C::kOne));
  // 2|x| = k ln 2 + r
  const P shifted = twice * P(C::kInverseLn2) + P(C::kMagic);
  const P k = shifted - P(C::kMagic);
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
