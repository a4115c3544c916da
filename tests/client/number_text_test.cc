#include "client/cli/formats/number_text.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace torqued::cli {
namespace {

TEST(ShortestText, ReadsBackToTheSameBits) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 20'000; ++k) {
    const double number = std::bit_cast<double>(random());
    if (std::isnan(number)) continue;
    const auto back = ParseNumber(ShortestText(number));
    ASSERT_TRUE(back) << ShortestText(number);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back),
              std::bit_cast<std::uint64_t>(number));
  }
}

TEST(ParseNumber, AllowsBlanksSignsAndNonFinite) {
  EXPECT_EQ(ParseNumber(" \t+1.5e-3\r"), 1.5e-3);
  EXPECT_EQ(ParseNumber("-2"), -2.0);
  EXPECT_EQ(ParseNumber("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(ParseNumber("nan").value_or(0)));
}

TEST(NumberProblem, TellsWhatNoDoubleHoldsFromWhatIsNoNumber) {
  for (const char* text : {"1e400", " -1e400", "+1e400", "1e999"}) {
    EXPECT_EQ(ParseNumber(text), std::nullopt) << text;
    EXPECT_TRUE(IsOutOfRange(text)) << text;
    EXPECT_EQ(NumberProblem(text), "is out of the range of double precision");
  }
  for (const char* text : {"", "x", "1e400x", "1e400 1", "1e", "++1e400"}) {
    EXPECT_FALSE(IsOutOfRange(text)) << text;
    EXPECT_EQ(NumberProblem(text), "is not a number") << text;
  }
}

TEST(ParseNumber, RoundsWhatIsTooSmallForADouble) {
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(ParseNumber("1e-310"), 1e-310);
  EXPECT_EQ(ParseNumber("3e-324"), kSmallest);
  for (const char* text : {"1e-400", "+1e-400", "-1e-400", "0.1e-9999"}) {
    const auto number = ParseNumber(text);
    ASSERT_TRUE(number) << text;
    EXPECT_EQ(*number, 0) << text;
    EXPECT_EQ(std::signbit(*number), text[0] == '-') << text;
    EXPECT_FALSE(IsOutOfRange(text)) << text;
  }
  // A sum of digits that is read as it stands, without an end behind it.
  const std::string_view cells = "1e-400,5";
  EXPECT_EQ(ParseNumber(cells.substr(0, 6)), 0);
}

TEST(ParseNumber, RefusesWhatIsNotExactlyANumber) {
  for (const char* text : {"", " ", "1,5", "1.5x", "x1", "0x10", "1 2", "--1",
                           "+-1", "+", "1e999", "1.2.3"}) {
    EXPECT_EQ(ParseNumber(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(ReadableText, LiesOnTheSideThatIsAskedFor) {
  EXPECT_EQ(ReadableText(9.1312290806, Side::kBelow), "9.13122");
  EXPECT_EQ(ReadableText(9.8785826747, Side::kAbove), "9.87859");
  EXPECT_EQ(ReadableText(0.99999999, Side::kBelow), "0.999999");
  EXPECT_EQ(ReadableText(0.99999999, Side::kAbove), "1");
  EXPECT_EQ(ReadableText(1234567.5, Side::kBelow), "1.23456e+06");
  for (const double exact : {0.1, 1.25, 4.2, 1000.0, 3e-7, 7e15}) {
    for (const Side side : {Side::kBelow, Side::kAbove}) {
      EXPECT_EQ(ReadableText(exact, side), ReadableText(exact));
    }
  }
  for (const double number :
       {0.0, -1.2345678, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(ReadableText(number, Side::kBelow), ReadableText(number));
  }
}

}  // namespace
}  // namespace torqued::cli
