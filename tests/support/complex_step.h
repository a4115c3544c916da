// Complex numbers for differentiation by a complex step (Squire & Trapp 1998):
// f'(x) = Im f(x + i h) / h without cancellation, exact to round-off. They
// satisfy what the algorithm texts ask of a scalar.
#pragma once

#include <complex>

namespace torqued::testing_support {

class ComplexStep {
 public:
  ComplexStep() = default;
  explicit ComplexStep(double value) : z_(value) {}

  /// x + i h.
  static ComplexStep Variable(double x) {
    return ComplexStep(std::complex<double>(x, kStep));
  }
  double value() const { return z_.real(); }
  /// With respect to the one Variable there is.
  double derivative() const { return z_.imag() / kStep; }

  ComplexStep& operator+=(const ComplexStep& b) { return *this = *this + b; }
  ComplexStep& operator-=(const ComplexStep& b) { return *this = *this - b; }

  friend ComplexStep operator+(const ComplexStep& a, const ComplexStep& b) {
    return ComplexStep(a.z_ + b.z_);
  }
  friend ComplexStep operator-(const ComplexStep& a, const ComplexStep& b) {
    return ComplexStep(a.z_ - b.z_);
  }
  friend ComplexStep operator*(const ComplexStep& a, const ComplexStep& b) {
    return ComplexStep(a.z_ * b.z_);
  }
  friend ComplexStep operator/(const ComplexStep& a, const ComplexStep& b) {
    return ComplexStep(a.z_ / b.z_);
  }
  friend ComplexStep operator-(const ComplexStep& a) {
    return ComplexStep(-a.z_);
  }

  // See core/spatial/scalar.h.
  friend ComplexStep Fma(const ComplexStep& a, const ComplexStep& b,
                         const ComplexStep& c) {
    return a * b + c;
  }
  friend void SinCos(const ComplexStep& x, ComplexStep& sine,
                     ComplexStep& cosine) {
    sine = ComplexStep(std::sin(x.z_));
    cosine = ComplexStep(std::cos(x.z_));
  }
  /// Constant away from zero.
  friend ComplexStep Sign(const ComplexStep& x) {
    return ComplexStep(static_cast<double>(x.value() > 0) -
                       static_cast<double>(x.value() < 0));
  }

  friend ComplexStep Tanh(const ComplexStep& x) {
    return ComplexStep(std::tanh(x.z_));
  }

 private:
  /// So small that its square does not count, so large that products with
  /// small numbers do not underflow.
  static constexpr double kStep = 1e-40;

  explicit ComplexStep(const std::complex<double>& z) : z_(z) {}

  std::complex<double> z_;
};

}  // namespace torqued::testing_support
