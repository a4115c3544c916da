#include "core/trajectory/spline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace torqued {
namespace {

using Method = SplineMethod;

int DegreeOf(Method method) { return method == Method::kCubic ? 3 : 5; }

/// Uneven, by up to a factor of three.
std::vector<double> UnevenTimes(int count) {
  std::vector<double> time;
  double t = 0.3;
  for (int k = 0; k < count; ++k) {
    time.push_back(t);
    t += 0.01 * (2 + std::sin(1.7 * k));
  }
  return time;
}

/// Largest errors of v and a of a spline through f.
struct Errors {
  double v = 0;
  double a = 0;
};

template <class F, class D, class DD>
Errors ErrorsOf(const std::vector<double>& time, Method method, const F& f,
                const D& slope, const DD& curvature) {
  const auto rows = static_cast<Eigen::Index>(time.size());
  SampleTable q(rows, 2);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const double t = time[static_cast<std::size_t>(k)];
    q.row(k) << f(t), -2 * f(t);
  }
  const auto rates = Differentiate(time, ViewOf(q), method);
  if (!rates) {
    ADD_FAILURE() << "no spline";
    return {};
  }
  Errors errors;
  for (Eigen::Index k = 0; k < rows; ++k) {
    const double t = time[static_cast<std::size_t>(k)];
    errors.v = std::max({errors.v, std::abs(rates->v(k, 0) - slope(t)),
                         std::abs(rates->v(k, 1) + 2 * slope(t)) / 2});
    errors.a = std::max({errors.a, std::abs(rates->a(k, 0) - curvature(t)),
                         std::abs(rates->a(k, 1) + 2 * curvature(t)) / 2});
  }
  return errors;
}

Errors ErrorsOfPower(Method method, int power) {
  return ErrorsOf(
      UnevenTimes(40), method, [=](double t) { return std::pow(t, power); },
      [=](double t) { return power * std::pow(t, power - 1); },
      [=](double t) { return power * (power - 1) * std::pow(t, power - 2); });
}

TEST(Spline, PolynomialsOfItsDegreeAreExact) {
  for (const Method method : {Method::kCubic, Method::kQuintic}) {
    for (int power = 2; power <= DegreeOf(method); ++power) {
      const Errors errors = ErrorsOfPower(method, power);
      EXPECT_LT(errors.v, 1e-11) << power;
      EXPECT_LT(errors.a, 1e-8) << power;
    }
    const Errors beyond = ErrorsOfPower(method, DegreeOf(method) + 1);
    EXPECT_GT(beyond.a, 1e-6);
  }
}

TEST(Spline, ErrorsFallWithThePowersOfTheStep) {
  const auto errors = [](Method method, int count) {
    std::vector<double> time;
    for (int k = 0; k <= count; ++k) time.push_back(2.0 * k / count);
    return ErrorsOf(
        time, method, [](double t) { return std::sin(3 * t); },
        [](double t) { return 3 * std::cos(3 * t); },
        [](double t) { return -9 * std::sin(3 * t); });
  };
  for (const Method method : {Method::kCubic, Method::kQuintic}) {
    const Errors coarse = errors(method, 40), fine = errors(method, 80);
    const double order = DegreeOf(method);
    EXPECT_NEAR(std::log2(coarse.v / fine.v), order, 0.5);
    EXPECT_NEAR(std::log2(coarse.a / fine.a), order - 1, 0.5);
  }
}

TEST(Spline, TimesSinceAnEpochLoseOnlyTheirOwnDigits) {
  std::vector<double> time(50);
  for (int k = 0; k < 50; ++k) {
    time[static_cast<std::size_t>(k)] = 1.7e9 + k / 128.0;
  }
  const Errors errors = ErrorsOf(
      time, Method::kQuintic, [](double t) { return std::sin(t - 1.7e9); },
      [](double t) { return std::cos(t - 1.7e9); },
      [](double t) { return -std::sin(t - 1.7e9); });
  EXPECT_LT(errors.v, 1e-9);
  EXPECT_LT(errors.a, 1e-7);
}

TEST(Spline, ManySamplesStayStable) {
  std::vector<double> time(20'000);
  for (int k = 0; k < 20'000; ++k) {
    time[static_cast<std::size_t>(k)] = 0.001 * k;
  }
  for (const Method method : {Method::kCubic, Method::kQuintic}) {
    const Errors errors = ErrorsOf(
        time, method, [](double t) { return std::sin(t); },
        [](double t) { return std::cos(t); },
        [](double t) { return -std::sin(t); });
    EXPECT_LT(errors.v, 1e-8);
    EXPECT_LT(errors.a, 1e-5);
  }
}

TEST(Spline, StepsTooUnevenAreNamedAndHaveNone) {
  for (const auto& [method, most] :
       {std::pair{Method::kCubic, 1e5}, std::pair{Method::kQuintic, 1e3}}) {
    for (const double share : {0.9, 1.1}) {
      std::vector<double> time = {0};
      for (int k = 0; k < 20; ++k) time.push_back(time.back() + 1);
      const double pause = share * most;
      // Shorter by a little, after sample 3.
      for (std::size_t k = 4; k < time.size(); ++k) time[k] -= 1e-3;
      for (std::size_t k = 12; k < time.size(); ++k) time[k] += pause;
      const SampleTable q = SampleTable::Random(21, 2);
      const auto uneven = TooUneven(time, method);
      EXPECT_EQ(uneven.has_value(), share > 1);
      EXPECT_EQ(Differentiate(time, ViewOf(q), method).has_value(), share < 1);
      if (!uneven) continue;
      EXPECT_EQ(uneven->shortest, 4u);
      EXPECT_EQ(uneven->longest, 12u);
    }
    EXPECT_FALSE(TooUneven({}, method));
    EXPECT_FALSE(TooUneven(std::vector<double>{1}, method));
  }
}

TEST(Spline, TooFewSamplesAreNone) {
  for (const Method method : {Method::kCubic, Method::kQuintic}) {
    const int fewest = FewestSamples(method);
    EXPECT_EQ(fewest, DegreeOf(method) + 1);
    for (const int count : {0, 1, fewest - 1, fewest}) {
      const std::vector<double> time = UnevenTimes(count);
      const SampleTable q = SampleTable::Ones(count, 1);
      EXPECT_EQ(Differentiate(time, ViewOf(q), method).has_value(),
                count == fewest)
          << count;
    }
  }
}

TEST(Spline, RatesDoNotDependOnTheSteps) {
  const std::vector<double> time = UnevenTimes(50);
  SampleTable q(50, 2);
  for (Eigen::Index k = 0; k < 50; ++k) {
    q.row(k) << std::sin(static_cast<double>(k)), 0.1 * static_cast<double>(k);
  }
  for (const Method method : {Method::kCubic, Method::kQuintic}) {
    const auto whole = Differentiate(time, ViewOf(q), method);
    ASSERT_TRUE(whole);
    for (const int at_a_time : {1, 7, 50, 1000}) {
      SplineDerivatives derivatives(time, ViewOf(q), method);
      // The passes over all rows are five.
      for (int rows = at_a_time; rows < 5 * 50; rows += at_a_time) {
        ASSERT_FALSE(derivatives.Advance(at_a_time));
      }
      ASSERT_TRUE(derivatives.Advance(at_a_time));
      const auto rates = derivatives.Finish();
      ASSERT_TRUE(rates);
      EXPECT_EQ(rates->v, whole->v);
      EXPECT_EQ(rates->a, whole->a);
    }
  }
}

}  // namespace
}  // namespace torqued
