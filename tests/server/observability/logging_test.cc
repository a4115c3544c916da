#include "server/observability/logging.h"

#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace torqued::server {
namespace {

nlohmann::json ParseJson(const std::string& line) {
  return nlohmann::json::parse("{" + line + "}");
}

TEST(LoggingTest, TextQuotesWhatIsNoWordAndLeavesOutEmptyFields) {
  EXPECT_EQ(RenderLogLine(LogFormat::kText, LogLevel::kInfo, "call failed",
                          {{"model", "ur5e"},
                           {"detail", "no such \"joint\""},
                           {"empty", ""},
                           {"rows", std::int64_t{7}},
                           {"ms", 0.5}}),
            "info call failed model=ur5e detail=\"no such \\\"joint\\\"\" "
            "rows=7 ms=0.5");
}

TEST(LoggingTest, NoValueCanForgeALine) {
  const std::string evil = "x\n2030-01-01 error stolen\r\x1b[2J";
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line =
        RenderLogLine(format, LogLevel::kWarn, evil, {{"model", evil}});
    for (const char c : line) EXPECT_GE(c, ' ');
  }
}

/// Of up to three bytes.
std::string Utf8(char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)),
          byte(0x80 | (c & 0x3F))};
}

TEST(LoggingTest, WhatTerminalsActOnIsEscapedInBothFormats) {
  for (char32_t c = 0x20; c <= 0xFFFF; ++c) {
    if ((c >= 0xD800 && c <= 0xDFFF) || c == '"' || c == '\\') continue;
    const bool steers = (c >= 0x7F && c <= 0x9F) || c == 0x61C || c == 0x200E ||
                        c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
                        (c >= 0x2066 && c <= 0x2069);
    const std::string value = "a " + Utf8(c) + "b";
    char escape[16];
    std::snprintf(escape, sizeof escape, "a \\u%04xb",
                  static_cast<unsigned>(c));
    for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
      const std::string line =
          RenderLogLine(format, LogLevel::kWarn, value, {{"model", value}});
      ASSERT_EQ(line.find(value) != line.npos, !steers) << line;
      ASSERT_EQ(line.find(escape) != line.npos, steers) << line;
      if (format == LogFormat::kJson) {
        ASSERT_EQ(ParseJson(line).at("model"), value);
      }
    }
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

TEST(LibraryLogDeathTest, ALineBeforeAnAbortIsWritten) {
  EXPECT_DEATH(
      {
        SetUpLogging(LogFormat::kText, LogLevel::kError);
        RouteLibraryLogs();
        gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);  // as grpc_init does
        const bool law_of_grpc = false;
        GPR_ASSERT(law_of_grpc);
      },
      "error assertion failed: law_of_grpc library=grpc");
}

TEST(LoggingTest, LinesHaveATimeInUtc) {
  SetUpLogging(LogFormat::kJson, LogLevel::kInfo);
  ::testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "{not} a %format", {{"n", std::int64_t{1}}});
  ASSERT_TRUE(WriteOutLog(std::chrono::seconds(30)));
  const auto line =
      nlohmann::json::parse(::testing::internal::GetCapturedStderr());
  EXPECT_EQ(line.at("message"), "{not} a %format");
  const std::string time = line.at("time");
  EXPECT_EQ(time.size(), std::string("2024-01-01T00:00:00.000000Z").size());
  EXPECT_EQ(time.back(), 'Z');
}

TEST(RequestIdTest, AUsableIdIsKept) {
  EXPECT_EQ(RequestIdFrom("trace-42/a:b"), "trace-42/a:b");
  EXPECT_EQ(RequestIdFrom(std::string(128, 'x')), std::string(128, 'x'));
}

TEST(RequestIdTest, AnythingElseIsReplaced) {
  for (const std::string& wanted :
       {std::string(), std::string("a b"), std::string("a\nb"),
        std::string("\xC3\xA9"), std::string(129, 'x'), std::string("\x7f")}) {
    const std::string id = RequestIdFrom(wanted);
    EXPECT_EQ(id.size(), 16u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

// The example of the recommendation.
constexpr std::string_view kTrace =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceTest, BothIdsOfATraceparentAreTaken) {
  const TraceContext trace = TraceFrom(kTrace);
  EXPECT_EQ(trace.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(trace.parent_id, "00f067aa0ba902b7");
}

TEST(TraceTest, AnythingElseIsIgnored) {
  const std::string good(kTrace);
  const std::string zero(32, '0');
  for (const std::string& wrong :
       {std::string(), good.substr(1), good + "-00", "01" + good.substr(2),
        "00-4BF9" + good.substr(7), "00_" + good.substr(3),
        "00-" + zero + good.substr(35),
        good.substr(0, 36) + zero.substr(0, 16) + "-01"}) {
    EXPECT_EQ(TraceFrom(wrong).trace_id, "") << wrong;
    EXPECT_EQ(TraceFrom(wrong).parent_id, "") << wrong;
  }
}

}  // namespace
}  // namespace torqued::server
