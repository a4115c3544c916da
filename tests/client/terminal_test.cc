#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "client/cli/request_flags.h"
#include "client/cli/session.h"
#include "client/cli/terminal.h"

namespace torqued::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const ProgressBar::TimePoint kStart{seconds(100)};

TEST(ProgressBar, RewritesOneLineAndRemovesIt) {
  std::ostringstream out;
  ProgressBar bar(out, /*is_bar=*/true, "states", 1000, kStart);
  bar.Update(500, kStart + seconds(1));
  EXPECT_THAT(out.str(), HasSubstr("[###############...............]"));
  EXPECT_THAT(out.str(), HasSubstr(" 50 %  500 of 1000 states  500/s"));
  EXPECT_THAT(out.str(), HasSubstr("1.0 s left"));
  EXPECT_EQ(out.str().find('\n'), std::string::npos);
  bar.Clear();
  EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
}

TEST(ProgressBar, WritesLinesThatNeverGoBackNorBeyondTheTotal) {
  std::ostringstream out;
  ProgressBar bar(out, /*is_bar=*/false, "states", 100, kStart);
  bar.Update(30, kStart + seconds(1));
  bar.Update(60, kStart + seconds(2));
  bar.Update(40, kStart + seconds(4));
  bar.Update(1000, kStart + seconds(8));
  bar.Clear();
  EXPECT_EQ(out.str(),
            " 60 %  60 of 100 states  30/s  1.3 s left\n"
            " 60 %  60 of 100 states  15/s  2.7 s left\n"
            "100 %  100 of 100 states  13/s  0 ms left\n");
}

TEST(ProgressBar, DrawsAtMostTenTimesASecond) {
  std::ostringstream out;
  ProgressBar bar(out, /*is_bar=*/true, "states", 1000, kStart);
  for (int k = 1; k <= 1000; ++k) bar.Update(k, kStart + milliseconds(k));
  EXPECT_EQ(std::ranges::count(out.str(), '\r'), 10);
}

TEST(PrintError, TellsAllDetailsAndLeavesNothingThatSteersATerminal) {
  client::Error::Details details;
  details.reason = "A\nB";
  details.field_violations = {{"q\x07", "gr\xC3\xBC\xC3\x9F\x1B[2J"},
                              {"v", "one\x1B[2J"}};
  details.metadata = {{"k\r", "v\x7F"}};
  details.retry_delay = milliseconds(250);
  std::ostringstream out;
  PrintError({grpc::StatusCode::INVALID_ARGUMENT,
              "q\x07: gr\xC3\xBC\xC3\x9F\x1B[2J", details},
             {}, out);
  EXPECT_EQ(out.str(),
            "torquectl: A\\x0aB (q\\x07): gr\xC3\xBC\xC3\x9F\\x1b[2J\n"
            "  status: INVALID_ARGUMENT\n"
            "  v: one\\x1b[2J\n"
            "  k\\x0d = v\\x7f\n"
            "  try again after 0.25 s\n");
}

TEST(Session, ThatItWaitsIsToldOnceWithTheReason) {
  const client::Error overloaded(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                 "Too many rows.", {"OVERLOADED", {}, {}, {}});
  const std::string told =
      "torquectl: waiting to try again, within the timeout of 30 s: "
      "OVERLOADED: Too many rows.\n";
  const struct {
    const char* server;
    bool quiet;
    std::string of_local_end, of_overload;
  } cases[] = {{"unused", false, told, ""},
               {"unused", true, "", ""},
               {"", false, "", told}};
  for (const auto& one : cases) {
    GlobalFlags flags;
    flags.server = one.server;
    flags.quiet = one.quiet;
    std::ostringstream out, err;
    Session session(flags, out, err, out);
    // A local server that has ended is not waited for.
    if (flags.server.empty()) {
      session.RemarkWaiting({grpc::StatusCode::UNAVAILABLE, "reset"});
    } else {
      session.RemarkWaiting(overloaded);
    }
    EXPECT_EQ(err.str(), one.of_local_end);
    err.str("");
    session.RemarkWaiting(overloaded);
    EXPECT_EQ(err.str(), one.of_overload);
  }
}

}  // namespace
}  // namespace torqued::cli
