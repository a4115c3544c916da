#include "server/flags/refusals.h"

#include <gmock/gmock.h>

namespace torqued::flags {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A command line with a choice, a word and a command that has a word.
class RefusalTest : public ::testing::Test {
 protected:
  RefusalTest() {
    CLI::Option* form = app_.add_option("--form", text_, "The form");
    OneOf(form, {{"table", 1}, {"json", 2}, {"csv", 3}}, &form_);
    CLI::App* command = app_.add_subcommand("run");
    command->add_option("FILE", file_);
    command->fallthrough();
    app_.fallthrough();
  }

  std::string Parse(std::vector<std::string> arguments) {
    // CLI11 takes them from the end.
    std::reverse(arguments.begin(), arguments.end());
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      return Refusal(app_, error);
    }
    return "";
  }

  CLI::App app_;
  std::string text_;
  std::string file_;
  int form_ = 0;
};

TEST_F(RefusalTest, WordsTooManyAreListedInTheirOrder) {
  EXPECT_EQ(Parse({"run", "a", "b", "c", "--no", "d"}),
            "arguments were not expected: b c --no d");
  EXPECT_EQ(Parse({"x", "y"}), "arguments were not expected: x y");
  EXPECT_EQ(Parse({"x"}), "an argument was not expected: x");
}

TEST_F(RefusalTest, AChoiceSetsTheValueOfItsName) {
  EXPECT_EQ(Parse({"run", "--form", "csv"}), "");
  EXPECT_EQ(form_, 3);
  EXPECT_EQ(Parse({"--form", "table"}), "");
  EXPECT_EQ(form_, 1);
}

TEST_F(RefusalTest, ABadChoiceIsToldTheNamesThatThereAre) {
  for (const char* name : {"xml", "2", "TABLES"}) {
    EXPECT_EQ(
        Parse({"--form=" + std::string(name), "run"}),
        std::string("--form: needs table, json or csv, not '") + name + "'");
  }
  EXPECT_EQ(form_, 0);
}

TEST_F(RefusalTest, TheHelpNamesTheChoices) {
  EXPECT_THAT(app_.help(), HasSubstr("--form table|json|csv "));
  EXPECT_THAT(app_.help(), Not(HasSubstr("{")));
}

TEST_F(RefusalTest, WhatIsNearIsNamed) {
  EXPECT_EQ(
      Parse({"--form", "jason"}),
      "--form: needs table, json or csv, not 'jason'; did you mean json?");
  EXPECT_EQ(Parse({"run", "--fomr", "csv", "a"}),
            "arguments were not expected: --fomr a; did you mean --form?");
  EXPECT_EQ(Parse({"run", "--fomr=csv"}),
            "an argument was not expected: --fomr=csv; did you mean --form?");
  EXPECT_EQ(Parse({"rnu", "a"}),
            "there is no command 'rnu'; did you mean run?");
  // One dash is no long flag.
  EXPECT_EQ(Parse({"run", "-x"}), "an argument was not expected: -x");
}

TEST_F(RefusalTest, OfManyNamesTheNearOnesAreToldAlone) {
  std::vector<std::string> names;
  for (int k = 0; k < 20; ++k) names.push_back(std::string(9, 'a' + k));
  std::string word;
  OneOf(app_.add_option("--word", word), names);
  EXPECT_EQ(Parse({"--word", "bbbbbbbb"}),
            "--word: there is no 'bbbbbbbb'; did you mean bbbbbbbbb?");
  EXPECT_THAT(Parse({"--word", "zz"}), HasSubstr("eeeeeeeee"));
}

/// `tool motion [FILE] [--plot P]` and `tool motion judge FILE [--page P]`.
class NestedRefusalTest : public ::testing::Test {
 protected:
  NestedRefusalTest() {
    app_.add_option("--times", times_);
    app_.add_flag("--quiet", quiet_);
    CLI::App* motion = app_.add_subcommand("motion");
    motion->add_option("FILE", file_);
    motion->add_option("--plot", plot_);
    CLI::App* judge = motion->add_subcommand("judge");
    judge->alias("rate");
    judge->add_option("FILE", judged_)->required();
    judge->add_option("--page", page_);
    CLI::App* group = app_.add_subcommand("group");
    group->add_subcommand("list");
    // As torquectl does: what is above and not asked for took the word.
    motion->callback([motion] {
      if (motion->get_subcommands().empty()) return;
      for (const CLI::Option* option : motion->get_options()) {
        if (option->count() > 0) {
          throw CLI::ExtrasError(std::vector<std::string>{option->get_name()});
        }
      }
    });
    for (CLI::App* command : {&app_, motion, judge, group}) {
      command->fallthrough()->require_subcommand(0, 1);
    }
  }

  /// The refusal and where to read more.
  std::string Parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      const std::string refusal = Refusal(app_, error);
      return refusal + " | " + HelpFor(app_, refusal);
    }
    return HelpFor(app_, "");
  }

  CLI::App app_{"", "tool"};
  int times_ = 0;
  bool quiet_ = false;
  std::string file_, plot_, judged_, page_;
};

TEST_F(NestedRefusalTest, WhatACommandDoesNotKnowIsNamed) {
  EXPECT_EQ(Parse({"motion", "judge", "a", "b"}),
            "an argument was not expected: b | tool motion judge --help");
  EXPECT_EQ(Parse({"motion", "judge", "a", "b", "c"}),
            "arguments were not expected: b c | tool motion judge --help");
  EXPECT_EQ(Parse({"motion", "judge", "a", "--plot", "x"}),
            "an argument was not expected: --plot | tool motion judge --help");
}

TEST_F(NestedRefusalTest, AMisspeltCommandIsNamedAndNotWhatFollowsIt) {
  EXPECT_EQ(Parse({"motion", "jugde", "a"}),
            "motion has no command 'jugde'; did you mean judge? | "
            "tool motion --help");
  EXPECT_EQ(Parse({"motion", "ratee", "a"}),
            "motion has no command 'ratee'; did you mean rate? | "
            "tool motion --help");
  EXPECT_EQ(Parse({"motion", "a.csv", "b.csv"}),
            "an argument was not expected: b.csv | tool motion --help");
  EXPECT_EQ(Parse({"group", "frobnicate"}),
            "group has no command 'frobnicate'; known are list | "
            "tool group --help");
}

TEST_F(NestedRefusalTest, TheHelpIsThatOfTheCommandWithTheOption) {
  EXPECT_EQ(Parse({"motion", "judge", "a", "--times", "x"}),
            "--times: needs a number, not 'x' | tool --help");
  EXPECT_EQ(Parse({"motion", "judge"}),
            "FILE is required | tool motion judge --help");
  EXPECT_EQ(Parse({"group"}), "tool group --help");
}

TEST_F(NestedRefusalTest, HowManyValuesAreTakenIsToldInWords) {
  EXPECT_EQ(Parse({"--times", "1", "--times", "2"}),
            "--times: takes one value, not 2 | tool --help");
  EXPECT_EQ(Parse({"motion", "judge", "a", "--page"}),
            "--page: needs a value | tool motion judge --help");
  EXPECT_EQ(Parse({"--quiet=x"}),
            "--quiet: takes no value, not 'x' | tool --help");
}

}  // namespace
}  // namespace torqued::flags
