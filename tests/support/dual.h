// Numbers that carry their derivative along.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <type_traits>

namespace torqued::testing_support {

/// x + ε d with ε² = 0: what is computed from states q + ε q̇ has its rate in d,
/// exact to round-off. Second derivatives by duals of duals.
template <class T>
struct Dual {
  T x{};
  T d{};

  Dual() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number> || std::is_same_v<Number, T>
  Dual(const Number& value) : x(static_cast<T>(value)) {}  // NOLINT: as numbers
  Dual(const T& value, const T& rate) : x(value), d(rate) {}

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.x + b.x, a.d + b.d};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.x - b.x, a.d - b.d};
  }
  friend Dual operator-(const Dual& a) { return {-a.x, -a.d}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.x * b.x, a.x * b.d + a.d * b.x};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T ratio = a.x / b.x;
    return {ratio, (a.d - ratio * b.d) / b.x};
  }
  friend bool operator>(const Dual& a, const Dual& b) { return a.x > b.x; }
  friend bool operator<(const Dual& a, const Dual& b) { return a.x < b.x; }

  friend Dual sin(const Dual& a) {
    using std::cos, std::sin;
    return {sin(a.x), cos(a.x) * a.d};
  }
  friend Dual cos(const Dual& a) {
    using std::cos, std::sin;
    return {cos(a.x), -(sin(a.x) * a.d)};
  }
  friend Dual tanh(const Dual& a) {
    using std::tanh;
    const T t = tanh(a.x);
    return {t, (T(1) - t * t) * a.d};
  }
};

}  // namespace torqued::testing_support

template <class T>
struct Eigen::NumTraits<torqued::testing_support::Dual<T>>
    : Eigen::GenericNumTraits<torqued::testing_support::Dual<T>> {
  enum { RequireInitialization = 1 };
};
