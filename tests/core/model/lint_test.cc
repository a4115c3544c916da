#include "core/model/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace torqued {
namespace {

using testing::HasSubstr;

Finding Make(Severity severity, int line, std::string message = "m") {
  return {.severity = severity,
          .code = LintCode::kInvalidName,
          .line = line,
          .message = std::move(message)};
}

TEST(LintCode, IdentifiersAreKebabCaseAndUnique) {
  std::set<std::string_view> seen;
  for (int i = 0; i < kLintCodeCount; ++i) {
    const std::string_view name = ToString(static_cast<LintCode>(i));
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_NE(name, "unknown") << i;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos)
        << name;
  }
  EXPECT_EQ(ToString(LintCode::kMasslessJoint), "massless-joint");
}

TEST(LintCode, SeveritiesFollowTheirGroups) {
  EXPECT_EQ(DefaultSeverity(LintCode::kMalformedXml), Severity::kError);
  EXPECT_EQ(DefaultSeverity(LintCode::kUnknownTip), Severity::kError);
  EXPECT_EQ(DefaultSeverity(LintCode::kTriangleInequality), Severity::kWarning);
  EXPECT_EQ(DefaultSeverity(LintCode::kIllConditionedMass), Severity::kWarning);
  EXPECT_EQ(DefaultSeverity(LintCode::kMimicIndependent), Severity::kInfo);
  EXPECT_EQ(DefaultSeverity(LintCode::kTransmissionRead), Severity::kInfo);
}

// Rows of the tables in docs/lint.md: | `code` | severity | meaning | advice |
std::map<std::string, std::string> DocumentedSeverities() {
  std::ifstream file(TORQUED_SOURCE_DIR "/docs/lint.md");
  EXPECT_TRUE(file.is_open());
  std::map<std::string, std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cells(line.substr(1));
    std::string code, severity, meaning, advice;
    std::getline(cells, code, '|');
    std::getline(cells, severity, '|');
    std::getline(cells, meaning, '|');
    std::getline(cells, advice, '|');
    EXPECT_GT(meaning.size(), 10u) << line;
    EXPECT_GT(advice.size(), 5u) << line;
    code = code.substr(2, code.size() - 4);
    EXPECT_TRUE(rows.emplace(code, severity).second) << "twice: " << code;
  }
  return rows;
}

TEST(LintDocs, ExplainEveryCodeWithItsSeverity) {
  const auto rows = DocumentedSeverities();
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(kLintCodeCount));
  for (int i = 0; i < kLintCodeCount; ++i) {
    const auto code = static_cast<LintCode>(i);
    const auto row = rows.find(std::string(ToString(code)));
    ASSERT_NE(row, rows.end()) << ToString(code);
    EXPECT_THAT(row->second,
                HasSubstr(std::string(ToString(DefaultSeverity(code)))))
        << ToString(code);
  }
}

TEST(LintReport, CountsBySeverity) {
  LintReport report;
  EXPECT_TRUE(report.ok());
  report.Add(Make(Severity::kInfo, 1));
  report.Add(Make(Severity::kWarning, 1));
  report.Add(Make(Severity::kWarning, 1));
  EXPECT_TRUE(report.ok());
  report.Add(LintCode::kZeroAxis, {.joint = "j", .line = 7}, "message");
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.errors(), 1);
  EXPECT_EQ(report.warnings(), 2);
  EXPECT_EQ(report.infos(), 1);
  const Finding& last = report.findings().back();
  EXPECT_EQ(last.severity, Severity::kError);
  EXPECT_EQ(last.code, LintCode::kZeroAxis);
  EXPECT_EQ(last.joint, "j");
  EXPECT_EQ(last.link, "");
  EXPECT_EQ(last.line, 7);
}

TEST(LintReport, SortsErrorsFirstThenByLine) {
  LintReport report;
  report.Add(Make(Severity::kInfo, 1, "a"));
  report.Add(Make(Severity::kError, 0, "b"));
  report.Add(Make(Severity::kWarning, 5, "c"));
  report.Add(Make(Severity::kError, 9, "d"));
  report.Add(Make(Severity::kError, 2, "e"));
  report.Add(Make(Severity::kError, 9, "f"));
  report.Sort();
  std::string order;
  for (const Finding& f : report.findings()) order += f.message;
  EXPECT_EQ(order, "edfbca");
}

TEST(LintReport, ListsTheFirstThousandOfEachSeverity) {
  LintReport report;
  for (int i = 0; i < 2500; ++i) {
    EXPECT_EQ(report.Full(Severity::kWarning), i >= LintReport::kMaxListed);
    report.Add(Make(Severity::kWarning, i));
  }
  report.Add(Make(Severity::kError, 1));
  EXPECT_EQ(report.warnings(), 2500);
  EXPECT_EQ(report.errors(), 1);
  ASSERT_EQ(report.findings().size(), 1001u);
  EXPECT_EQ(report.findings()[999].line, 999);
}

TEST(LintReport, OneKindIsListedOnceAndCounted) {
  LintReport report;
  int made = 0;
  const auto add = [&](Severity severity, LintCode code, std::string_view kind,
                       int line) {
    report.AddKind(severity, code, {.joint = "j", .line = line}, kind, [&made] {
      ++made;
      return std::string("m");
    });
  };
  for (int line = 1; line <= 20; ++line) {
    add(Severity::kWarning, LintCode::kIgnoredElement, "a", line);
  }
  add(Severity::kWarning, LintCode::kIgnoredElement, "b", 21);
  add(Severity::kWarning, LintCode::kIgnoredAttribute, "a", 22);
  add(Severity::kInfo, LintCode::kIgnoredElement, "a", 23);
  EXPECT_EQ(made, 4);
  ASSERT_EQ(report.findings().size(), 4u);
  EXPECT_EQ(report.warnings(), 22);
  EXPECT_EQ(report.infos(), 1);
  const Finding& first = report.findings()[0];
  EXPECT_EQ(first.line, 1);
  EXPECT_EQ(first.count, 20);
  ASSERT_EQ(first.more_places.size(), 9u);
  EXPECT_EQ(first.more_places[0], (FoundPlace{.joint = "j", .line = 2}));
  // Errors come one by one.
  add(Severity::kError, LintCode::kNegativeInertia, "a", 1);
  add(Severity::kError, LintCode::kNegativeInertia, "a", 2);
  EXPECT_EQ(report.errors(), 2);
  EXPECT_EQ(report.findings().size(), 6u);
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

TEST(LintReport, TextIsPrintableAndBounded) {
  LintReport report;
  const std::string wild = "\xFF\n" + std::string(100'000, 'x');
  report.Add(Finding{.joint = wild, .link = wild, .message = wild});
  report.Add(LintCode::kInvalidName, {.joint = wild, .link = wild}, wild);
  for (const Finding& f : report.findings()) {
    EXPECT_TRUE(f.message.starts_with("\\xff\\x0axxx"));
    EXPECT_LT(f.message.size(), 2100u);
    EXPECT_LT(f.joint.size(), 300u);
    EXPECT_LT(f.link.size(), 300u);
  }
}

}  // namespace
}  // namespace torqued
