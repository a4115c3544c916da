// Sine, cosine and hyperbolic tangent in lanes, against the library's in
// extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/evaluation_plan.h"
#include "tests/support/random_robot.h"

namespace torqued {

// Of function_unit.cc: sine and cosine of x, or with a rest of
// x + quadrant π/2 + rest; whether all angles were in range of the latter.
#define TORQUED_DECLARE(space)                                              \
  space {                                                                   \
    bool FillTables(const double* x, long count, int quadrant, double rest, \
                    double* sine, double* cosine, double* tanh);            \
    bool FillTables(const float* x, long count, int quadrant, float rest,   \
                    float* sine, float* cosine, float* tanh);               \
  }
TORQUED_DECLARE(inline namespace baseline)
#ifdef TORQUED_X86_TARGETS
TORQUED_DECLARE(namespace avx2)
TORQUED_DECLARE(namespace avx512)
#endif

namespace testing_support {
namespace {

template <class N>
struct Tables {
  std::vector<N> sine, cosine, tanh;
};

template <class N>
Tables<N> Evaluate(const SimdKernels& kernels, std::vector<N> x,
                   int quadrant = 0, N rest = 0) {
  const std::string target = kernels.target;
  bool (*fill)(const N*, long, int, N, N*, N*, N*) = nullptr;
  if (target == "baseline") fill = baseline::FillTables;
#ifdef TORQUED_X86_TARGETS
  if (target == "avx2") fill = avx2::FillTables;
  if (target == "avx512") fill = avx512::FillTables;
#endif
  const std::size_t count = x.size();
  x.resize((count + 15) / 16 * 16, x.back());  // whole blocks of any lanes
  Tables<N> t{x, x, x};
  EXPECT_TRUE(fill(x.data(), std::ssize(x), quadrant, rest, t.sine.data(),
                   t.cosine.data(), t.tanh.data()));
  for (auto* table : {&t.sine, &t.cosine, &t.tanh}) table->resize(count);
  return t;
}

/// Angles of all sizes up to a bound, and those next to multiples of π/4.
template <class N>
std::vector<N> Angles(double bound, int count) {
  Random random(1);
  std::vector<N> x = {N(0), N(bound), N(-bound)};
  for (int k = 0; k < count; ++k) {
    const double size = bound * std::pow(10.0, random.Uniform(-12, 0));
    x.push_back(static_cast<N>(random.Uniform(-size, size)));
  }
  for (double k = 1; k * M_PI_4 < bound; k = std::ceil(k * 1.001)) {
    const auto near = static_cast<N>(k * M_PI_4);
    x.insert(x.end(), {near, std::nextafter(near, N(0)),
                       std::nextafter(near, std::numeric_limits<N>::max())});
  }
  return x;
}

/// Sums x + quadrant π/2 + rest, which are not rounded on the way: by the
/// addition theorem. One round: x alone.
template <class N>
void ExpectExactSums(double range, int count, int rounds, double bound) {
  const std::vector<N> x = Angles<N>(range, count);
  std::vector<long double> sine_x, cosine_x;
  for (const N angle : x) {
    sine_x.push_back(std::sin(static_cast<long double>(angle)));
    cosine_x.push_back(std::cos(static_cast<long double>(angle)));
  }
  for (const SimdKernels* kernels : Targets()) {
    long double error = 0;
    Random random(3);
    for (int round = 0; round < rounds; ++round) {
      // Every tenth is small, and each of the largest comes once.
      double size =
          round % 10 == 9 ? std::pow(10.0, random.Uniform(-20, 0)) : 1;
      if (round >= 2) size *= random.Uniform(-1, 1);
      if (rounds == 1) size = 0;
      const auto rest = static_cast<N>((round == 0 ? -M_PI_4 : M_PI_4) * size);
      const int quadrant = round % 4;
      const auto values = Evaluate(*kernels, x, quadrant, rest);
      const long double sine_rest = std::sin(static_cast<long double>(rest));
      const long double cosine_rest = std::cos(static_cast<long double>(rest));
      for (std::size_t k = 0; k < x.size(); ++k) {
        long double s = sine_x[k] * cosine_rest + cosine_x[k] * sine_rest;
        long double c = cosine_x[k] * cosine_rest - sine_x[k] * sine_rest;
        for (int turn = 0; turn < quadrant; ++turn) s = std::exchange(c, -s);
        error = std::max({error, std::abs(s - values.sine[k]),
                          std::abs(c - values.cosine[k])});
      }
    }
    EXPECT_LE(error, bound) << kernels->target;
  }
}

TEST(SinCos, IsExactToRoundOffInTheRange) {
  ExpectExactSums<double>(1.6e6, 200'000, 1, 2e-16);
  ExpectExactSums<float>(8192, 200'000, 1, 1.2e-7);
}

TEST(SinCos, OfSumsIsExactToRoundOffInTheRange) {
  // The largest errors in some 10^8 random sums: 2.5e-16 with fused products
  // and 2.61e-16 without; 1.25e-7 and 1.6e-7 in single precision.
  ExpectExactSums<double>(1.6e6, 5000, 200, 2.5e-16);
  ExpectExactSums<float>(8192, 5000, 200, 1.8e-7);
}

template <class N>
void ExpectExactTanh() {
  Random random(1);
  std::vector<N> x = {N(1e30), N(-1e30), std::numeric_limits<N>::infinity(),
                      -std::numeric_limits<N>::infinity(), 0};
  for (int k = 0; k < 200'000; ++k) {
    const double size = 30 * std::pow(10.0, random.Uniform(-30, 0));
    x.push_back(static_cast<N>(random.Uniform(-size, size)));
  }
  for (int k = 1; k < 2500; ++k) x.push_back(static_cast<N>(0.01 * k));
  for (const SimdKernels* kernels : Targets()) {
    const std::vector<N> y = Evaluate(*kernels, x).tanh;
    EXPECT_EQ(std::vector<N>(y.begin(), y.begin() + 5),
              (std::vector<N>{1, -1, 1, -1, 0}));
    long double error = 0;  // relative to the result
    for (std::size_t k = 5; k < x.size(); ++k) {
      const long double exact = std::tanh(static_cast<long double>(x[k]));
      error = std::max(error, std::abs((y[k] - exact) / exact));
    }
    EXPECT_LT(error, 2.5L * std::numeric_limits<N>::epsilon())
        << kernels->target;
  }
}

TEST(Tanh, KeepsItsDigitsAlsoNearZeroAndEndsAtOne) {
  ExpectExactTanh<double>();
  ExpectExactTanh<float>();
}

}  // namespace
}  // namespace testing_support
}  // namespace torqued
