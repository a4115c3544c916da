#include "server/observability/logging.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace torqued::server {
namespace {

nlohmann::json ParseJson(const std::string& line) {
  return nlohmann::json::parse("{" + line + "}");
}

TEST(LoggingTest, TextQuotesWhatIsNoWord) {
  EXPECT_EQ(RenderLogLine(LogFormat::kText, LogLevel::kInfo, "call failed",
                          {{"model", "ur5e"},
                           {"detail", "no such \"joint\""},
                           {"empty", ""},
                           {"rows", std::int64_t{7}},
                           {"ms", 0.5}}),
            "info call failed model=ur5e detail=\"no such \\\"joint\\\"\" "
            "empty=\"\" rows=7 ms=0.5");
}

TEST(LoggingTest, NoValueCanForgeALine) {
  const std::string evil = "x\n2030-01-01 error stolen\r\x1b[2J";
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line =
        RenderLogLine(format, LogLevel::kWarn, evil, {{"model", evil}});
    for (const char c : line) EXPECT_GE(c, ' ');
  }
}

TEST(LoggingTest, JsonHoldsWhatWasLogged) {
  const auto line = ParseJson(RenderLogLine(
      LogFormat::kJson, LogLevel::kWarn, "a \"b\"",
      {{"path", "C:\\x\ty"}, {"count", std::int64_t{-3}}, {"ms", 1.25}}));
  EXPECT_EQ(line.at("level"), "warn");
  EXPECT_EQ(line.at("message"), "a \"b\"");
  EXPECT_EQ(line.at("path"), "C:\\x\ty");
  EXPECT_EQ(line.at("count"), -3);
  EXPECT_EQ(line.at("ms"), 1.25);
}

TEST(LoggingTest, BytesThatAreNoTextStayJson) {
  const auto line = ParseJson(RenderLogLine(LogFormat::kJson, LogLevel::kInfo,
                                            "\xFF", {{"model", "a\xC3"}}));
  EXPECT_EQ(line.at("model"), "a\xEF\xBF\xBD");
}

TEST(LoggingTest, LevelsBelowTheSetOneAreOff) {
  SetUpLogging(LogFormat::kText, LogLevel::kWarn);
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  EXPECT_TRUE(LogEnabled(LogLevel::kWarn));
  EXPECT_TRUE(LogEnabled(LogLevel::kError));
}

TEST(LoggingTest, LinesHaveATimeInUtc) {
  SetUpLogging(LogFormat::kJson, LogLevel::kInfo);
  ::testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "{not} a %format", {{"n", std::int64_t{1}}});
  const auto line =
      nlohmann::json::parse(::testing::internal::GetCapturedStderr());
  EXPECT_EQ(line.at("message"), "{not} a %format");
  const std::string time = line.at("time");
  EXPECT_EQ(time.size(), std::string("2024-01-01T00:00:00.000000Z").size());
  EXPECT_EQ(time.back(), 'Z');
}

}  // namespace
}  // namespace torqued::server
