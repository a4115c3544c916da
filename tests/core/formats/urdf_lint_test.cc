// Every finding, provoked in a robot that has none by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/formats/urdf.h"
#include "tests/core/formats/lint_cases.h"

namespace torqued {
namespace {

std::vector<LintCase> Cases() {
  std::vector<LintCase> cases = SourceCases();
  for (const LintCase& c : RobotCases()) cases.push_back(c);
  for (const LintCase& c : RemarkCases()) cases.push_back(c);
  return cases;
}

class UrdfLint : public testing::TestWithParam<LintCase> {};

TEST_P(UrdfLint, DefectIsFoundWithItsPlace) {
  const LintCase& c = GetParam();
  const std::string text = Edited(c.edits);
  const LoadResult result = LoadUrdf(text);
  const Finding* found = nullptr;
  std::string all;
  for (const Finding& f : result.report.findings()) {
    all += std::string(ToString(f.code)) + ": " + f.message + "\n";
    const bool fits = f.code == c.code && f.joint == c.spot.joint &&
                      f.link == c.spot.link &&
                      f.message.find(c.message) != std::string::npos;
    if (fits && found == nullptr) found = &f;
  }
  ASSERT_NE(found, nullptr) << "findings were:\n" << all;
  EXPECT_EQ(found->severity, DefaultSeverity(c.code));
  EXPECT_TRUE(found->message.ends_with('.') || found->message.ends_with('?'))
      << found->message;
  if (!c.spot.at.empty()) {
    EXPECT_EQ(found->line, LineOf(text, c.spot.at)) << all;
  }
  // One mistake is one finding.
  EXPECT_EQ(result.report.findings().size(), 1u + c.others) << all;
  EXPECT_EQ(result.model == nullptr, !result.report.ok());
  EXPECT_EQ(result.model == nullptr, c.code <= LintCode::kUnknownTip);
}

TEST_P(UrdfLint, TwinHasNoSuchFinding) {
  const LintCase& c = GetParam();
  const LoadResult result = LoadUrdf(Edited(c.twin));
  for (const Finding& f : result.report.findings()) {
    EXPECT_NE(f.code, c.code) << f.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, UrdfLint, testing::ValuesIn(Cases()),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST(UrdfLintTable, CoversEveryCode) {
  // These have tests of their own: limits and the default tip in
  // urdf_report_test.cc, poses and inertias that no URDF can
  // state in description_checks_test.cc and screw_axes_test.cc.
  std::set<LintCode> covered = {
      LintCode::kSourceTooLarge, LintCode::kTooManyLinks,
      LintCode::kTooManyJoints,  LintCode::kUnknownTip,
      LintCode::kInvalidPose,    LintCode::kInvalidInertia};
  for (const LintCase& c : Cases()) covered.insert(c.code);
  for (int i = 0; i < kLintCodeCount; ++i) {
    const auto code = static_cast<LintCode>(i);
    EXPECT_TRUE(covered.contains(code)) << ToString(code);
  }
}

}  // namespace
}  // namespace torqued
