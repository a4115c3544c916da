// Samples that contradict each other draw a remark, and no others do.
#include "core/trajectory/sample_remarks.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using testing_support::MakeMotion;
using testing_support::SampledMotion;
using testing_support::ShippedModel;

/// `at_a_time`: rows that are looked at in one go.
SampleRemarks RemarksOn(const SampledMotion& motion, bool turns = false,
                        std::int64_t at_a_time = 1 << 20) {
  SampleRemarkFinder finder(
      motion.time, ViewOf(motion.q), ViewOf(motion.v), ViewOf(motion.a),
      std::vector<bool>(static_cast<std::size_t>(motion.q.cols()), turns));
  for (Eigen::Index left = motion.q.rows(); left > at_a_time;
       left -= at_a_time) {
    EXPECT_FALSE(finder.Prepare(at_a_time));
    EXPECT_FALSE(finder.ready());
  }
  EXPECT_TRUE(finder.Prepare(at_a_time));
  EXPECT_TRUE(finder.ready());
  for (Eigen::Index row = 0; row + 1 < motion.q.rows(); ++row) {
    finder.AddStep(row);
  }
  return finder.Finish();
}

/// With so many decimals, or significant digits.
double Fixed(double number, int decimals) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return std::strtod(text.data(), nullptr);
}

double Digits(double number, int digits) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, number);
  return std::strtod(text.data(), nullptr);
}

template <class Round>
SampledMotion Rounded(SampledMotion motion, const Round& round) {
  for (double& t : motion.time) t = round(t);
  for (SampleTable* table : {&motion.q, &motion.v, &motion.a}) {
    *table = table->unaryExpr(round);
  }
  return motion;
}

/// The ways numbers lose digits on their way.
std::vector<SampledMotion> AsTheyAreToldOf(const SampledMotion& motion) {
  return {motion,
          Rounded(motion, [](double x) { return Fixed(x, 4); }),
          Rounded(motion, [](double x) { return Digits(x, 4); }),
          Rounded(motion, [](double x) { return Fixed(x, 3); }),
          Rounded(motion,
                  [](double x) {
                    return static_cast<double>(static_cast<float>(x));
                  }),
          Rounded(motion,
                  [](double x) {
                    return static_cast<double>(static_cast<float>(Fixed(x, 4)));
                  }),
          Rounded(motion, [](double x) {
            return static_cast<double>(static_cast<float>(Digits(x, 4)));
          })};
}

bool Increases(const std::vector<double>& time) {
  for (std::size_t k = 1; k < time.size(); ++k) {
    if (!(time[k] > time[k - 1])) return false;
  }
  return true;
}

/// Rest to rest along a quintic, its own rates beside it.
SampledMotion Quintic(int rows, double seconds) {
  SampledMotion motion;
  motion.q = motion.v = motion.a = SampleTable::Zero(rows, 2);
  for (int k = 0; k < rows; ++k) {
    const double u = static_cast<double>(k) / (rows - 1);
    motion.time.push_back(u * seconds);
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
SampledMotion Trapezoid(int rows) {
  SampledMotion motion;
  motion.q = motion.v = motion.a = SampleTable::Zero(rows, 1);
  for (int k = 0; k < rows; ++k) {
    const double t = 3.0 * k / (rows - 1);
    motion.time.push_back(t);
    if (t < 1) {
      motion.q(k, 0) = t * t / 2;
      motion.v(k, 0) = t;
      motion.a(k, 0) = 1;
    } else if (t <= 2) {
      motion.q(k, 0) = t - 0.5;
      motion.v(k, 0) = 1;
    } else {
      motion.q(k, 0) = 2 - (3 - t) * (3 - t) / 2;
      motion.v(k, 0) = 3 - t;
      motion.a(k, 0) = -1;
    }
  }
  return motion;
}

void ExpectNoRemark(const SampledMotion& motion, const std::string& what) {
  int way = -1;
  for (const SampledMotion& told : AsTheyAreToldOf(motion)) {
    ++way;
    if (!Increases(told.time)) continue;
    const SampleRemarks remarks = RemarksOn(told);
    EXPECT_EQ(remarks.count, 0) << what << ", way " << way;
    if (remarks.count == 0) continue;
    const SampleRemark& gravest = remarks.gravest.front();
    ADD_FAILURE() << "row " << gravest.worst_row << ": " << gravest.given
                  << " and " << gravest.expected << " within "
                  << gravest.tolerance;
  }
}

TEST(SampleRemarks, MotionsWithTheirOwnRatesDrawNone) {
  const auto model = ShippedModel("panda");
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const std::int64_t rows : {6, 10, 31, 100, 1000}) {
      ExpectNoRemark(MakeMotion(*model, rows, seed),
                     std::to_string(rows) + " rows");
    }
  }
  for (const int rows : {4, 5, 6, 7, 10, 31, 301, 3001}) {
    ExpectNoRemark(Quintic(rows, 2), "quintic " + std::to_string(rows));
  }
  for (const int rows : {7, 10, 22, 31, 301, 3001}) {
    ExpectNoRemark(Trapezoid(rows), "trapezoid " + std::to_string(rows));
  }
}

/// Samples a second.
constexpr std::array kRates = {10, 100, 1000};

TEST(SampleRemarks, CorrectMotionsDrawNoneAtAnyRateAndPace) {
  for (const int rate : kRates) {
    for (const double seconds : {2.0, 20.0, 200.0}) {
      const int rows = static_cast<int>(rate * seconds) + 1;
      if (rows > 20001) continue;
      const std::string what =
          std::to_string(rate) + " Hz, " + std::to_string(seconds) + " s";
      ExpectNoRemark(Quintic(rows, seconds), "quintic " + what);
      ExpectNoRemark(Trapezoid(rows).Slower(seconds / 3), "trapezoid " + what);
      SampledMotion steady = Quintic(rows, seconds);
      steady.a.setZero();
      steady.v.array() = 0.01234567;
      for (int k = 0; k < rows; ++k) {
        steady.q.row(k).array() = 0.01234567 * k / rate;
      }
      ExpectNoRemark(steady, "steady " + what);
      steady.v.setZero();
      steady.q.array() = 1.2345678;
      ExpectNoRemark(steady, "still " + what);
    }
  }
}

TEST(SampleRemarks, RatesOfFewerDigitsThanTheirPositionsDrawNone) {
  const auto four = [](double x) { return Fixed(x, 4); };
  for (const double factor : {1.0, 10.0, 100.0}) {
    SampledMotion motion = Quintic(301, 2).Slower(factor);
    motion.v = motion.v.unaryExpr(four);
    motion.a = motion.a.unaryExpr(four);
    EXPECT_EQ(RemarksOn(motion).count, 0) << factor;
  }
}

TEST(SampleRemarks, TimesSinceLongAgoDrawNone) {
  for (const int decimals : {3, 6}) {
    SampledMotion motion = Quintic(301, 1);
    for (double& t : motion.time) t = Fixed(1.7e9 + t, decimals);
    EXPECT_EQ(RemarksOn(motion).count, 0) << decimals;
  }
}

TEST(SampleRemarks, RatesOfZeroDrawOneAtAnyRate) {
  for (const int rate : kRates) {
    SampledMotion motion = Quintic(6 * rate + 1, 6);
    motion.q *= 0.3 / 1.3;
    motion.v.setZero();
    motion.a.setZero();
    for (const SampledMotion& told : AsTheyAreToldOf(motion)) {
      const SampleRemarks remarks = RemarksOn(told);
      for (const auto& of_joint : remarks.counts) {
        EXPECT_GE(of_joint[0], 1) << rate << " Hz";
        EXPECT_EQ(of_joint[1], 0) << rate << " Hz";
      }
      EXPECT_LE(remarks.count, 20) << rate << " Hz";
    }
  }
}

TEST(SampleRemarks, RatesThatAreWrongByOneInAHundredDrawOneAtAnyRate) {
  const auto expect = [](SampledMotion motion, const auto& round, int rate) {
    motion.v *= 1.01;
    const SampleRemarks remarks = RemarksOn(Rounded(motion, round));
    EXPECT_GE(remarks.counts[0][0], 1) << rate << " Hz";
  };
  for (const int rate : kRates) {
    const SampledMotion motion = Quintic(6 * rate + 1, 6);
    expect(motion, [](double x) { return x; }, rate);
    expect(
        motion,
        [](double x) { return static_cast<double>(static_cast<float>(x)); },
        rate);
    expect(motion, [](double x) { return Fixed(x, 4); }, rate);
  }
}

TEST(SampleRemarks, WaypointsAtRestWhosePositionsMoveDrawOne) {
  for (const std::array<double, 3>& stops : {std::array{0.0, 1.0, 2.0},
                                             {0.0, 1.0, 0.0},
                                             {0.1, 0.2, 0.1 + 0.2},
                                             {10.0, 10.1, 10.2},
                                             {0.0, 0.3, 0.3},
                                             {0.0, 0.01, 0.0}}) {
    SampledMotion motion;
    motion.time = {0, 0.5, 1};
    motion.q = motion.v = motion.a = SampleTable::Zero(3, 1);
    for (int k = 0; k < 3; ++k) {
      motion.q(k, 0) = stops[static_cast<std::size_t>(k)];
    }
    const SampleRemarks remarks = RemarksOn(motion);
    ASSERT_EQ(remarks.count, 1) << stops[1];
    const SampleRemark& remark = remarks.gravest.front();
    EXPECT_EQ(remark.kind, RemarkKind::kVelocity);
    EXPECT_EQ(remark.joint, 0);
    EXPECT_EQ(remark.first_row, 0);
    EXPECT_EQ(remark.worst_row, 0);
    EXPECT_EQ(remark.given, 0);
    EXPECT_EQ(remark.expected, (stops[1] - stops[0]) / 0.5);
    EXPECT_LT(remark.tolerance, std::abs(remark.expected));
  }
}

struct Defect {
  const char* name;
  void (*spoil)(SampledMotion& motion);
};

constexpr std::array kDefects = {
    Defect{"velocities of 0",
           [](SampledMotion& motion) { motion.v.setZero(); }},
    Defect{"all rates 0",
           [](SampledMotion& motion) {
             motion.v.setZero();
             motion.a.setZero();
           }},
    Defect{"velocities in reverse",
           [](SampledMotion& motion) {
             motion.v = motion.v.colwise().reverse().eval();
           }},
    Defect{"velocities of the way back",
           [](SampledMotion& motion) { motion.v = -motion.v; }},
    Defect{"milliseconds for seconds",
           [](SampledMotion& motion) {
             for (double& t : motion.time) t *= 1000;
           }},
    Defect{"whole milliseconds for seconds",
           [](SampledMotion& motion) {
             for (double& t : motion.time) t = std::round(1000 * t);
           }},
    Defect{"degrees for radians",
           [](SampledMotion& motion) { motion.q *= 180 / 3.14159; }},
    Defect{"accelerations of 0",
           [](SampledMotion& motion) { motion.a.setZero(); }},
    Defect{"accelerations of the way back",
           [](SampledMotion& motion) { motion.a = -motion.a; }}};

TEST(SampleRemarks, DefectsDrawOneHoweverTheNumbersAreTold) {
  const auto model = ShippedModel("panda");
  for (const std::int64_t rows : {31, 301}) {
    const SampledMotion motion = MakeMotion(*model, rows, 8);
    for (const Defect& defect : kDefects) {
      SampledMotion spoilt = motion;
      defect.spoil(spoilt);
      for (const SampledMotion& told : AsTheyAreToldOf(spoilt)) {
        if (!Increases(told.time)) continue;
        const SampleRemarks remarks = RemarksOn(told);
        EXPECT_GE(remarks.count, 7) << defect.name << ", " << rows << " rows";
        // Not just: by far.
        ASSERT_FALSE(remarks.gravest.empty());
        EXPECT_GT(remarks.gravest.front().severity, 2) << defect.name;
      }
    }
  }
}

TEST(SampleRemarks, OneGlitchIsOneRemarkWithItsPlace) {
  SampledMotion motion = Quintic(301, 2);
  motion.v(120, 1) += 0.1;
  const SampleRemarks remarks = RemarksOn(motion);
  ASSERT_GE(remarks.count, 1);
  for (const SampleRemark& remark : remarks.gravest) {
    EXPECT_EQ(remark.joint, 1);
    EXPECT_GE(remark.first_row, 118);
    EXPECT_LE(remark.last_row, 122);
  }
  EXPECT_EQ(remarks.counts[0][0] + remarks.counts[0][1], 0);
  EXPECT_EQ(remarks.counts[1][0] + remarks.counts[1][1], remarks.count);
}

TEST(SampleRemarks, WholeTurnsOfAContinuousJointAreNone) {
  SampledMotion motion;
  motion.q = motion.v = motion.a = SampleTable::Zero(400, 1);
  for (int k = 0; k < 400; ++k) {
    motion.time.push_back(0.02 * k);
    motion.q(k, 0) = std::remainder(0.04 * k, 2 * 3.14159265358979323846);
    motion.v(k, 0) = 2;
  }
  EXPECT_EQ(RemarksOn(motion, true).count, 0);
  EXPECT_GT(RemarksOn(motion, false).count, 0);
}

TEST(SampleRemarks, TheListIsBoundedAndTheGravestStay) {
  SampledMotion motion = Quintic(9001, 2);
  // Steps apart from each other, graver and graver.
  for (int k = 10; k < 8990; k += 40) motion.q(k, 0) += 1e-4 * k;
  const SampleRemarks remarks = RemarksOn(motion);
  EXPECT_GT(remarks.count, 200);
  ASSERT_EQ(remarks.gravest.size(), SampleRemarks::kMaxListed);
  for (std::size_t k = 1; k < remarks.gravest.size(); ++k) {
    EXPECT_GE(remarks.gravest[k - 1].severity, remarks.gravest[k].severity);
  }
}

TEST(SampleRemarks, HugeNumbersAreNoCrash) {
  SampledMotion motion = Quintic(31, 2);
  motion.q(3, 0) = 1e308;
  motion.q(4, 0) = -1e308;
  motion.v(5, 0) = -1.7e308;
  motion.v(6, 0) = 1.7e308;
  motion.a(7, 0) = 1e-308;
  for (const SampleRemark& remark : RemarksOn(motion).gravest) {
    EXPECT_TRUE(std::isfinite(remark.given) && std::isfinite(remark.expected) &&
                std::isfinite(remark.tolerance));
  }
}

TEST(SampleRemarks, DoNotDependOnHowManyRowsAreLookedAtInOneGo) {
  SampledMotion motion = Trapezoid(301);
  motion.v.row(40).array() += 0.3;
  motion.v.row(200).array() -= 0.2;
  for (const SampledMotion& told : AsTheyAreToldOf(motion)) {
    const SampleRemarks whole = RemarksOn(told);
    ASSERT_GT(whole.count, 0);
    for (const std::int64_t at_a_time : {1, 7, 300, 301}) {
      const SampleRemarks parts = RemarksOn(told, false, at_a_time);
      ASSERT_EQ(parts.count, whole.count);
      for (std::size_t k = 0; k < whole.gravest.size(); ++k) {
        EXPECT_EQ(parts.gravest[k].worst_row, whole.gravest[k].worst_row);
        EXPECT_EQ(parts.gravest[k].tolerance, whole.gravest[k].tolerance);
        EXPECT_EQ(parts.gravest[k].severity, whole.gravest[k].severity);
      }
    }
  }
}

TEST(SampleRemarks, NumbersThatLeaveNoToleranceAreNoRemark) {
  // A hundredth of the rate is zero.
  SampledMotion motion;
  motion.time = {0, 1};
  motion.q = motion.v = motion.a = SampleTable::Zero(2, 1);
  motion.q(1, 0) = 1e-323;
  EXPECT_EQ(RemarksOn(motion).count, 0);
}

}  // namespace
}  // namespace torqued
