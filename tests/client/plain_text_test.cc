#include "client/cli/terminal/plain_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "client/cli/formats/utf8.h"

namespace torqued::cli {
namespace {

using std::string_literals::operator""s;

TEST(PlainText, KeepsWhatIsPlain) {
  EXPECT_EQ(PlainText("elbow, gr\xC3\xBC\xC3\x9F"),
            "elbow, gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(PlainText("", 0), "");
}

TEST(PlainText, EscapesControlCharacters) {
  EXPECT_EQ(PlainText("a\0b\x1B[2J\r\n\x7F"s),
            "a\\u0000b\\u001b[2J\\u000d\\u000a\\u007f");
  EXPECT_EQ(PlainLines("a\tb\r\n"), "a\tb\\u000d\n");
}

TEST(PlainText, EscapesWhatTurnsTheDirectionOfWriting) {
  EXPECT_EQ(PlainText("a\u202Eb\u2066c\u200F\u061C"),
            "a\\u202eb\\u2066c\\u200f\\u061c");
  // Control characters of eight bits, in UTF-8 and alone.
  EXPECT_EQ(PlainText("\u009B1m\x9B"
                      "1m"),
            "\\u009b1m\\x9b1m");
  EXPECT_EQ(PlainText("cut \xE2\x80"), "cut \\xe2\\x80");
}

TEST(PlainText, EscapesWhatSteersAndNothingElse) {
  for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const bool steers = c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x61C ||
                        c == 0x200E || c == 0x200F ||
                        (c >= 0x2028 && c <= 0x202E) ||
                        (c >= 0x2066 && c <= 0x2069);
    std::string text;
    AppendUtf8(c, &text);
    std::array<char, 16> escape;
    std::snprintf(escape.data(), escape.size(), "\\u%04x", c);
    ASSERT_EQ(PlainText(text), steers ? escape.data() : text);
  }
}

TEST(PlainBuffer, PassesOnPlainTextHoweverItIsCut) {
  const std::string text = "gr\u00FC\u00DFe \u202E\U0001F916\x1B[2J\n\xE2\x80";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    std::ostringstream out;
    {
      PlainBuffer buffer(out.rdbuf());
      std::ostream plain(&buffer);
      for (std::size_t at = 0; at < text.size(); at += size) {
        plain << text.substr(at, size) << std::flush;
      }
      EXPECT_TRUE(plain);
    }
    EXPECT_EQ(out.str(),
              "gr\u00FC\u00DFe \\u202e\U0001F916\\u001b[2J\n\\xe2\\x80");
  }
}

TEST(PlainBuffer, TellsThatItsSinkFails) {
  std::ofstream full("/dev/full");
  PlainBuffer buffer(full.rdbuf());
  std::ostream plain(&buffer);
  plain << std::string(100'000, 'a') << std::flush;
  EXPECT_FALSE(plain);
}

TEST(PlainText, CutsBetweenCharacters) {
  EXPECT_EQ(PlainText("abcd", 4), "abcd");
  EXPECT_EQ(PlainText("abcde", 4), "abcd...");
  EXPECT_EQ(PlainText("abc\xC3\xBC", 4), "abc...");
  EXPECT_EQ(PlainText("\xC3\xBC", 1), "...");
}

TEST(PlainText, EscapesCountForItsLength) {
  EXPECT_EQ(PlainText("\0\0"s, 12), "\\u0000\\u0000");
  EXPECT_EQ(PlainText("\0\0"s, 11), "\\u0000...");
  EXPECT_EQ(PlainText(std::string(1000, '\x14'), 40).size(), 36 + 3);
}

}  // namespace
}  // namespace torqued::cli
