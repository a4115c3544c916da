// A number that counts what is done with it.
#pragma once

#include <cstdint>

namespace torqued::bench {

struct OperationCount {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;  // and subtractions
  std::int64_t sines = 0;      // calls for sine and cosine of one angle

  std::int64_t flops() const { return multiplications + additions; }
};

/// A scalar for the algorithm texts of core (see core/spatial/scalar.h). A
/// division counts as a multiplication; a change of sign and reading a constant
/// cost nothing.
class Counted {
 public:
  Counted() = default;
  explicit Counted(double value) : value_(value) {}

  friend Counted operator+(const Counted& a, const Counted& b) {
    ++count.additions;
    return Counted(a.value_ + b.value_);
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    ++count.additions;
    return Counted(a.value_ - b.value_);
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    ++count.multiplications;
    return Counted(a.value_ * b.value_);
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    ++count.multiplications;
    return Counted(a.value_ / b.value_);
  }
  friend Counted operator-(const Counted& a) { return Counted(-a.value_); }
  Counted& operator+=(const Counted& b) { return *this = *this + b; }
  Counted& operator-=(const Counted& b) { return *this = *this - b; }

  friend Counted Fma(const Counted& a, const Counted& b, const Counted& c) {
    return a * b + c;
  }
  friend Counted Sign(const Counted& x) {
    return Counted(static_cast<double>(x.value_ > 0) -
                   static_cast<double>(x.value_ < 0));
  }

  friend Counted Tanh(const Counted& x) {
    return Counted(__builtin_tanh(x.value_));
  }

  double value() const { return value_; }

  static inline thread_local OperationCount count;

 private:
  double value_ = 0;
};

}  // namespace torqued::bench
