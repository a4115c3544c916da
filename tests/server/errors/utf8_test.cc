#include "server/errors/error.h"

#include <gtest/gtest.h>

#include <string>

namespace torqued::server {
namespace {

TEST(CleanTextTest, BytesThatAreNoTextAreReplacedOneByOne) {
  EXPECT_EQ(CleanText("a\xFF\xC3", 100), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("\xC0\xAF", 100), "\xEF\xBF\xBD\xEF\xBF\xBD")
      << "overlong";
  EXPECT_EQ(CleanText("\xE0\x80\x80", 100).size(), 9u) << "overlong";
  EXPECT_EQ(CleanText("\xF0\x80\x80\x80", 100).size(), 12u) << "overlong";
  EXPECT_EQ(CleanText("\xED\xA0\x80", 100),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")
      << "surrogate";
  EXPECT_EQ(CleanText("\xF4\x90\x80\x80", 100).size(), 12u)
      << "beyond U+10FFFF";
}

TEST(CleanTextTest, CutsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xE4\xB8\xAD";
  for (std::size_t limit = 3; limit < 40; ++limit) {
    const std::string cut = CleanText(text, limit);
    EXPECT_LE(cut.size(), limit);
    EXPECT_EQ(CleanText(cut, 1000), cut) << "still valid";
    EXPECT_TRUE(cut.ends_with("..."));
    EXPECT_EQ(cut.size() % 3, 0u);
  }
}

TEST(CleanTextTest, TheMarkFitsHoweverLongTheLastCharacterIs) {
  EXPECT_EQ(CleanText("abcdef", 6), "abcdef");
  EXPECT_EQ(CleanText("abcdefg", 6), "abc...");
  EXPECT_EQ(CleanText("abcde\xF0\x9F\xA6\xBE", 6), "abc...");
}

}  // namespace
}  // namespace torqued::server
