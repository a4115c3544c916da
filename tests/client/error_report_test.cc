#include "client/cli/error_report.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace torqued::cli {
namespace {

std::string Printed(const client::Error& error) {
  std::ostringstream out;
  PrintError(error, {}, out);
  return out.str();
}

TEST(PrintError, BeginsWithReasonFieldAndSentenceOnOneLine) {
  client::Error::Details details;
  details.reason = "WRONG_COLUMN_COUNT";
  details.field_violations = {{"q", "expected 7 columns, got 6"},
                              {"v", "expected 7 columns, got 5"}};
  details.metadata = {{"model", "arm"}};
  details.retry_delay = std::chrono::milliseconds(250);
  EXPECT_EQ(Printed({grpc::StatusCode::INVALID_ARGUMENT,
                     "q: expected 7 columns, got 6", details}),
            "torquectl: WRONG_COLUMN_COUNT (q): expected 7 columns, got 6\n"
            "  status: INVALID_ARGUMENT\n"
            "  v: expected 7 columns, got 5\n"
            "  model = arm\n"
            "  try again after 0.25 s\n");
}

TEST(PrintError, LeavesNothingThatSteersATerminal) {
  client::Error::Details details;
  details.reason = "A\nB";
  details.field_violations = {{"q\x07", "one\x1B[2J"}};
  details.metadata = {{"k\r", "v\x7F"}};
  EXPECT_EQ(Printed({grpc::StatusCode::UNKNOWN, "gr\xC3\xBC\xC3\x9F\x1B[2J",
                     details}),
            "torquectl: A\\x0aB (q\\x07): gr\xC3\xBC\xC3\x9F\\x1b[2J\n"
            "  status: UNKNOWN\n"
            "  q\\x07: one\\x1b[2J\n"
            "  k\\x0d = v\\x7f\n");
}

/// Of `tool COMMAND ARGUMENTS`, where two commands have other flags.
FlagNames Names(std::vector<std::string> words) {
  CLI::App app("", "tool");
  std::string text;
  CLI::App* compute = app.add_subcommand("compute");
  for (const char* flag :
       {"--q", "--states", "--tip-frame", "--joint-names", "--model",
        "--payload", "--payload-frame", "--tip-wrench-on-environment",
        "--external-wrenches-on-robot"}) {
    compute->add_option(flag, text);
  }
  CLI::App* trajectory = app.add_subcommand("trajectory");
  trajectory->add_option("--tip-frame", text);
  trajectory->require_subcommand(0, 1);
  CLI::App* check = trajectory->add_subcommand("check");
  check->add_option("FILE", text);
  check->add_option("--limits", text);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return FlagNames(app);
}

TEST(FlagNames, FieldsAreCalledByTheirFlags) {
  const FlagNames names = Names({"compute", "--q", "1"});
  EXPECT_EQ(names.Of("q"), "--q");
  EXPECT_EQ(names.Of("chunk.q"), "--q");
  EXPECT_EQ(names.Of("options.tip_frame"), "--tip-frame");
  EXPECT_EQ(names.Of("start.options.tip_frame"), "--tip-frame");
  EXPECT_EQ(names.Of("options.joint_names[3]"), "--joint-names[3]");
  EXPECT_EQ(names.Of("options.payload.frame"), "--payload-frame");
  EXPECT_EQ(names.Of("options.payload.inertia"), "--payload inertia");
  EXPECT_EQ(names.Of("model"), "--model");
  EXPECT_EQ(names.Of("tip_wrench_on_environment.wrench"),
            "--tip-wrench-on-environment");
  EXPECT_EQ(names.Of("options.external_wrenches[1].frame"),
            "--external-wrenches-on-robot[1].frame");
}

TEST(FlagNames, StatesOfAFileAreCalledByTheFile) {
  EXPECT_EQ(Names({"compute", "--states", "s.csv"}).Of("q"), "s.csv: q");
  const FlagNames names =
      Names({"trajectory", "check", "m.csv", "--limits", "l.json"});
  EXPECT_EQ(names.Of("samples.q"), "m.csv: q");
  EXPECT_EQ(names.Of("start.drives[2].effort_limit"),
            "l.json: drives[2].effort_limit");
}

TEST(FlagNames, WhatTheCommandHasNoFlagForStaysAsItIs) {
  const FlagNames names = Names({"trajectory", "check", "m.csv"});
  // That of the command above is another's.
  EXPECT_EQ(names.Of("options.tip_frame"), "options.tip_frame");
  EXPECT_EQ(names.Of("quality"), "quality");
  EXPECT_EQ(names.Of(""), "");
  EXPECT_EQ(FlagNames().Of("q"), "q");
}

}  // namespace
}  // namespace torqued::cli
