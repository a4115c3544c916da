// Samples that contradict each other draw a remark, and no others do.
#include "core/trajectory/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "core/base/text.h"
#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Motion = SampledMotion;

/// `at_a_time`: rows that are looked at in one go.
SampleRemarks RemarksOn(const Motion& motion, bool turns = false,
                        std::int64_t at_a_time = 1 << 20) {
  SampleRemarkFinder finder(
      {motion.time, ViewOf(motion.q), ViewOf(motion.v), ViewOf(motion.a)},
      std::vector<bool>(static_cast<std::size_t>(motion.q.cols()), turns));
  for (Eigen::Index left = motion.q.rows(); left > at_a_time;
       left -= at_a_time) {
    finder.Prepare(at_a_time);
    EXPECT_FALSE(finder.ready());
  }
  finder.Prepare(at_a_time);
  EXPECT_TRUE(finder.ready());
  for (Eigen::Index row = 0; row + 1 < motion.q.rows(); ++row) {
    finder.AddStep(row);
  }
  return finder.Finish();
}

/// How numbers lose digits on their way.
using Rounding = std::function<double(double)>;

Rounding Printed(std::chars_format format, int digits) {
  return [=](double number) {
    std::array<char, 400> text{};
    std::to_chars(text.begin(), text.end(), number, format, digits);
    return std::strtod(text.data(), nullptr);
  };
}
Rounding Decimals(int count) {
  return Printed(std::chars_format::fixed, count);
}

double Exact(double number) { return number; }
double Single(double number) {
  return static_cast<double>(static_cast<float>(number));
}
const Rounding kFourDecimals = Decimals(4);
const Rounding kFourDigits = Printed(std::chars_format::general, 4);

Motion Rounded(Motion motion, const Rounding& round) {
  for (double& t : motion.time) t = round(t);
  for (SampleTable* table : {&motion.q, &motion.v, &motion.a}) {
    *table = table->unaryExpr(round);
  }
  return motion;
}

/// All of them whose times still increase.
std::vector<Motion> AsItMayBeToldOf(const Motion& motion) {
  std::vector<Motion> told;
  for (const Rounding& round : std::initializer_list<Rounding>{
           Exact, kFourDecimals, kFourDigits, Decimals(3), Single,
           [](double x) { return Single(kFourDecimals(x)); },
           [](double x) { return Single(kFourDigits(x)); }}) {
    told.push_back(Rounded(motion, round));
    const std::vector<double>& time = told.back().time;
    if (std::ranges::adjacent_find(time, std::greater_equal()) != time.end()) {
      told.pop_back();
    }
  }
  return told;
}

/// Rest to rest along a quintic.
Motion Quintic(int rows, double seconds) {
  Motion motion(rows, 2);
  for (int k = 0; k < rows; ++k) {
    const double u = static_cast<double>(k) / (rows - 1);
    motion.time[static_cast<std::size_t>(k)] = u * seconds;
    const double s = u * u * u * (10 - 15 * u + 6 * u * u);
    const double v = 30 * u * u * (1 - u) * (1 - u) / seconds;
    const double a = 60 * u * (1 - u) * (1 - 2 * u) / (seconds * seconds);
    motion.q.row(k) << 0.3 + 1.3 * s, 2 - 0.2 * s;
    motion.v.row(k) << 1.3 * v, -0.2 * v;
    motion.a.row(k) << 1.3 * a, -0.2 * a;
  }
  return motion;
}

/// With a velocity like a trapezoid, the acceleration jumping.
Motion Trapezoid(int rows) {
  Motion motion(rows, 1);
  for (int k = 0; k < rows; ++k) {
    const double t = 3.0 * k / (rows - 1);
    motion.time[static_cast<std::size_t>(k)] = t;
    motion.v(k, 0) = std::min({t, 1.0, 3 - t});
    motion.a(k, 0) = t < 1 ? 1 : t <= 2 ? 0 : -1;
    motion.q(k, 0) = t < 1    ? t * t / 2
                     : t <= 2 ? t - 0.5
                              : 2 - (3 - t) * (3 - t) / 2;
  }
  return motion;
}

void ExpectNoRemark(const Motion& motion) {
  for (const Motion& told : AsItMayBeToldOf(motion)) {
    for (const SampleRemark& remark : RemarksOn(told).gravest) {
      ADD_FAILURE() << motion.time.size() << " rows, row " << remark.given.row
                    << ": " << remark.given.value << " and " << remark.expected
                    << " within " << remark.tolerance;
    }
  }
}

TEST(SampleRemarks, MotionsWithTheirOwnRatesDrawNone) {
  const auto model = ShippedModel("panda");
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const int rows : {6, 10, 31, 100, 1000}) {
      ExpectNoRemark(MakeMotion(*model, rows, seed));
    }
  }
  for (const int rows : {4, 5, 6, 7, 10, 22, 31, 301, 3001}) {
    ExpectNoRemark(Quintic(rows, 2));
    if (rows >= 7) ExpectNoRemark(Trapezoid(rows));
  }
}

constexpr std::array kRates = {10, 100, 1000};  // samples a second

TEST(SampleRemarks, CorrectMotionsDrawNoneAtAnyRateAndPace) {
  for (const int rate : kRates) {
    for (const double seconds : {2.0, 20.0, 200.0}) {
      SCOPED_TRACE(Cat(std::to_string(rate), " Hz, ", NumberText(seconds)));
      const int rows = static_cast<int>(rate * seconds) + 1;
      if (rows > 20001) continue;
      ExpectNoRemark(Quintic(rows, seconds));
      ExpectNoRemark(Trapezoid(rows).Slower(seconds / 3));
      for (const double speed : {0.01234567, 0.0}) {
        Motion steady = Quintic(rows, seconds);
        steady.a.setZero();
        steady.v.setConstant(speed);
        for (int k = 0; k < rows; ++k) {
          steady.q.row(k).setConstant(speed > 0 ? speed * k / rate : 1.2345678);
        }
        ExpectNoRemark(steady);
      }
    }
  }
}

TEST(SampleRemarks, MissingDigitsOfRatesOrOfTimesSinceLongAgoDrawNone) {
  for (const double factor : {1.0, 10.0, 100.0}) {
    Motion motion = Quintic(301, 2).Slower(factor);
    motion.v = motion.v.unaryExpr(kFourDecimals);
    motion.a = motion.a.unaryExpr(kFourDecimals);
    EXPECT_EQ(RemarksOn(motion).count, 0) << factor;
  }
  for (const int decimals : {3, 6}) {
    Motion motion = Quintic(301, 1);
    for (double& t : motion.time) t = Decimals(decimals)(1.7e9 + t);
    EXPECT_EQ(RemarksOn(motion).count, 0) << decimals;
  }
}

TEST(SampleRemarks, RatesWrongByOneInAHundredDrawOneAtAnyRate) {
  for (const int rate : kRates) {
    Motion wrong = Quintic(6 * rate + 1, 6);
    wrong.v *= 1.01;
    for (const Rounding& round :
         {Rounding(Exact), Rounding(Single), kFourDecimals}) {
      EXPECT_GE(RemarksOn(Rounded(wrong, round)).counts[0][0], 1) << rate;
    }
  }
}

TEST(SampleRemarks, AFastPartHidesNoSlowOneWhoseRatesAreZero) {
  for (const int rate : kRates) {
    const Motion fast = Quintic(rate + 1, 1);
    Motion motion = Quintic(7 * rate + 1, 7);
    for (int k = 0; k <= 7 * rate; ++k) {
      const int same = std::min(k, rate);
      motion.q.row(k) = fast.q.row(same).array() + 0.005 / rate * (k - same);
      motion.v.row(k) = fast.v.row(same);
      motion.a.row(k) = fast.a.row(same);
    }
    for (const Motion& told : AsItMayBeToldOf(motion)) {
      const SampleRemarks remarks = RemarksOn(told);
      for (const auto& of_joint : remarks.counts) {
        EXPECT_GE(of_joint[0], 1) << rate;
        EXPECT_EQ(of_joint[1], 0) << rate;
      }
      EXPECT_LE(remarks.count, 20);
    }
  }
}

TEST(SampleRemarks, WaypointsAtRestWhosePositionsMoveDrawOne) {
  for (const std::array<double, 3>& stops : {std::array{0.0, 1.0, 2.0},
                                             {0.0, 1.0, 0.0},
                                             {0.1, 0.2, 0.1 + 0.2},
                                             {10.0, 10.1, 10.2},
                                             {0.0, 0.3, 0.3},
                                             {0.0, 0.01, 0.0}}) {
    Motion motion(3, 1);
    motion.q << stops[0], stops[1], stops[2];
    const SampleRemarks remarks = RemarksOn(motion);
    ASSERT_EQ(remarks.count, 1) << stops[1];
    const SampleRemark& remark = remarks.gravest.front();
    EXPECT_EQ(remark.expected, stops[1] - stops[0]);
    EXPECT_LT(remark.tolerance, std::abs(remark.expected));
  }
}

TEST(SampleRemarks, DefectsDrawOneHoweverTheNumbersAreTold) {
  const struct {
    const char* name;
    void (*spoil)(Motion& m);
  } defects[] = {
      {"velocities in reverse",
       [](Motion& m) { m.v.colwise().reverseInPlace(); }},
      {"velocities of the way back", [](Motion& m) { m.v = -m.v; }},
      {"milliseconds for seconds",
       [](Motion& m) {
         for (double& t : m.time) t *= 1000;
       }},
      {"degrees for radians", [](Motion& m) { m.q *= 180 / 3.14159; }},
      {"accelerations of 0", [](Motion& m) { m.a.setZero(); }},
      {"accelerations of the way back", [](Motion& m) { m.a = -m.a; }}};
  const auto model = ShippedModel("panda");
  for (const std::int64_t rows : {31, 301}) {
    for (const auto& [name, spoil] : defects) {
      Motion spoilt = MakeMotion(*model, rows, 8);
      spoil(spoilt);
      for (const Motion& told : AsItMayBeToldOf(spoilt)) {
        const SampleRemarks remarks = RemarksOn(told);
        EXPECT_GE(remarks.count, 7) << name << ", " << rows << " rows";
        // Not just: by far.
        ASSERT_FALSE(remarks.gravest.empty());
        EXPECT_GT(remarks.gravest.front().severity, 2) << name;
      }
    }
  }
}

std::vector<InconsistentRate> InconsistentIn(const Motion& motion) {
  SampleRemarkFinder finder(
      {motion.time, ViewOf(motion.q), ViewOf(motion.v), ViewOf(motion.a)},
      std::vector<bool>(static_cast<std::size_t>(motion.q.cols())));
  finder.Prepare(motion.q.rows());
  for (Eigen::Index row = 0; row + 1 < motion.q.rows(); ++row) {
    finder.AddStep(row);
  }
  return finder.Inconsistent();
}

TEST(InconsistentRates, AreOtherUnitsZerosAndSigns) {
  const struct {
    const char* name;
    double factor;
    void (*spoil)(Motion& m);
  } mistakes[] = {{"milliseconds", 1000,
                   [](Motion& m) {
                     for (double& t : m.time) t *= 1000;
                   }},
                  {"v in degrees", 57.3, [](Motion& m) { m.v *= 57.3; }},
                  {"q in degrees", 1 / 57.3, [](Motion& m) { m.q *= 57.3; }},
                  {"zeros", 0, [](Motion& m) { m.v.setZero(); }},
                  {"reversed", -1, [](Motion& m) { m.v = -m.v; }}};
  for (const int rows : {7, 31, 301, 3001}) {
    for (const auto& [name, factor, spoil] : mistakes) {
      Motion motion = Quintic(rows, 2);
      spoil(motion);
      const auto found = InconsistentIn(motion);
      ASSERT_EQ(found.size(), 2U) << name << ", " << rows << " rows";
      EXPECT_EQ(found[1].joint, 1);
      EXPECT_NEAR(found[0].factor, factor, 0.05 * std::abs(factor)) << name;
    }
  }
}

TEST(InconsistentRates, AreNotWhatRecordingExplains) {
  for (const int rate : kRates) {
    const Motion exact = Quintic(6 * rate + 1, 6);
    ASSERT_TRUE(InconsistentIn(exact).empty());
    Motion recorded = exact;
    for (Eigen::Index k = 0; k < exact.q.rows(); ++k) {
      // An encoder of 2 mrad, v late by 100 ms, 20 % too large, with an offset.
      recorded.q.row(k) = (exact.q.row(k) / 2e-3).array().round() * 2e-3;
      const Eigen::Index late = std::max<Eigen::Index>(k - rate / 10, 0);
      recorded.v.row(k) = 1.2 * exact.v.row(late).array() + 1e-3;
    }
    EXPECT_TRUE(InconsistentIn(recorded).empty()) << rate;
    // A joint at rest, with noise in v alone.
    Motion rest = exact;
    for (Eigen::Index k = 0; k < rest.q.rows(); ++k) {
      rest.q.row(k).setConstant(0.4);
      rest.v.row(k).setConstant(k % 2 == 0 ? 0.05 : -0.04);
    }
    EXPECT_TRUE(InconsistentIn(rest).empty()) << rate;
  }
}

TEST(SampleRemarks, OneGlitchIsOneRemarkWithItsPlace) {
  Motion motion = Quintic(301, 2);
  motion.v(120, 1) += 0.1;
  const SampleRemarks remarks = RemarksOn(motion);
  ASSERT_GE(remarks.count, 1);
  for (const SampleRemark& remark : remarks.gravest) {
    EXPECT_EQ(remark.joint, 1);
    EXPECT_GE(remark.first_row, 118);
    EXPECT_LE(remark.last_row, 122);
  }
  EXPECT_EQ(remarks.counts[0], SampleRemarks::Counts());
  EXPECT_EQ(remarks.counts[1][0] + remarks.counts[1][1], remarks.count);
}

TEST(SampleRemarks, WholeTurnsOfAContinuousJointAreNone) {
  Motion motion(400, 1);
  motion.v.setConstant(2);
  for (int k = 0; k < 400; ++k) {
    motion.time[static_cast<std::size_t>(k)] = 0.02 * k;
    motion.q(k, 0) = std::remainder(0.04 * k, 2 * 3.14159265358979323846);
  }
  EXPECT_EQ(RemarksOn(motion, true).count, 0);
  EXPECT_GT(RemarksOn(motion, false).count, 0);
}

TEST(SampleRemarks, TheListIsBoundedAndTheGravestStay) {
  Motion motion = Quintic(9001, 2);
  // Steps apart from each other, graver and graver.
  for (int k = 10; k < 8990; k += 40) motion.q(k, 0) += 1e-4 * k;
  const SampleRemarks remarks = RemarksOn(motion);
  EXPECT_GT(remarks.count, 200);
  ASSERT_EQ(remarks.gravest.size(), SampleRemarks::kMaxListed);
  EXPECT_TRUE(std::ranges::is_sorted(remarks.gravest, std::greater(),
                                     &SampleRemark::severity));
}

TEST(SampleRemarks, DoNotDependOnHowManyRowsAreLookedAtInOneGo) {
  Motion motion = Trapezoid(301);
  motion.v.row(40).array() += 0.3;
  motion.v.row(200).array() -= 0.2;
  for (const Motion& told : AsItMayBeToldOf(motion)) {
    const SampleRemarks whole = RemarksOn(told);
    ASSERT_GT(whole.count, 0);
    for (const std::int64_t at_a_time : {1, 7, 300, 301}) {
      const SampleRemarks parts = RemarksOn(told, false, at_a_time);
      ASSERT_EQ(parts.count, whole.count);
      for (std::size_t k = 0; k < whole.gravest.size(); ++k) {
        EXPECT_EQ(parts.gravest[k].given.row, whole.gravest[k].given.row);
        EXPECT_EQ(parts.gravest[k].tolerance, whole.gravest[k].tolerance);
        EXPECT_EQ(parts.gravest[k].severity, whole.gravest[k].severity);
      }
    }
  }
}

TEST(SampleRemarks, NumbersThatLeaveNoToleranceAreNoRemark) {
  // A hundredth of the rate is zero.
  Motion motion(2, 1);
  motion.q(1, 0) = 1e-323;
  EXPECT_EQ(RemarksOn(motion).count, 0);
}

}  // namespace
}  // namespace torqued::testing_support
