// Sine and cosine in lanes, against the library's in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/lanes/targets.h"
#include "tests/core/lanes/lane_functions.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

template <class N>
struct Values {
  std::vector<N> sine, cosine;
};

/// Calls f(x, count, sine, cosine) with the angles and some more.
template <class N, class Function>
Values<N> Evaluate(std::vector<N> x, const Function& f) {
  const std::size_t count = x.size();
  x.resize((count + kBlock - 1) / kBlock * kBlock, x.back());
  Values<N> values{std::vector<N>(x.size()), std::vector<N>(x.size())};
  f(x.data(), static_cast<long>(x.size()), values.sine.data(),
    values.cosine.data());
  values.sine.resize(count);
  values.cosine.resize(count);
  return values;
}

template <class N>
Values<N> Evaluate(const std::string& target, const std::vector<N>& x) {
  return Evaluate(x, LaneFunctionsOf<N>(target).sin_cos);
}

template <class N>
double LargestError(const std::string& target, const std::vector<N>& x) {
  const Values<N> values = Evaluate(target, x);
  long double error = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto exact = static_cast<long double>(x[k]);
    error = std::max({error, std::abs(std::sin(exact) - values.sine[k]),
                      std::abs(std::cos(exact) - values.cosine[k])});
  }
  return static_cast<double>(error);
}

/// Angles of all sizes up to a bound, and those next to multiples of π/4.
template <class N>
std::vector<N> Angles(double bound, int count = 200'000) {
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

TEST(SinCos, IsExactTo2em16InTheRange) {
  for (const LaneKernels* kernels : Targets()) {
    EXPECT_LE(LargestError(kernels->target, Angles<double>(1.6e6)), 2e-16)
        << kernels->target;
  }
}

TEST(SinCos, IsExactToRoundOffInSinglePrecision) {
  for (const LaneKernels* kernels : Targets()) {
    EXPECT_LE(LargestError(kernels->target, Angles<float>(8192)), 1.2e-7)
        << kernels->target;
  }
}

/// Of x + quadrant π/2 + rest, which is not rounded on the way: by the addition
/// theorem.
template <class N>
double LargestErrorOfSums(const std::string& target, double bound) {
  const LaneFunctions<N> functions = LaneFunctionsOf<N>(target);
  const std::vector<N> x = Angles<N>(bound, 5000);
  std::vector<long double> sine_x, cosine_x;
  for (const N angle : x) {
    sine_x.push_back(std::sin(static_cast<long double>(angle)));
    cosine_x.push_back(std::cos(static_cast<long double>(angle)));
  }
  long double error = 0;
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    // Every tenth is small, and each of the largest comes once.
    double size = round % 10 == 9 ? std::pow(10.0, random.Uniform(-20, 0)) : 1;
    if (round >= 2) size *= random.Uniform(-1, 1);
    const auto rest = static_cast<N>((round == 0 ? -M_PI_4 : M_PI_4) * size);
    const int quadrant = round % 4;
    const Values<N> values =
        Evaluate(x, [&](const N* angles, long count, N* sine, N* cosine) {
          EXPECT_TRUE(functions.sin_cos_of_sums(angles, count, quadrant, rest,
                                                sine, cosine));
        });
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
  return static_cast<double>(error);
}

// The largest errors in some 10^8 random sums: 2.5e-16 with fused products and
// 2.61e-16 without; 1.25e-7 and 1.6e-7 in single precision.
TEST(SinCos, OfSumsIsExactTo27em17InTheRange) {
  for (const LaneKernels* kernels : Targets()) {
    EXPECT_LE(LargestErrorOfSums<double>(kernels->target, 1.6e6), 2.5e-16)
        << kernels->target;
  }
}

TEST(SinCos, OfSumsIsExactToRoundOffInSinglePrecision) {
  for (const LaneKernels* kernels : Targets()) {
    EXPECT_LE(LargestErrorOfSums<float>(kernels->target, 8192), 1.8e-7)
        << kernels->target;
  }
}

TEST(SinCos, BeyondTheRangeAreTheLibrarysValues) {
  std::vector<double> x;
  for (int k = 0; k < 1200; ++k) {
    const double sign = k % 2 == 0 ? 1 : -1;
    x.push_back(sign * 1.6000001e6 * std::pow(1.7, k));
  }
  for (const LaneKernels* kernels : Targets()) {
    const Values<double> values = Evaluate(kernels->target, x);
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_EQ(values.sine[k], std::sin(x[k])) << x[k];
      EXPECT_EQ(values.cosine[k], std::cos(x[k])) << x[k];
    }
  }
}

TEST(SinCos, LargeNeighboursChangeNoBit) {
  Random random(2);
  std::vector<double> x, spoilt;
  for (long k = 0; k < 50 * kBlock; ++k) {
    x.push_back(random.Uniform(-4, 4));
    spoilt.push_back(random.Chance(0.3) ? 1e7 * x.back() : x.back());
  }
  spoilt[5] = std::numeric_limits<double>::infinity();
  spoilt[9] = std::numeric_limits<double>::quiet_NaN();
  for (const LaneKernels* kernels : Targets()) {
    const Values<double> clean = Evaluate(kernels->target, x);
    const Values<double> values = Evaluate(kernels->target, spoilt);
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (spoilt[k] != x[k]) continue;
      EXPECT_EQ(values.sine[k], clean.sine[k]);
      EXPECT_EQ(values.cosine[k], clean.cosine[k]);
    }
    EXPECT_TRUE(std::isnan(values.sine[5]));
    EXPECT_TRUE(std::isnan(values.cosine[9]));
  }
}

}  // namespace
}  // namespace torqued::testing_support
