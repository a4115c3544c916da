#include "core/base/text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace torqued {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

TEST(Utf8, WellFormedTextPasses) {
  // The first and last code point of each length.
  for (const char* text :
       {"", "\x01", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
        "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(FindInvalidUtf8(text), kNone) << text;
  }
}

TEST(Utf8, FirstBadByteIsFound) {
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF",    // stray, overlong
        "\xC2", "\xC2z", "\xE1\x80", "\xE1\x80z",  // cut off
        "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",        // overlong
        "\xED\xA0\x80", "\xED\xBF\xBF",            // surrogates
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(FindInvalidUtf8(bad), 0u);
    EXPECT_EQ(FindInvalidUtf8("a\xC3\xA9" + std::string(bad)), 3u);
  }
}

/// Of up to three bytes.
std::string Utf8(char32_t c) {
  std::string text;
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6);
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | c >> 12);
    text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  }
  return text;
}

TEST(Printable, WhatSteersIsFoundAndSpeltOutAndNothingElse) {
  // All of the code points of three bytes but the surrogates.
  for (char32_t c = 0; c <= 0xFFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const bool controls =
        c <= 0x1F || (c >= 0x7F && c <= 0x9F) || (c >= 0x202A && c <= 0x202E) ||
        (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
    const auto character = FindControlCharacter("\xC3\xA9" + Utf8(c) + "z");
    ASSERT_EQ(character.has_value(), controls) << CodePointText(c);
    if (controls) {
      EXPECT_EQ(character->offset, 2u);
      EXPECT_EQ(character->code_point, c);
    }
    const bool mark = c == 0x61C || c == 0x200E || c == 0x200F;
    char json[16], byte[16];
    std::snprintf(json, sizeof json, "\\u%04x", static_cast<unsigned>(c));
    std::snprintf(byte, sizeof byte, "\\x%02x", static_cast<unsigned>(c));
    const std::string shown = controls || mark ? json : Utf8(c);
    ASSERT_EQ(EscapedAsInJson("a" + Utf8(c) + "z"), Cat("a", shown, "z"));
    ASSERT_EQ(Printable("a" + Utf8(c) + "z", 80),
              Cat("a", controls && c < 0x80 ? byte : shown, "z"));
  }
  // Four bytes are none of them, nor what stands behind a byte that is none.
  EXPECT_FALSE(FindControlCharacter("\xF0\x90\x82\x80\xF4\x8F\xBF\xBF"));
  EXPECT_FALSE(FindControlCharacter("\xFF\x07"));
  EXPECT_EQ(EscapedAsInJson("\xF0\x9F\xA4\x96"), "\xF0\x9F\xA4\x96");
  EXPECT_EQ(Printable("\xFF", 80), "\\xff");
}

TEST(Printable, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(Printable("12345", 5), "12345");
  EXPECT_EQ(Printable("123456", 5), "12345...");
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xC3\xA9";
  for (std::size_t n = 0; n < 20; ++n) {
    const std::string cut = Printable(accents, n);
    EXPECT_EQ(FindInvalidUtf8(cut), kNone);
    EXPECT_LE(cut.size(), n + 5);
  }
}

TEST(NumberText, ReadsBackAsTheSameNumber) {
  for (const double x : {0.1, 1.0 / 3, 1e-300, -2.5, 1e22, 5e-324}) {
    EXPECT_EQ(std::strtod(NumberText(x).c_str(), nullptr), x);
  }
  EXPECT_EQ(NumberText(-0.5), "-0.5");
  EXPECT_EQ(NumberText(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(RoundedText(1.0 / 3), "0.333333");
}

}  // namespace
}  // namespace torqued
