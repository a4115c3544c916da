#include "server/registry/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/registry/registry_error.h"

namespace torqued::server {
namespace {

using testing::HasSubstr;

std::string Problem(std::string_view text) {
  const auto parsed = Answer([&] { return ParseModelReference(text); });
  const auto* error = std::get_if<RegistryError>(&parsed);
  return error != nullptr ? error->message : "";
}

void ExpectParts(std::string_view text, std::string_view name,
                 std::string_view prefix, std::string_view label) {
  const ModelReference parsed = ParseModelReference(text);
  EXPECT_EQ(parsed.name, name);
  EXPECT_EQ(parsed.prefix, prefix);
  EXPECT_EQ(parsed.label, label);
}

TEST(Reference, FourKinds) {
  ExpectParts("ur5e", "ur5e", "", "");
  ExpectParts("ur5e@0123abcd", "ur5e", "0123abcd", "");
  ExpectParts("ur5e@calibrated", "ur5e", "", "calibrated");
  ExpectParts("@0123abcd", "", "0123abcd", "");
}

TEST(Reference, EightHexDigitsMakeAPrefixAndSevenALabel) {
  ExpectParts("m@abcdef01", "m", "abcdef01", "");
  ExpectParts("m@abcdef0", "m", "", "abcdef0");
  ExpectParts("m@abcdefg0", "m", "", "abcdefg0");
}

TEST(Reference, UpperCaseDigitsAreLowered) {
  EXPECT_EQ(ParseModelReference("m@ABCDEF01").prefix, "abcdef01");
  // Names are what they are.
  EXPECT_EQ(ParseModelReference("ABCDEF01").name, "ABCDEF01");
}

TEST(Reference, WholeRevisionFitsAndNoMore) {
  EXPECT_EQ(ParseModelReference('@' + std::string(64, 'a')).prefix.size(), 64u);
  EXPECT_THAT(Problem('@' + std::string(65, 'a')), HasSubstr("64 hex digits"));
  EXPECT_THAT(Problem("m@" + std::string(65, 'a')), HasSubstr("64 hex digits"));
}

TEST(Reference, WhatIsNoneIsRefusedWithASentence) {
  for (const std::string& text :
       {std::string(""), std::string("@"), std::string("m@"),
        std::string("@abc"), std::string("@label"), std::string("a b"),
        std::string("a/b"), std::string("m@a@b"), std::string("m@a b"),
        std::string("m\0x", 3), std::string("caf\xc3\xa9"),
        std::string(129, 'n'), "m@" + std::string(129, 'n')}) {
    EXPECT_GT(Problem(text).size(), 20u) << text;
  }
}

TEST(Reference, ProblemsAreShortAndPrintable) {
  const std::string problem = Problem(std::string(1 << 20, '\x01'));
  EXPECT_LT(problem.size(), 1000u);
  EXPECT_EQ(problem.find('\x01'), std::string::npos);
}

TEST(Names, Rules) {
  EXPECT_TRUE(IsValidModelName("A-z_0.9"));
  EXPECT_TRUE(IsValidModelName(std::string(128, 'n')));
  EXPECT_TRUE(IsValidModelName("deadbeef"));
  EXPECT_FALSE(IsValidModelName(""));
  EXPECT_FALSE(IsValidModelName(std::string(129, 'n')));
  EXPECT_FALSE(IsValidModelName("a@b"));
  EXPECT_FALSE(IsValidModelName("\xc3\xa9"));

  for (const char* folder : {".", ".."}) {
    EXPECT_TRUE(IsValidModelName(folder));
    EXPECT_EQ(Problem(folder), "");
  }

  EXPECT_TRUE(IsValidLabel("v1.2"));
  EXPECT_TRUE(IsValidLabel("deadbee"));
  EXPECT_FALSE(IsValidLabel("deadbeef"));
  EXPECT_FALSE(IsValidLabel("DEADBEEF"));
  EXPECT_FALSE(IsValidLabel("12345678"));
}

}  // namespace
}  // namespace torqued::server
