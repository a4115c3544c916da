#include "core/formats/element_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace torqued {
namespace {

using enum LintCode;
using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr UrdfLimits kLimits{
    .source_bytes = 1000, .nodes = 20, .attributes = 4};

LintReport Scan(std::string_view source) {
  LintReport report;
  EXPECT_EQ(CheckXmlSource(source, kLimits, report), report.ok());
  return report;
}

std::string Repeated(std::string_view text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

TEST(XmlScan, OrdinaryMarkupAndWhatIsJustWithinTheLimitsPasses) {
  for (const std::string& source :
       {""s,
        "\xEF\xBB\xBF<?xml version='1.0'?><!-- & \n <b> -->\n"
        "<a x='1 > 0' y=\"it's\"><![CDATA[<&>]]>t</a>"s,
        "<a x='&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;'/>"s, "<a x='\u00E9'/>"s,
        std::string(1000, ' '), Repeated("<a/>", 20),
        "<a b='' c='' d='' e=''/><a f=''/>"s,
        // What is cut off is left to the parser.
        "<"s, "<a"s, "<a x='"s, "<a x='1'"s, "<!--"s, "<![CDATA["s, "<?xml"s,
        "</"s}) {
    const LintReport report = Scan(source);
    EXPECT_TRUE(report.findings().empty()) << source;
  }
}

TEST(XmlScan, WhatIsRefusedOrIgnoredIsOneFindingWithItsLine) {
  const struct {
    std::string source;
    LintCode code;
    int line;
    const char* message;
  } cases[] = {
      {std::string(1001, ' '), kSourceTooLarge, 0, "1001"},
      {"<a>\n\n</a>\0<b/>"s, kMalformedXml, 3, "NUL"},
      {"<a>\n<b x='\xE9'/></a>", kMalformedXml, 2, "\\xe9"},
      {Repeated("<a/>\n", 21), kSourceTooLarge, 21, "20 elements"},
      {Repeated("<!---->", 21), kSourceTooLarge, 1, "20 elements"},
      {"<b/>\n<a b='' c='' d='' e='' f=''/>", kSourceTooLarge, 2,
       "4 attributes"},
      {"\n<!DOCTYPE a [<!ENTITY x 'yy'>]><a>&x;</a>", kMalformedXml, 2, ""},
      {"\n<!DOCTYPE robot>\n<robot/>", kIgnoredElement, 2, "DOCTYPE"},
  };
  for (const auto& [source, code, line, message] : cases) {
    const LintReport report = Scan(source);
    ASSERT_EQ(report.findings().size(), 1u) << source;
    const Finding& finding = report.findings()[0];
    EXPECT_EQ(finding.code, code) << source;
    EXPECT_EQ(finding.line, line) << source;
    EXPECT_THAT(finding.message, HasSubstr(message));
  }
}

TEST(XmlScan, LinesOfSeveralFindingsAreRight) {
  const LintReport report = Scan("<!a>\n<!b>\n\n<!c>\n<d x='&e;'/>");
  std::vector<int> lines;
  for (const Finding& f : report.findings()) lines.push_back(f.line);
  EXPECT_THAT(lines, ElementsAre(1, 2, 4, 5));
}

TEST(XmlScan, ReferencesToNothingAreRefused) {
  for (const char* reference :
       {"&foo;", "&", "& ", "&;", "&#;", "&#x;", "&#0;", "&#x00;", "&#xD800;",
        "&#x110000;", "&#99999999999999;", "&#65", "&amp", "&#-1;", "&#+65;",
        "&#6a;"}) {
    const LintReport report = Scan("<a>\n<b x='"s + reference + "'/></a>");
    ASSERT_EQ(report.findings().size(), 1u) << reference;
    EXPECT_EQ(report.findings()[0].code, kMalformedXml) << reference;
    EXPECT_EQ(report.findings()[0].line, 2) << reference;
  }
}

}  // namespace
}  // namespace torqued
