#include "core/model/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace torqued {
namespace {

using testing::HasSubstr;

void Add(LintReport& report, Severity severity, int line,
         const std::string& message) {
  report.AddKind(severity, LintCode::kInvalidName, {.line = line}, message,
                 [&] { return message; });
}

TEST(LintDocs, ExplainEveryCodeWithItsSeverity) {
  // | `code` | severity | meaning | advice |
  const std::regex row(
      R"re(\| `([a-z0-9-]+)` \|([^|]+)\|([^|]{11,})\|([^|]{6,})(\|.*)?)re");
  std::map<std::string, std::string> severities;
  std::ifstream file(TORQUED_SOURCE_DIR "/docs/robots.md");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::smatch cells;
    ASSERT_TRUE(std::regex_match(line, cells, row)) << line;
    EXPECT_TRUE(severities.emplace(cells[1], cells[2]).second) << line;
  }
  for (int i = 0; i < kLintCodeCount; ++i) {
    const auto code = static_cast<LintCode>(i);
    const auto documented = severities.extract(std::string(ToString(code)));
    ASSERT_TRUE(documented) << ToString(code) << " is missing, or of two codes";
    EXPECT_THAT(documented.mapped(),
                HasSubstr(std::string(ToString(DefaultSeverity(code)))))
        << documented.key();
  }
  EXPECT_THAT(severities, testing::IsEmpty());
}

TEST(LintReport, SortsErrorsFirstThenByLine) {
  LintReport report;
  Add(report, Severity::kInfo, 1, "a");
  Add(report, Severity::kError, 0, "b");
  Add(report, Severity::kWarning, 5, "c");
  Add(report, Severity::kError, 9, "d");
  Add(report, Severity::kError, 2, "e");
  Add(report, Severity::kError, 9, "f");
  report.Sort();
  std::string order;
  for (const Finding& f : report.findings()) order += f.message;
  EXPECT_EQ(order, "edfbca");
}

TEST(LintReport, ListsTheFirstThousandOfEachSeverity) {
  LintReport report;
  for (int i = 0; i < 2500; ++i) {
    Add(report, Severity::kWarning, i, std::to_string(i));
  }
  Add(report, Severity::kError, 1, "m");
  EXPECT_EQ(report.warnings(), 2500);
  EXPECT_EQ(report.errors(), 1);
  ASSERT_EQ(report.findings().size(), 1001u);
  EXPECT_EQ(report.findings()[999].line, 999);
}

// tests/core/formats has the places, and errors, which come one by one.
TEST(LintReport, OneKindIsListedOnceAndItsMessageMadeOnce) {
  LintReport report;
  int made = 0;
  const auto add = [&](Severity severity, LintCode code,
                       std::string_view kind) {
    report.AddKind(severity, code, {}, kind, [&made] {
      ++made;
      return std::string("m");
    });
  };
  for (int k = 0; k < 20; ++k) {
    add(Severity::kWarning, LintCode::kIgnoredElement, "a");
  }
  add(Severity::kWarning, LintCode::kIgnoredElement, "b");
  add(Severity::kWarning, LintCode::kIgnoredAttribute, "a");
  add(Severity::kInfo, LintCode::kIgnoredElement, "a");
  EXPECT_EQ(made, 4);
  ASSERT_EQ(report.findings().size(), 4u);
  EXPECT_EQ(report.findings()[0].count, 20);
  EXPECT_EQ(report.warnings(), 22);
}

TEST(LintReport, PlacesAreBoundedInAll) {
  LintReport report;
  for (int kind = 0; kind < LintReport::kMaxListed; ++kind) {
    for (int line = 0; line < 5; ++line) {
      report.AddKind(Severity::kInfo, LintCode::kFixedMass, {.line = line},
                     std::to_string(kind), [] { return "m"; });
    }
  }
  EXPECT_EQ(report.infos(), 5 * LintReport::kMaxListed);
  std::size_t places = 0;
  for (const Finding& f : report.findings()) places += f.more_places.size();
  EXPECT_EQ(places, 200u * 4);
}

}  // namespace
}  // namespace torqued
