// Rates of splines, and their extrema between samples.
#include "core/trajectory/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

constexpr SplineMethod kSplines[] = {SplineMethod::kCubic,
                                     SplineMethod::kQuintic};

int DegreeOf(SplineMethod method) {
  return method == SplineMethod::kCubic ? 3 : 5;
}

std::vector<double> EvenTimes(int count, double step, double start = 0) {
  std::vector<double> time;
  time.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) time.push_back(start + step * k);
  return time;
}

/// By up to a factor of three.
std::vector<double> UnevenTimes(int count) {
  std::vector<double> time = EvenTimes(count, 0.02, 0.3);
  for (std::size_t k = 1; k < time.size(); ++k) {
    time[k] = time[k - 1] + 0.01 * (2 + std::sin(1.7 * static_cast<double>(k)));
  }
  return time;
}

/// Of v and a, the largest.
struct Errors {
  double v = 0, a = 0;
};

/// Of a spline through f, which gives position, velocity and acceleration.
template <class F>
Errors ErrorsOf(const std::vector<double>& time, SplineMethod method,
                const F& f) {
  const auto rows = static_cast<Eigen::Index>(time.size());
  SampleTable exact(rows, 3), q(rows, 2);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const SplineNode node = f(time[static_cast<std::size_t>(k)]);
    exact.row(k) << node.q, node.v, node.a;
    q.row(k) << node.q, -2 * node.q;
  }
  const auto rates = Differentiate(time, q, method);
  if (!rates) {
    ADD_FAILURE() << "no spline";
    return {};
  }
  const auto error = [&](const SampleTable& of, Eigen::Index column) {
    return std::max((of.col(0) - exact.col(column)).cwiseAbs().maxCoeff(),
                    (of.col(1) / -2 - exact.col(column)).cwiseAbs().maxCoeff());
  };
  return {error(rates->v, 1), error(rates->a, 2)};
}

SplineNode SineAt(double t) { return {std::sin(t), std::cos(t), -std::sin(t)}; }

TEST(Spline, PolynomialsOfItsDegreeAreExact) {
  for (const SplineMethod method : kSplines) {
    const int degree = DegreeOf(method), fewest = FewestSamples(method);
    EXPECT_EQ(fewest, degree + 1);
    for (const int rows : {fewest, 40}) {
      for (int power = 2; power <= degree + (rows > fewest ? 1 : 0); ++power) {
        const auto [v, a] = ErrorsOf(UnevenTimes(rows), method, [=](double t) {
          return SplineNode{std::pow(t, power), power * std::pow(t, power - 1),
                            power * (power - 1) * std::pow(t, power - 2)};
        });
        EXPECT_EQ(v < 1e-11 && a < 1e-8, power <= degree) << power;
        if (power > degree) EXPECT_GT(a, 1e-6);
      }
    }
  }
}

TEST(Spline, ErrorsFallWithThePowersOfTheStep) {
  for (const SplineMethod method : kSplines) {
    const Errors coarse = ErrorsOf(EvenTimes(41, 0.15), method, SineAt),
                 fine = ErrorsOf(EvenTimes(81, 0.075), method, SineAt);
    const double order = DegreeOf(method);
    EXPECT_NEAR(std::log2(coarse.v / fine.v), order, 0.5);
    EXPECT_NEAR(std::log2(coarse.a / fine.a), order - 1, 0.5);
  }
}

TEST(Spline, ManySamplesAndTimesSinceAnEpochLoseOnlyTheirOwnDigits) {
  for (const SplineMethod method : kSplines) {
    const Errors many = ErrorsOf(EvenTimes(20'000, 0.001), method, SineAt);
    EXPECT_LT(many.v, 1e-8);
    EXPECT_LT(many.a, 1e-5);
  }
  const auto [v, a] =
      ErrorsOf(EvenTimes(50, 1.0 / 128, 1.7e9), SplineMethod::kQuintic,
               [](double t) { return SineAt(t - 1.7e9); });
  EXPECT_LT(v, 1e-9);
  EXPECT_LT(a, 1e-7);
}

TEST(Spline, StepsTooUnevenAreNamedAndHaveNone) {
  for (const auto& [method, most] : {std::pair{SplineMethod::kCubic, 1e5},
                                     std::pair{SplineMethod::kQuintic, 1e3}}) {
    for (const double share : {0.9, 1.1}) {
      std::vector<double> time = EvenTimes(21, 1);
      const double pause = share * most;
      // Shorter by a little, after sample 3.
      for (std::size_t k = 4; k < time.size(); ++k) time[k] -= 1e-3;
      for (std::size_t k = 12; k < time.size(); ++k) time[k] += pause;
      const SampleTable q = SampleTable::Random(21, 2);
      const auto uneven = TooUneven(time, method);
      EXPECT_EQ(uneven.has_value(), share > 1);
      if (!uneven) continue;
      EXPECT_EQ(uneven->shortest, 4u);
      EXPECT_EQ(uneven->longest, 12u);
    }
    EXPECT_FALSE(TooUneven({}, method));
    EXPECT_FALSE(TooUneven(std::vector<double>{1}, method));
  }
}

TEST(Spline, RatesDoNotDependOnTheSteps) {
  const std::vector<double> time = UnevenTimes(50);
  const SampleTable q = SampleTable::Random(50, 2);
  for (const SplineMethod method : kSplines) {
    const auto whole = Differentiate(time, q, method);
    ASSERT_TRUE(whole);
    for (const int at_a_time : {1, 7, 50, 1000}) {
      const auto rates = Differentiate(time, q, method, at_a_time);
      ASSERT_TRUE(rates);
      EXPECT_EQ(rates->v, whole->v);
      EXPECT_EQ(rates->a, whole->a);
    }
  }
}

/// The spline's piece between two samples at t of `step` seconds, by Hermite's
/// blends.
double BetweenSamples(SplineMethod method, double step, double t,
                      const SplineNode& begin, const SplineNode& end) {
  const double u = t / step, w = 1 - u;
  if (method == SplineMethod::kCubic) {
    return begin.q * w * w * (1 + 2 * u) + end.q * u * u * (1 + 2 * w) +
           step * (begin.v * u * w * w - end.v * w * u * u);
  }
  const auto blend = [step](const SplineNode& of, double x, double sign) {
    const double y = 1 - x;
    return y * y * y *
           (of.q * (1 + 3 * x + 6 * x * x) +
            sign * step * of.v * x * (1 + 3 * x) +
            step * step * of.a * x * x / 2);
  };
  return blend(begin, u, 1) + blend(end, w, -1);
}

using Values = std::vector<double>;

void ExpectSameRange(const Values& one, const Values& other, double tolerance) {
  EXPECT_NEAR(std::ranges::min(one), std::ranges::min(other), tolerance);
  EXPECT_NEAR(std::ranges::max(one), std::ranges::max(other), tolerance);
}

/// By sampling: what no extremum exceeds, and what some extremum or sample
/// reaches.
TEST(ExtremaBetween, AreThoseOfTheSampledPiece) {
  Random random(3);
  const double step = 0.7;
  for (const SplineMethod method : kSplines) {
    for (int trial = 0; trial < 300; ++trial) {
      SplineNode begin, end;
      for (SplineNode* node : {&begin, &end}) {
        *node = {random.Uniform(-1, 1), random.Uniform(-5, 5),
                 random.Uniform(-40, 40)};
      }
      const auto at = [&](double t) {
        return BetweenSamples(method, step, t, begin, end);
      };
      Values sampled_q, sampled_v, q, v;
      for (const SplineNode& node : {begin, end}) {
        q.push_back(node.q);
        v.push_back(node.v);
        sampled_v.push_back(node.v);
      }
      constexpr int kSamples = 4000;
      for (int k = 0; k <= kSamples; ++k) {
        const double t = step * k / kSamples, h = 1e-4 * step;
        sampled_q.push_back(at(t));
        if (t < h || t > step - h) continue;
        sampled_v.push_back((at(t + h) - at(t - h)) / (2 * h));
      }
      const ExtremaBetween found = FindExtremaBetween(method, step, begin, end);
      for (const SplineExtremum& turn : found.positions) {
        EXPECT_GT(turn.after, 0);
        EXPECT_LT(turn.after, step);
        EXPECT_NEAR(turn.value, at(turn.after), 1e-12);
        q.push_back(turn.value);
      }
      for (const SplineExtremum& turn : found.velocities)
        v.push_back(turn.value);
      ExpectSameRange(q, sampled_q, 1e-5);
      ExpectSameRange(v, sampled_v, 2e-3);
    }
  }
}

TEST(ExtremaBetween, AreExactForAParabolaAndNoneOfRounding) {
  // q = 4 t (1 - t): 1 at 1/2, with a velocity that turns nowhere.
  const ExtremaBetween found =
      FindExtremaBetween(SplineMethod::kCubic, 1, {0, 4, -8}, {0, -4, -8});
  ASSERT_EQ(found.positions.end() - found.positions.begin(), 1);
  EXPECT_DOUBLE_EQ(found.positions.begin()->after, 0.5);
  EXPECT_DOUBLE_EQ(found.positions.begin()->value, 1);
  EXPECT_EQ(found.velocities.begin(), found.velocities.end());
  // At rest, with rates that are rounding.
  for (const SplineMethod method : kSplines) {
    const ExtremaBetween none = FindExtremaBetween(
        method, 0.01, {2.8973, 1e-13, 2e-11}, {2.8973, -1e-13, -2e-11});
    EXPECT_EQ(none.positions.begin(), none.positions.end());
    EXPECT_EQ(none.velocities.begin(), none.velocities.end());
  }
}

}  // namespace
}  // namespace torqued::testing_support
