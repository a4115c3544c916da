#include "client/cli/terminal/plain_text.h"

#include <gtest/gtest.h>

namespace torqued::cli {
namespace {

using std::string_literals::operator""s;

TEST(PlainText, KeepsWhatIsPlain) {
  EXPECT_EQ(PlainText("elbow, gr\xC3\xBC\xC3\x9F"),
            "elbow, gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(PlainText("", 0), "");
}

TEST(PlainText, TakesControlCharactersOut) {
  EXPECT_EQ(PlainText("a\0b\x1B[2J\r\n\x7F"s), "a?b?[2J???");
}

TEST(PlainText, CutsBetweenCharacters) {
  EXPECT_EQ(PlainText("abcd", 4), "abcd");
  EXPECT_EQ(PlainText("abcde", 4), "abcd...");
  EXPECT_EQ(PlainText("abc\xC3\xBC", 4), "abc...");
  EXPECT_EQ(PlainText("\xC3\xBC", 1), "...");
}

}  // namespace
}  // namespace torqued::cli
