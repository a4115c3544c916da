#include "client/cpp/retry.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <thread>
#include <vector>

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

const Clock::time_point kNow{seconds(1'000'000)};

Error Unavailable() { return {grpc::StatusCode::UNAVAILABLE, ""}; }

Error WithDelay(grpc::StatusCode code, milliseconds delay) {
  Error::Details details;
  details.retry_delay = delay;
  return {code, "", details};
}

TEST(RetrySchedule, WaitsLongerEachTimeUpToASecond) {
  RetrySchedule schedule(kNow + seconds(1000));
  std::vector<milliseconds> delays;
  for (int k = 0; k < 7; ++k) {
    const auto delay = schedule.NextDelay(Unavailable(), kNow);
    ASSERT_TRUE(delay);
    delays.push_back(std::chrono::duration_cast<milliseconds>(*delay));
  }
  EXPECT_THAT(delays, ElementsAre(milliseconds(50), milliseconds(100),
                                  milliseconds(200), milliseconds(400),
                                  milliseconds(800), milliseconds(1000),
                                  milliseconds(1000)));
}

TEST(RetrySchedule, NeverTriesAgainBeforeTheServerAllows) {
  RetrySchedule schedule(kNow + seconds(1000));
  EXPECT_EQ(
      schedule.NextDelay(
          WithDelay(grpc::StatusCode::UNAVAILABLE, milliseconds(700)), kNow),
      milliseconds(700));
  EXPECT_EQ(
      schedule.NextDelay(
          WithDelay(grpc::StatusCode::UNAVAILABLE, milliseconds(1)), kNow),
      milliseconds(100));
}

TEST(RetrySchedule, GivesUpWhenTheDeadlineWouldPassFirst) {
  RetrySchedule schedule(kNow + milliseconds(120));
  EXPECT_EQ(schedule.NextDelay(Unavailable(), kNow), milliseconds(50));
  EXPECT_EQ(schedule.NextDelay(Unavailable(), kNow + milliseconds(60)),
            std::nullopt);
}

TEST(RetrySchedule, TakesAFullServerAsPassingOnlyWhenItSaysSo) {
  RetrySchedule schedule(kNow + seconds(1000));
  EXPECT_EQ(schedule.NextDelay(WithDelay(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                         milliseconds(300)),
                               kNow),
            milliseconds(300));
  EXPECT_EQ(schedule.NextDelay(
                {grpc::StatusCode::RESOURCE_EXHAUSTED, "too large"}, kNow),
            std::nullopt);
}

TEST(RetrySchedule, TakesEveryOtherFailureAsFinal) {
  RetrySchedule schedule(kNow + seconds(1000));
  for (const auto code :
       {grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::DEADLINE_EXCEEDED,
        grpc::StatusCode::INTERNAL, grpc::StatusCode::CANCELLED}) {
    EXPECT_EQ(schedule.NextDelay(WithDelay(code, milliseconds(1)), kNow),
              std::nullopt);
  }
}

TEST(CallUntilDone, TriesAgainUntilItSucceeds) {
  int attempts = 0;
  CallUntilDone(
      [&attempts](grpc::ClientContext&) {
        return ++attempts < 3 ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "")
                              : grpc::Status::OK;
      },
      Clock::now() + seconds(10), /*retry=*/true);
  EXPECT_EQ(attempts, 3);
}

TEST(CallUntilDone, TellsOfEachWaitAndWhatFor) {
  std::vector<milliseconds> waits;
  int attempts = 0;
  CallUntilDone(
      [&attempts](grpc::ClientContext&) {
        return ++attempts < 3
                   ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarts")
                   : grpc::Status::OK;
      },
      Clock::now() + seconds(10), /*retry=*/true,
      [&](const Error& error, std::chrono::nanoseconds delay) {
        EXPECT_STREQ(error.what(), "restarts");
        EXPECT_EQ(attempts, static_cast<int>(waits.size()) + 1) << "before it";
        waits.push_back(std::chrono::duration_cast<milliseconds>(delay));
      });
  EXPECT_THAT(waits, ElementsAre(milliseconds(50), milliseconds(100)));
}

TEST(CallUntilDone, TellsOfNoWaitWhenTheFailureIsFinal) {
  EXPECT_THROW(CallUntilDone(
                   [](grpc::ClientContext&) {
                     return grpc::Status(grpc::StatusCode::INTERNAL, "");
                   },
                   Clock::now() + seconds(10), /*retry=*/true,
                   [](const Error&, std::chrono::nanoseconds) {
                     ADD_FAILURE() << "a wait";
                   }),
               Error);
}

TEST(CallUntilDone, TriesOnceWhenTheCallMayHaveHadAnEffect) {
  int attempts = 0;
  EXPECT_THROW(CallUntilDone(
                   [&attempts](grpc::ClientContext&) {
                     ++attempts;
                     return grpc::Status(grpc::StatusCode::UNAVAILABLE, "");
                   },
                   Clock::now() + seconds(10), /*retry=*/false),
               Error);
  EXPECT_EQ(attempts, 1);
}

}  // namespace
}  // namespace torqued::client
