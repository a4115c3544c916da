// Files made to break a loader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/formats/urdf.h"
#include "tests/core/formats/small_arm.h"

namespace torqued {
namespace {

using testing::HasSubstr;

// Seconds of CPU. Wide bounds: loaders that are quadratic take minutes, and the
// build may be a slow one.
constexpr double kQuickly = 5;
constexpr double kLinearly = 60;

constexpr UrdfLimits kNoLimits{.source_bytes = std::size_t{1} << 40,
                               .links = 1 << 30,
                               .joints = 1 << 30,
                               .nodes = std::size_t{1} << 40,
                               .attributes = 1000};

// The result, after what holds for whatever is loaded.
LoadResult LoadWithin(double seconds, const std::string& text,
                      const UrdfLimits& limits = {}, int max_dof = 1024) {
  const std::clock_t start = std::clock();
  LoadResult result = LoadUrdf(text, {.max_dof = max_dof}, limits);
  const auto ticks = static_cast<double>(std::clock() - start);
  EXPECT_LT(ticks / CLOCKS_PER_SEC, seconds) << text.substr(0, 60);
  EXPECT_EQ(result.model == nullptr, result.report.errors() > 0);
  for (const Finding& f : result.report.findings()) {
    EXPECT_EQ(FindInvalidUtf8(f.message + f.joint + f.link), std::string::npos);
    EXPECT_LT(f.message.size(), 2100u);
    EXPECT_LT(f.joint.size() + f.link.size(), 600u);
  }
  return result;
}

std::string Repeated(std::string_view text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

std::string InRobot(const std::string& body) {
  return "<robot name='r'>" + body + "</robot>";
}

// Links l0 .. ln, one behind the other.
std::string Chain(int n) {
  std::string text = "<link name='l0'/>\n";
  for (int i = 1; i <= n; ++i) {
    const std::string id = std::to_string(i);
    text +=
        Cat("<link name='l", id, "'><inertial><mass value='1'/>",
            "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>",
            "</inertial></link>\n<joint name='j", id, "' type='",
            i % 3 == 0 ? "fixed" : "continuous",
            "'><origin xyz='0 0 1e-3'/><parent link='l", std::to_string(i - 1),
            "'/><child link='l", id, "'/></joint>\n");
  }
  return InRobot(text);
}

// Links that go round.
std::string Circle(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    const std::string id = std::to_string(i);
    text += Cat("<link name='l", id, "'/><joint name='j", id,
                "' type='fixed'><parent link='l", std::to_string((i + 1) % n),
                "'/><child link='l", id, "'/></joint>");
  }
  return InRobot(text);
}

TEST(UrdfHostile, WhatIsTooMuchIsRefusedQuickly) {
  std::string attributes;
  for (int i = 0; i < 500'000; ++i) {
    attributes += Cat(" a", std::to_string(i), "=''");
  }
  using enum LintCode;
  const struct {
    std::string text;
    LintCode code;
    const char* message;
  } cases[] = {
      {Chain(250'000), kSourceTooLarge, "bytes"},
      {InRobot(Repeated("<a/>", 2'000'000)), kSourceTooLarge, "elements"},
      {"<robot" + attributes + "/>", kSourceTooLarge, "attributes"},
      {"<robot>" + Repeated("<a>", 200'000), kMalformedXml, "deep"},
      {"<robot>" + Repeated("<link>", 200'000), kMalformedXml, "deep"},
      {Circle(9000), kCycle, "8992 more"},
  };
  for (const auto& [text, code, message] : cases) {
    const LoadResult result = LoadWithin(kQuickly, text);
    ASSERT_EQ(result.report.errors(), 1) << message;
    EXPECT_EQ(result.report.findings()[0].code, code);
    EXPECT_THAT(result.report.findings()[0].message, HasSubstr(message));
  }
}

TEST(UrdfHostile, ChainOf100000LinksNeedsNoStack) {
  // Ten bytes a link, less than a call takes.
  rlimit stack;
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &stack), 0);
  const rlimit small{1 << 20, stack.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_STACK, &small), 0);
  const LoadResult result =
      LoadWithin(kLinearly / 2, Chain(100'000), kNoLimits, 100'000);
  setrlimit(RLIMIT_STACK, &stack);
  ASSERT_NE(result.model, nullptr);
  EXPECT_EQ(result.model->nv(), 100'000 - 100'000 / 3);
  EXPECT_EQ(*result.model->tip_frame(), 100'000);
}

TEST(UrdfHostile, ManyFindingsAreMadeInLinearTime) {
  for (const std::string& text :
       {InRobot(Repeated("<!x>", 400'000)),
        InRobot(Repeated("<transmission/>", 400'000)),
        InRobot("<link name='z'><inertial>" + Repeated("<a/>", 200'000) +
                Repeated("<mass/>", 200'000) + "</inertial></link>"),
        InRobot(Repeated("<joint/>", 9'999)),
        InRobot(Repeated("x<a/>", 200'000)),
        Repeated("<!x>\n", 400'000) + InRobot("")}) {
    LoadWithin(kLinearly, text);
  }
  const LintReport report =
      LoadWithin(kLinearly, InRobot(Repeated("<a/>", 1'000'000)), kNoLimits)
          .report;
  EXPECT_EQ(report.warnings(), 1'000'000);
  EXPECT_LE(report.findings().size(), 2u * LintReport::kMaxListed);
}

TEST(UrdfHostile, HugeNamesAndValuesStayOutOfTheReport) {
  const std::string huge(1'000'000, 'x');
  for (const auto& edit : Edits{{"small_arm", huge},
                                {"link name='tool", "link name='" + huge},
                                {"mass value='2", "mass value='" + huge},
                                {"<mass value='2'", "<" + huge},
                                {"type='fixed", "type='" + huge}}) {
    EXPECT_FALSE(LoadWithin(kLinearly, Edited({edit})).report.ok());
  }
}

TEST(UrdfHostile, EveryTruncationIsRefused) {
  // The last bytes are the line end after </robot>.
  for (std::size_t n = 0; n + 1 < kSmallArm.size(); ++n) {
    const std::string text(kSmallArm.substr(0, n));
    EXPECT_EQ(LoadWithin(kQuickly, text).model, nullptr) << n;
  }
  EXPECT_NE(LoadUrdf(kSmallArm.substr(0, kSmallArm.size() - 1)).model, nullptr);
}

}  // namespace
}  // namespace torqued
