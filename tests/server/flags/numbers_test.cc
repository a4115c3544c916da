#include "server/flags/numbers.h"

#include <gtest/gtest.h>

namespace torqued::flags {
namespace {

TEST(WholeNumberProblem, WholeNumbersAreDigitsInRange) {
  EXPECT_EQ(WholeNumberProblem("0", 0, 10), "");
  EXPECT_EQ(WholeNumberProblem("10", 0, 10), "");
  for (const char* text : {"", "11", "-1", "+1", "1.0", "1e1", "010", "0x1",
                           " 1", "1 ", "99999999999999999999"}) {
    EXPECT_EQ(
        WholeNumberProblem(text, 0, 10),
        std::string("needs a whole number from 0 to 10, not '") + text + "'");
  }
}

TEST(NumberProblem, NumbersAreInRangeInAnyNotation) {
  for (const char* text : {"0.001", "1", "1e3", "1e6", "1000000.0"}) {
    EXPECT_EQ(NumberProblem(text, 0.001, 1e6), "") << text;
  }
  for (const char* text :
       {"", "0", "-1", "1e7", "nan", "inf", "1s", " 1", "x", "1e999"}) {
    EXPECT_EQ(NumberProblem(text, 0.001, 1e6),
              std::string("needs a number from 0.001 to 1000000, not '") +
                  text + "'");
  }
}

TEST(Number, AnOptionTellsItsRange) {
  CLI::App app;
  double share = 0;
  int count = 0;
  Number(app.add_option("--share", share), 0, 1);
  WholeNumber(app.add_option("--count", count), 1, 9);
  app.parse("--share 0.25 --count 3");
  EXPECT_EQ(share, 0.25);
  EXPECT_EQ(count, 3);
  EXPECT_THROW(app.parse("--share 1.25"), CLI::ValidationError);
  EXPECT_THROW(app.parse("--count 0"), CLI::ValidationError);
}

}  // namespace
}  // namespace torqued::flags
