#include "client/cli/error_report.h"

#include <gmock/gmock.h>

#include <sstream>

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

TEST(PrintError, NamesTheStatusWhereThereIsNoReason) {
  EXPECT_EQ(Printed({grpc::StatusCode::UNAVAILABLE, "no connection"}),
            "torquectl: UNAVAILABLE: no connection\n");
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

}  // namespace
}  // namespace torqued::cli
