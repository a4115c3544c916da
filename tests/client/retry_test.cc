#include "client/cpp/retry.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <set>
#include <string>
#include <vector>

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Clock::time_point kNow{seconds(1'000'000)};

Error Unavailable() { return {grpc::StatusCode::UNAVAILABLE, ""}; }

Error WithDelay(grpc::StatusCode code, milliseconds delay) {
  Error::Details details;
  details.retry_delay = delay;
  return {code, "", details};
}

void ExpectBetween(std::optional<std::chrono::nanoseconds> delay,
                   milliseconds least, milliseconds most) {
  ASSERT_TRUE(delay);
  EXPECT_GE(*delay, least);
  EXPECT_LE(*delay, most);
}

TEST(RetrySchedule, WaitsLongerEachTimeUpToASecond) {
  RetrySchedule schedule(kNow + seconds(1000));
  for (const int most : {50, 100, 200, 400, 800, 1000, 1000}) {
    ExpectBetween(schedule.NextDelay(Unavailable(), kNow),
                  milliseconds(most / 2), milliseconds(most));
  }
}

TEST(RetrySchedule, NeverTriesAgainBeforeTheServerAllows) {
  RetrySchedule schedule(kNow + seconds(1000));
  EXPECT_EQ(
      schedule.NextDelay(
          WithDelay(grpc::StatusCode::UNAVAILABLE, milliseconds(700)), kNow),
      milliseconds(700));
  ExpectBetween(
      schedule.NextDelay(
          WithDelay(grpc::StatusCode::UNAVAILABLE, milliseconds(1)), kNow),
      milliseconds(50), milliseconds(100));
}

TEST(RetrySchedule, ComesBackBeforeTheDeadlineWhateverItsOwnDelay) {
  RetrySchedule schedule(kNow + milliseconds(150));
  ExpectBetween(schedule.NextDelay(Unavailable(), kNow), milliseconds(25),
                milliseconds(50));
  // The last try has 50 ms.
  EXPECT_EQ(schedule.NextDelay(Unavailable(), kNow + milliseconds(60)),
            milliseconds(40));
  EXPECT_EQ(schedule.NextDelay(Unavailable(), kNow + milliseconds(100)),
            std::nullopt);
}

TEST(RetrySchedule, NeverGivesUpWithoutADeadline) {
  RetrySchedule schedule(RetrySchedule::kForever);
  EXPECT_TRUE(schedule.NextDelay(Unavailable(), kNow));
  EXPECT_TRUE(schedule.NextDelay(Unavailable(), kNow + seconds(1'000'000)));
}

Error WithReason(grpc::StatusCode code, const std::string& reason) {
  Error::Details details;
  details.reason = reason;
  return {code, "a sentence", details};
}

TEST(MayTryAgain, WhatMayPassAndDidNothing) {
  using enum grpc::StatusCode;
  const struct {
    Error error;
    bool read, change;
  } cases[] = {{{UNAVAILABLE, "Socket closed"}, true, false},
               {{CANCELLED, "Cancelled"}, true, false},
               {WithReason(UNAVAILABLE, "DRAINING"), true, true},
               {WithReason(UNAVAILABLE, "STORE_UNAVAILABLE"), true, false},
               {WithDelay(RESOURCE_EXHAUSTED, milliseconds(1)), true, false},
               {{RESOURCE_EXHAUSTED, "too large"}, false, false},
               {WithDelay(INVALID_ARGUMENT, milliseconds(1)), false, false},
               {WithDelay(DEADLINE_EXCEEDED, milliseconds(1)), false, false},
               {{UNKNOWN, ""}, false, false},
               {WithReason(INTERNAL, "INTERNAL_ERROR"), false, false}};
  for (const auto& [error, read, change] : cases) {
    EXPECT_EQ(MayTryAgain(error, Effect::kNone), read) << error.what();
    EXPECT_EQ(MayTryAgain(error, Effect::kChanges), change) << error.what();
  }
}

}  // namespace
}  // namespace torqued::client
