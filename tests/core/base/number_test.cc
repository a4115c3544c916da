#include "core/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <clocale>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace torqued {
namespace {

using testing::HasSubstr;

std::string Problem(std::string_view text) {
  double value = 0;
  return ParseNumbers(text, {&value, 1});
}

double Parsed(std::string_view text) {
  double value = -77;
  EXPECT_EQ(ParseNumbers(text, {&value, 1}), "") << text;
  return value;
}

TEST(Number, DecimalFormsAreRead) {
  EXPECT_EQ(Parsed("-1.5e-3"), -1.5e-3);
  EXPECT_EQ(Parsed("+2"), 2.0);
  EXPECT_EQ(Parsed(" \t\r\n7\n "), 7.0);
  EXPECT_EQ(Parsed("1."), 1.0);
  EXPECT_EQ(Parsed(".5"), 0.5);
  EXPECT_EQ(Parsed("1E5"), 1e5);
  EXPECT_EQ(Parsed("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_TRUE(std::signbit(Parsed("-0")));
}

TEST(Number, NumbersTooSmallForDoubleAreZero) {
  for (const std::string& text : std::vector<std::string>{
           "1e-400", "+1e-400", "0e-400", "4.9e-9999", "0.1e-330",
           "123456e-999999999999999999999999", "0.001e-9223372036854775807",
           "0." + std::string(400, '0') + "1"}) {
    EXPECT_EQ(Parsed(text), 0) << text;
    EXPECT_FALSE(std::signbit(Parsed(text))) << text;
  }
  EXPECT_EQ(Parsed("-1e-400"), 0);
  EXPECT_TRUE(std::signbit(Parsed("-1e-400")));
  // Twins: the smallest that is not, and one whose digits begin late.
  EXPECT_EQ(Parsed("5e-324"), 5e-324);
  EXPECT_EQ(Parsed("0." + std::string(400, '0') + "1e401"), 1);
}

TEST(Number, EverythingElseIsRefusedWithTheReason) {
  const std::pair<const char*, std::vector<std::string>> reasons[] = {
      {"not a number",
       {"1.0m", "1,5", "0x10", "1d5", "1e", "--1", "+-1", "++1", "abc", "1;",
        "-", "+", "."}},
      {"not finite", {"inf", "-inf", "nan", "NaN", "INFINITY", "+inf"}},
      {"outside the range",
       {"1e400", "-1e400", "0.001e999", "1e99999999999999999999999",
        "100000000000000000000e308", "1e9223372036854775807",
        "1" + std::string(400, '0')}},
      {"without a unit", {"2.0kg"}},
      {"'kg' is not a number; write one like -1.5e-3, without a unit, since "
       "all are SI",
       {"2.0 kg"}},
      {"xacro", {"${pi/2}"}},
      {"' ' has no numbers where 1 is needed", {" "}},
  };
  for (const auto& [reason, texts] : reasons) {
    for (const std::string& text : texts) {
      EXPECT_THAT(Problem(text), HasSubstr(reason)) << text;
    }
  }
  EXPECT_THAT(Problem("pi/2"), testing::Not(HasSubstr("xacro")));
}

TEST(Number, CountMustFit) {
  std::array<double, 3> v{};
  EXPECT_EQ(ParseNumbers(" 1\n2\t3 ", v), "");
  EXPECT_THAT(v, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(ParseNumbers("1 2", v), "'1 2' has 2 numbers where 3 are needed");
  EXPECT_EQ(ParseNumbers("1", v), "'1' has 1 number where 3 are needed");
  EXPECT_EQ(ParseNumbers("1 2 3 4", v),
            "'1 2 3 4' has 4 numbers where 3 are needed");
  EXPECT_THAT(ParseNumbers("0 0 1 m", v), HasSubstr("'m' is not a number"));
}

TEST(Number, LocaleDoesNotMatter) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  // Where no such locale is installed the test says nothing.
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, name) != nullptr) break;
  }
  EXPECT_EQ(Parsed("1.5"), 1.5);
  EXPECT_NE(Problem("1,5"), "");
  std::setlocale(LC_NUMERIC, before.c_str());
}

}  // namespace
}  // namespace torqued
