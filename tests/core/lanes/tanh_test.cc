// The hyperbolic tangent in lanes, against the library's in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/lanes/targets.h"
#include "tests/core/lanes/lane_functions.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

template <class N>
std::vector<N> Tanh(const std::string& target, std::vector<N> x) {
  const std::size_t count = x.size();
  x.resize((count + kBlock - 1) / kBlock * kBlock);
  std::vector<N> y(x.size());
  LaneFunctionsOf<N>(target).tanh(x.data(), static_cast<long>(x.size()),
                                  y.data());
  y.resize(count);
  return y;
}

/// Relative to the result, in units of round-off.
template <class N>
double LargestError(const std::string& target) {
  Random random(1);
  std::vector<N> x;
  for (int k = 0; k < 200'000; ++k) {
    const double size = 30 * std::pow(10.0, random.Uniform(-30, 0));
    x.push_back(static_cast<N>(random.Uniform(-size, size)));
  }
  for (int k = 1; k < 2500; ++k) x.push_back(static_cast<N>(0.01 * k));
  const std::vector<N> y = Tanh(target, x);
  long double error = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const long double exact = std::tanh(static_cast<long double>(x[k]));
    error = std::max(error, std::abs((y[k] - exact) / exact));
  }
  return static_cast<double>(error) /
         static_cast<double>(std::numeric_limits<N>::epsilon());
}

TEST(Tanh, KeepsItsDigitsAlsoNearZero) {
  for (const LaneKernels* kernels : Targets()) {
    EXPECT_LT(LargestError<double>(kernels->target), 2.5) << kernels->target;
    EXPECT_LT(LargestError<float>(kernels->target), 2.5) << kernels->target;
  }
}

TEST(Tanh, IsOddAndEndsAtOne) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const LaneKernels* kernels : Targets()) {
    const std::vector<double> y = Tanh<double>(
        kernels->target,
        {0.0, 1e300, -1e300, infinity, -infinity, 0.7, -0.7, 5e-324});
    EXPECT_EQ(y[0], 0);
    EXPECT_EQ(y[1], 1);
    EXPECT_EQ(y[2], -1);
    EXPECT_EQ(y[3], 1);
    EXPECT_EQ(y[4], -1);
    EXPECT_EQ(y[5], -y[6]);
    EXPECT_GE(y[7], 0);
  }
}

}  // namespace
}  // namespace torqued::testing_support
