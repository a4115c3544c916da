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
  for (const char* name : {"xml", "2", "Table"}) {
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

}  // namespace
}  // namespace torqued::flags
