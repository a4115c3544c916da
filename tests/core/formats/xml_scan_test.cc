#include "core/formats/xml_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace torqued {
namespace {

using testing::HasSubstr;

constexpr XmlLimits kLimits{.source_bytes = 1000, .nodes = 20, .attributes = 4};

LintReport Scan(std::string_view source) {
  LintReport report;
  const bool passed = CheckXmlSource(source, kLimits, report);
  EXPECT_EQ(passed, report.ok());
  return report;
}

bool Passes(std::string_view source) { return Scan(source).findings().empty(); }

// The only finding.
Finding Only(std::string_view source) {
  const LintReport report = Scan(source);
  EXPECT_EQ(report.findings().size(), 1u) << source;
  return report.findings().empty() ? Finding{} : report.findings()[0];
}

std::string Repeated(std::string_view text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

TEST(XmlScan, OrdinaryMarkupPasses) {
  EXPECT_TRUE(Passes(""));
  EXPECT_TRUE(
      Passes("\xEF\xBB\xBF<?xml version='1.0'?><!-- & \n <b> -->\n"
             "<a x='1 > 0' y=\"it's\"><![CDATA[<&>]]>t</a>"));
  EXPECT_TRUE(Passes("<a x='&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;'/>"));
}

TEST(XmlScan, SourceAboveTheCapIsRefused) {
  EXPECT_TRUE(Passes(std::string(1000, ' ')));
  const Finding f = Only(std::string(1001, ' '));
  EXPECT_EQ(f.code, LintCode::kSourceTooLarge);
  EXPECT_EQ(f.severity, Severity::kError);
  EXPECT_THAT(f.message, HasSubstr("1001"));
}

TEST(XmlScan, NulByteIsRefusedWithItsLine) {
  using std::string_literals::operator""s;
  const Finding f = Only("<a>\n\n</a>\0<b/>"s);
  EXPECT_EQ(f.code, LintCode::kMalformedXml);
  EXPECT_EQ(f.line, 3);
}

TEST(XmlScan, OtherEncodingsAreRefusedWithTheirLine) {
  const Finding f = Only("<a>\n<b x='\xE9'/></a>");
  EXPECT_EQ(f.code, LintCode::kMalformedXml);
  EXPECT_EQ(f.line, 2);
  EXPECT_THAT(f.message, HasSubstr("\\xe9"));
  EXPECT_TRUE(Passes("<a x='\xC3\xA9'/>"));
}

TEST(XmlScan, NodesAreCapped) {
  EXPECT_TRUE(Passes(Repeated("<a/>", 20)));
  const Finding f = Only(Repeated("<a/>\n", 21));
  EXPECT_EQ(f.code, LintCode::kSourceTooLarge);
  EXPECT_EQ(f.line, 21);
  EXPECT_EQ(Only(Repeated("<!---->", 21)).code, LintCode::kSourceTooLarge);
}

TEST(XmlScan, AttributesOfAnElementAreCapped) {
  EXPECT_TRUE(Passes("<a b='' c='' d='' e=''/><a f=''/>"));
  const Finding f = Only("<b/>\n<a b='' c='' d='' e='' f=''/>");
  EXPECT_EQ(f.code, LintCode::kSourceTooLarge);
  EXPECT_EQ(f.line, 2);
}

TEST(XmlScan, DeclaredEntitiesAreRefused) {
  const Finding f = Only("\n<!DOCTYPE a [<!ENTITY x 'yy'>]><a>&x;</a>");
  EXPECT_EQ(f.code, LintCode::kMalformedXml);
  EXPECT_EQ(f.line, 2);
}

TEST(XmlScan, LoneDocumentTypeIsReportedAsIgnored) {
  const Finding f = Only("\n<!DOCTYPE robot>\n<robot/>");
  EXPECT_EQ(f.code, LintCode::kIgnoredElement);
  EXPECT_EQ(f.severity, Severity::kWarning);
  EXPECT_EQ(f.line, 2);
}

TEST(XmlScan, LinesOfSeveralFindingsAreRight) {
  const LintReport report = Scan("<!a>\n<!b>\n\n<!c>\n<d x='&e;'/>");
  ASSERT_EQ(report.findings().size(), 4u);
  EXPECT_EQ(report.findings()[0].line, 1);
  EXPECT_EQ(report.findings()[1].line, 2);
  EXPECT_EQ(report.findings()[2].line, 4);
  EXPECT_EQ(report.findings()[3].line, 5);
}

TEST(XmlScan, ReferencesToNothingAreRefused) {
  for (const char* reference :
       {"&foo;", "&", "& ", "&;", "&#;", "&#x;", "&#0;", "&#x00;", "&#xD800;",
        "&#x110000;", "&#99999999999999;", "&#65", "&amp", "&#-1;", "&#+65;",
        "&#6a;"}) {
    const std::string source =
        "<a>\n<b x='" + std::string(reference) + "'/></a>";
    const Finding f = Only(source);
    EXPECT_EQ(f.code, LintCode::kMalformedXml) << reference;
    EXPECT_EQ(f.line, 2) << reference;
  }
}

TEST(XmlScan, CutOffMarkupIsLeftToTheParser) {
  for (const char* source : {"<", "<a", "<a x", "<a x='", "<!--", "<![CDATA[",
                             "<?xml", "<!", "<!DOCTYPE", "<a x='1'", "</"}) {
    LintReport report;
    EXPECT_TRUE(CheckXmlSource(source, kLimits, report)) << source;
  }
}

}  // namespace
}  // namespace torqued
