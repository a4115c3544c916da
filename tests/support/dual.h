// A scalar of the algorithm texts that carries its derivative along.
#pragma once

#include <cmath>

namespace torqued::testing_support {

/// x + ε d with ε² = 0: what is computed from states q + ε q̇ has its rate in d,
/// exact to round-off.
struct Dual {
  double x = 0;
  double d = 0;

  Dual() = default;
  explicit Dual(double value, double rate = 0) : x(value), d(rate) {}

  Dual& operator+=(const Dual& b) { return *this = Dual(x + b.x, d + b.d); }
  Dual& operator-=(const Dual& b) { return *this = Dual(x - b.x, d - b.d); }
};

inline Dual operator+(Dual a, const Dual& b) { return a += b; }
inline Dual operator-(Dual a, const Dual& b) { return a -= b; }
inline Dual operator-(const Dual& a) { return Dual(-a.x, -a.d); }
inline Dual operator*(const Dual& a, const Dual& b) {
  return Dual(a.x * b.x, a.x * b.d + a.d * b.x);
}
inline Dual operator/(const Dual& a, const Dual& b) {
  const double ratio = a.x / b.x;
  return Dual(ratio, (a.d - ratio * b.d) / b.x);
}

inline void SinCos(const Dual& a, Dual& sine, Dual& cosine) {
  const double s = std::sin(a.x), c = std::cos(a.x);
  sine = Dual(s, c * a.d);
  cosine = Dual(c, -s * a.d);
}

inline Dual Tanh(const Dual& a) {
  const double t = std::tanh(a.x);
  return Dual(t, (1 - t * t) * a.d);
}
/// Constant away from zero.
inline Dual Sign(const Dual& a) {
  return Dual(static_cast<double>(a.x > 0) - static_cast<double>(a.x < 0));
}

}  // namespace torqued::testing_support
