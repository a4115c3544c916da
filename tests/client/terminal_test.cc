#include <gmock/gmock.h>

#include <sstream>

#include "client/cli/formats/text.h"
#include "client/cli/request_flags.h"
#include "client/cli/session.h"

namespace torqued::cli {
namespace {

using std::chrono::milliseconds;

TEST(ProgressText, TellsSpeedAndTheTimeThatIsLeft) {
  EXPECT_EQ(ProgressText(500, 1000, "states", milliseconds(1000)),
            "50 %  500 of 1000 states  500/s  1 s left");
  EXPECT_EQ(ProgressText(0, 100, "files", milliseconds(2000)),
            "0 %  0 of 100 files  0/s");
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
    Session session(flags, out, err);
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
