// Files made to break a loader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <random>
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

class Stopwatch {
 public:
  double elapsed() const {
    return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t start_ = std::clock();
};

std::string Repeated(std::string_view text, int n) {
  std::string out;
  out.reserve(text.size() * n);
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

std::string Named(std::string_view kind, int i) {
  return std::string(kind) + std::to_string(i);
}

// Links l0 .. ln, one behind the other.
std::string Chain(int n) {
  std::string text = "<robot name='chain'><link name='l0'/>\n";
  for (int i = 1; i <= n; ++i) {
    text += "<link name='" + Named("l", i) +
            "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
            "iyy='1' iyz='0' izz='1'/></inertial></link>\n<joint name='" +
            Named("j", i) + "' type='" + (i % 3 == 0 ? "fixed" : "continuous") +
            "'><origin xyz='0 0 1e-3'/><parent link='" + Named("l", i - 1) +
            "'/><child link='" + Named("l", i) + "'/></joint>\n";
  }
  return text + "</robot>";
}

std::string InRobot(std::string_view body) {
  return "<robot name='r'>" + std::string(body) + "</robot>";
}

constexpr UrdfLimits kNoLimits{.source_bytes = std::size_t{1} << 40,
                               .links = 1 << 30,
                               .joints = 1 << 30,
                               .nodes = std::size_t{1} << 40,
                               .attributes = 1000};

// Holds for whatever is loaded.
void ExpectConsistent(const LoadResult& result) {
  EXPECT_EQ(result.model == nullptr, result.report.errors() > 0);
  int errors = 0;
  for (const Finding& f : result.report.findings()) {
    errors += f.severity == Severity::kError ? 1 : 0;
    EXPECT_EQ(FindInvalidUtf8(f.message + f.joint + f.link), std::string::npos);
    EXPECT_LT(f.message.size(), 2100u);
    EXPECT_LT(f.joint.size() + f.link.size(), 600u);
    EXPECT_GE(f.line, 0);
  }
  EXPECT_EQ(errors, std::min(result.report.errors(), LintReport::kMaxListed));
}

TEST(UrdfHostile, ChainOf250000LinksIsRefusedQuickly) {
  const std::string text = Chain(250'000);
  const Stopwatch watch;
  const LoadResult result = LoadUrdf(text);
  EXPECT_LT(watch.elapsed(), kQuickly);
  ASSERT_EQ(result.report.errors(), 1);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kSourceTooLarge);
  EXPECT_EQ(result.model, nullptr);
}

TEST(UrdfHostile, ChainOf100000LinksNeedsNoStack) {
  // Ten bytes a link, less than a call takes.
  rlimit stack;
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &stack), 0);
  const rlimit small{1 << 20, stack.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_STACK, &small), 0);
  const std::string text = Chain(100'000);
  const Stopwatch watch;
  const LoadResult result = LoadUrdf(text, {.max_dof = 100'000}, kNoLimits);
  EXPECT_LT(watch.elapsed(), kLinearly / 2);
  setrlimit(RLIMIT_STACK, &stack);
  EXPECT_TRUE(result.report.ok());
  ASSERT_NE(result.model, nullptr);
  EXPECT_EQ(result.model->nv(), 100'000 - 100'000 / 3);
  EXPECT_EQ(*result.model->tip_frame(), 100'000);
}

TEST(UrdfHostile, CycleOfThousandsOfLinksIsOneFinding) {
  std::string body;
  constexpr int kN = 9000;
  for (int i = 0; i < kN; ++i) {
    body += "<link name='" + Named("l", i) + "'/><joint name='" +
            Named("j", i) + "' type='fixed'><parent link='" +
            Named("l", (i + 1) % kN) + "'/><child link='" + Named("l", i) +
            "'/></joint>";
  }
  const Stopwatch watch;
  const LoadResult result = LoadUrdf(InRobot(body));
  EXPECT_LT(watch.elapsed(), kQuickly);
  ASSERT_EQ(result.report.errors(), 1);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kCycle);
  EXPECT_THAT(result.report.findings()[0].message, HasSubstr("8992 more"));
}

TEST(UrdfHostile, DeepNestingIsRefused) {
  for (const std::string_view tag : {"<a>", "<link>", "<inertial>"}) {
    const LoadResult result =
        LoadUrdf("<robot name='r'>" + Repeated(tag, 200'000));
    ASSERT_EQ(result.report.errors(), 1);
    EXPECT_EQ(result.report.findings()[0].code, LintCode::kMalformedXml);
    EXPECT_THAT(result.report.findings()[0].message, HasSubstr("deep"));
  }
}

TEST(UrdfHostile, MillionsOfElementsAreRefusedBeforeParsing) {
  const Stopwatch watch;
  const LoadResult result = LoadUrdf(InRobot(Repeated("<a/>", 2'000'000)));
  EXPECT_LT(watch.elapsed(), kQuickly);
  ASSERT_EQ(result.report.errors(), 1);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kSourceTooLarge);
}

TEST(UrdfHostile, BadElementsAreCountedButNotAllListed) {
  const Stopwatch watch;
  const LoadResult result =
      LoadUrdf(InRobot(Repeated("<a/>", 1'000'000)), {}, kNoLimits);
  EXPECT_LT(watch.elapsed(), kLinearly);
  EXPECT_EQ(result.report.warnings(), 1'000'000);
  EXPECT_LE(result.report.findings().size(), 2u * LintReport::kMaxListed);
  ExpectConsistent(result);
}

TEST(UrdfHostile, AttributesWithoutEndAreRefused) {
  std::string text = "<robot name='r'";
  for (int i = 0; i < 500'000; ++i) text += " " + Named("a", i) + "=''";
  const Stopwatch watch;
  const LoadResult result = LoadUrdf(text + "/>");
  EXPECT_LT(watch.elapsed(), kQuickly);
  ASSERT_EQ(result.report.errors(), 1);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kSourceTooLarge);
}

TEST(UrdfHostile, ManyFindingsAreMadeInLinearTime) {
  const std::string bodies[] = {
      Repeated("<!x>", 400'000),
      Repeated("<transmission/>", 400'000),
      "<link name='z'><inertial>" + Repeated("<a/>", 200'000) +
          Repeated("<mass/>", 200'000) + "</inertial></link>",
      Repeated("<joint/>", 9'999),
      Repeated("x<a/>", 200'000),
  };
  for (const std::string& body : bodies) {
    const Stopwatch watch;
    const LoadResult result = LoadUrdf(InRobot(body));
    EXPECT_LT(watch.elapsed(), kLinearly) << body.substr(0, 40);
    ExpectConsistent(result);
  }
  const Stopwatch watch;
  ExpectConsistent(LoadUrdf(Repeated("<!x>\n", 400'000) + InRobot("")));
  EXPECT_LT(watch.elapsed(), kLinearly);
}

TEST(UrdfHostile, HugeNamesAndValuesStayOutOfTheReport) {
  const std::string huge(1'000'000, 'x');
  for (const std::string& text :
       {Replaced(std::string(kSmallArm), "small_arm", huge),
        Replaced(std::string(kSmallArm), R"(<link name="tool"/>)",
                 "<link name='" + huge + "'/>"),
        Replaced(std::string(kSmallArm), R"(value="2")",
                 "value='" + huge + "'"),
        Replaced(std::string(kSmallArm), R"(<mass value="2"/>)",
                 "<" + huge + "/>"),
        Replaced(std::string(kSmallArm), R"(type="fixed")",
                 "type='" + huge + "'")}) {
    const LoadResult result = LoadUrdf(text);
    EXPECT_FALSE(result.report.ok());
    ExpectConsistent(result);
  }
}

TEST(UrdfHostile, NamesOf256BytesAreTheLongest) {
  const auto load = [](std::size_t n) {
    return LoadUrdf(
        Replaced(std::string(kSmallArm), "small_arm", std::string(n, 'x')));
  };
  EXPECT_NE(load(256).model, nullptr);
  const LoadResult result = load(257);
  EXPECT_EQ(result.model, nullptr);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kInvalidName);
}

// The characters, not their escapes, in names of all kinds.
TEST(UrdfHostile, NamesThatSteerATerminalAreRefusedWithTheirPlace) {
  for (const auto& [character, code_point] :
       {std::pair("\xC2\x9B", "U+009B"), std::pair("\xE2\x80\xAE", "U+202E"),
        std::pair("\xE2\x80\xA8", "U+2028"),
        std::pair("\xE2\x81\xA9", "U+2069")}) {
    const std::string name = std::string("to") + character + "ol";
    const std::string link =
        Replaced(Replaced(std::string(kSmallArm), R"(<link name="tool")",
                          "<link name=\"" + name + "\""),
                 R"(<child link="tool")", "<child link=\"" + name + "\"");
    const std::string joint = Replaced(
        std::string(kSmallArm), R"(name="flange")", "name=\"" + name + "\"");
    const std::string robot =
        Replaced(std::string(kSmallArm), "small_arm", name);
    for (const std::string& text : {link, joint, robot}) {
      const LoadResult result = LoadUrdf(text);
      EXPECT_EQ(result.model, nullptr);
      ASSERT_FALSE(result.report.findings().empty());
      const Finding& finding = result.report.findings()[0];
      EXPECT_EQ(finding.code, LintCode::kInvalidName);
      EXPECT_GT(finding.line, 0);
      EXPECT_NE(finding.message.find(std::string(code_point) + " at byte 2"),
                std::string::npos)
          << finding.message;
    }
  }
  // Twin: other letters of these lengths are names.
  EXPECT_NE(LoadUrdf(Replaced(std::string(kSmallArm), "small_arm",
                              "\xC2\xA0\xE2\x80\xA7\xE2\x81\xAA"))
                .model,
            nullptr);
}

TEST(UrdfHostile, EveryTruncationIsRefused) {
  // The last bytes are the line end after </robot>.
  for (std::size_t n = 0; n + 1 < kSmallArm.size(); ++n) {
    const LoadResult result = LoadUrdf(kSmallArm.substr(0, n));
    EXPECT_EQ(result.model, nullptr) << n;
    ExpectConsistent(result);
  }
  EXPECT_NE(LoadUrdf(kSmallArm.substr(0, kSmallArm.size() - 1)).model, nullptr);
}

TEST(UrdfHostile, ChangedBytesNeverBreakTheLoader) {
  std::mt19937 random(20240607);
  const auto pick = [&](std::size_t n) { return random() % n; };
  static constexpr std::string_view kPieces[] = {
      "<",   ">",    "/>",    "\"",        "'",    "&",     "]]>",     "<!--",
      "-->", "<?",   "\n",    "inf",       "-1",   "1e308", "1e-320",  "0",
      "=",   "link", "joint", "<![CDATA[", "\x01", "\xFF",  "</link>", "&#10;"};
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text(kSmallArm);
    for (std::size_t edits = 1 + pick(3); edits > 0; --edits) {
      const std::size_t at = pick(text.size());
      switch (pick(4)) {
        case 0:
          text[at] = static_cast<char>(pick(256));
          break;
        case 1:
          text.erase(at, 1 + pick(20));
          break;
        case 2:
          text.insert(at, kPieces[pick(std::size(kPieces))]);
          break;
        default:
          text.replace(at, pick(4), kPieces[pick(std::size(kPieces))]);
          break;
      }
      if (text.empty()) break;
    }
    const LoadResult result = LoadUrdf(text);
    ExpectConsistent(result);
    accepted += result.model != nullptr ? 1 : 0;
  }
  // Changes in comments, geometry and digits leave a robot; most others not.
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 2500);
}

}  // namespace
}  // namespace torqued
