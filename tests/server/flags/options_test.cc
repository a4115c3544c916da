#include "server/flags/options.h"

#include <gmock/gmock.h>

namespace torqued::flags {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `tool [--form FORM] [--share X] [--count N]`, `tool motion [FILE]` and
/// `tool motion judge FILE [--page P]`.
class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() {
    AddChoice<int>(&app_, "--form", &form_,
                   {{"table", 1}, {"json", 2}, {"csv", 3}}, "The form");
    Number(app_.add_option("--share", share_), 0.001, 1e6);
    WholeNumber(app_.add_option("--count", count_), 0, 10);
    CLI::App* motion = app_.add_subcommand("motion");
    motion->add_option("FILE", file_);
    CLI::App* judge = motion->add_subcommand("judge");
    judge->alias("rate");
    judge->add_option("FILE", judged_)->required();
    judge->add_option("--page", page_);
    for (CLI::App* command : {&app_, motion, judge}) {
      command->fallthrough()->require_subcommand(0, 1);
    }
  }

  /// The refusal and where to read more; empty: there is none.
  std::string Parse(std::vector<std::string> arguments) {
    // CLI11 takes them from the end.
    std::reverse(arguments.begin(), arguments.end());
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      const std::string refusal = Refusal(app_, error);
      return refusal + " | " + HelpFor(app_, refusal);
    }
    return "";
  }

  CLI::App app_{"", "tool"};
  std::string file_, judged_, page_;
  int form_ = 0, count_ = 0;
  double share_ = 0;
};

TEST_F(OptionsTest, AChoiceSetsTheValueOfItsName) {
  EXPECT_EQ(Parse({"motion", "--form", "csv"}), "");
  EXPECT_EQ(form_, 3);
  EXPECT_EQ(Parse({"--form", "table"}), "");
  EXPECT_EQ(form_, 1);
}

TEST_F(OptionsTest, ABadChoiceIsToldTheNamesThatThereAre) {
  for (const char* name : {"xml", "2", "TABLES"}) {
    EXPECT_EQ(Parse({"--form=" + std::string(name), "motion"}),
              std::string("--form: needs table, json or csv, not '") + name +
                  "' | tool --help");
  }
  EXPECT_EQ(Parse({"--form", "jason"}),
            "--form: needs table, json or csv, not 'jason'; did you mean json? "
            "| tool --help");
  EXPECT_EQ(form_, 0);
}

TEST_F(OptionsTest, OfManyNamesTheNearOnesAreToldAlone) {
  std::vector<std::string> names;
  names.reserve(20);
  for (int k = 0; k < 20; ++k) names.push_back(std::string(9, 'a' + k));
  std::string word;
  OneOf(app_.add_option("--word", word), names);
  EXPECT_THAT(Parse({"--word", "bbbbbbbb"}),
              HasSubstr("there is no 'bbbbbbbb'; did you mean bbbbbbbbb?"));
  EXPECT_THAT(Parse({"--word", "zz"}), HasSubstr("eeeeeeeee"));
}

TEST_F(OptionsTest, TheHelpNamesTheChoices) {
  EXPECT_THAT(app_.help(), HasSubstr("--form table|json|csv "));
  EXPECT_THAT(app_.help(), Not(HasSubstr("{")));
}

TEST_F(OptionsTest, WholeNumbersAreDigitsInRange) {
  EXPECT_EQ(Parse({"--count", "0"}), "");
  EXPECT_EQ(Parse({"--count", "10"}), "");
  EXPECT_EQ(count_, 10);
  for (const char* text : {"", "11", "-1", "+1", "1.0", "1e1", "010", "0x1",
                           " 1", "1 ", "99999999999999999999"}) {
    EXPECT_THAT(Parse({"--count=" + std::string(text)}), HasSubstr("--count: "))
        << text;
  }
  EXPECT_THAT(Parse({"--count=11"}),
              HasSubstr("needs a whole number from 0 to 10, not '11'"));
}

TEST_F(OptionsTest, NumbersAreInRangeInAnyNotation) {
  for (const char* text : {"0.001", "1", "1e3", "1e6", "1000000.0"}) {
    EXPECT_EQ(Parse({"--share", text}), "") << text;
  }
  EXPECT_EQ(share_, 1e6);
  for (const char* text :
       {"0", "-1", "1e7", "nan", "inf", "1s", " 1", "x", "1e999"}) {
    EXPECT_THAT(Parse({"--share=" + std::string(text)}),
                HasSubstr("--share: needs a number from 0.001 to 1000000, "
                          "not '" +
                          std::string(text) + "'"));
  }
}

TEST_F(OptionsTest, AMisspeltFlagIsNamedWithTheNearest) {
  EXPECT_EQ(Parse({"motion", "--fomr", "csv", "a", "b"}),
            "there is no flag '--fomr'; did you mean --form? | "
            "tool motion --help");
  EXPECT_THAT(Parse({"--fomr=csv"}),
              HasSubstr("'--fomr=csv'; did you mean --form?"));
  EXPECT_THAT(Parse({"motion", "judge", "a", "--paeg", "b"}),
              HasSubstr("did you mean --page?"));
  // One dash is no long flag.
  EXPECT_THAT(Parse({"motion", "-x"}), HasSubstr("not expected: -x"));
}

TEST_F(OptionsTest, AMisspeltCommandIsNamedAndNotWhatFollowsIt) {
  EXPECT_EQ(Parse({"motoin", "a"}),
            "there is no command 'motoin'; did you mean motion? | tool --help");
  EXPECT_EQ(Parse({"motion", "jugde", "a"}),
            "there is no command 'jugde'; did you mean judge? | "
            "tool motion --help");
  EXPECT_THAT(Parse({"motion", "ratee", "a"}), HasSubstr("mean rate?"));
  EXPECT_THAT(Parse({"motion", "a.csv", "b.csv"}),
              HasSubstr("not expected: b.csv | tool motion --help"));
}

TEST_F(OptionsTest, TheHelpIsThatOfTheCommandWithTheFlag) {
  EXPECT_THAT(Parse({"motion", "judge", "a", "--count", "x"}),
              ::testing::EndsWith(" | tool --help"));
  EXPECT_THAT(Parse({"motion", "judge", "a", "--page"}),
              ::testing::EndsWith(" | tool motion judge --help"));
  EXPECT_EQ(Parse({"motion", "judge"}),
            "FILE is required | tool motion judge --help");
}

}  // namespace
}  // namespace torqued::flags
