#include "client/cpp/retry.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <memory>
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

TEST(RetrySchedule, DoesNotLetAllWhoFailedAtOnceComeBackAtOnce) {
  std::set<std::chrono::nanoseconds> delays;
  for (int k = 0; k < 100; ++k) {
    RetrySchedule schedule(kNow + seconds(1000));
    delays.insert(*schedule.NextDelay(Unavailable(), kNow));
  }
  EXPECT_GT(delays.size(), 90u);
  EXPECT_GT(*delays.rbegin() - *delays.begin(), milliseconds(15));
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

TEST(RetrySchedule, BeginsAnewOnceSomethingWasAnswered) {
  RetrySchedule schedule(kNow + seconds(1000));
  for (int k = 0; k < 4; ++k) schedule.NextDelay(Unavailable(), kNow);
  schedule.Answered();
  ExpectBetween(schedule.NextDelay(Unavailable(), kNow), milliseconds(25),
                milliseconds(50));
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

TEST(RetrySchedule, GivesUpWhereTheServerAsksForMoreThanIsLeft) {
  RetrySchedule schedule(kNow + seconds(2));
  EXPECT_EQ(
      schedule.NextDelay(
          WithDelay(grpc::StatusCode::UNAVAILABLE, milliseconds(1951)), kNow),
      std::nullopt);
  EXPECT_EQ(
      schedule.NextDelay(
          WithDelay(grpc::StatusCode::UNAVAILABLE, milliseconds(1950)), kNow),
      milliseconds(1950));
}

TEST(RetrySchedule, GivesUpWithoutADeadlineWhenNothingWasAnsweredFor300S) {
  RetrySchedule schedule(RetrySchedule::kForever);
  EXPECT_TRUE(schedule.NextDelay(Unavailable(), kNow));
  EXPECT_TRUE(schedule.NextDelay(Unavailable(), kNow + seconds(299)));
  EXPECT_FALSE(schedule.NextDelay(Unavailable(), kNow + seconds(300)));
  schedule.Answered();
  EXPECT_TRUE(schedule.NextDelay(Unavailable(), kNow + seconds(400)));
  EXPECT_TRUE(schedule.NextDelay(Unavailable(), kNow + seconds(699)));
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

TEST(RetrySchedule, WaitsOnWhereTheBudgetIsUsedUpAndNeverGivesUpForIt) {
  const auto budget = std::make_shared<RetryBudget>();
  while (budget->Take(kNow)) {
  }
  RetrySchedule schedule(kNow + seconds(2), {.budget = budget});
  ExpectBetween(schedule.NextDelay(Unavailable(), kNow), milliseconds(25),
                milliseconds(50));
  ExpectBetween(schedule.StillToWait(kNow), milliseconds(50),
                milliseconds(100));
  ExpectBetween(schedule.StillToWait(kNow), milliseconds(100),
                milliseconds(200));
  // There is room again.
  EXPECT_EQ(schedule.StillToWait(kNow + milliseconds(200)), std::nullopt);
  while (budget->Take(kNow + milliseconds(1900))) {
  }
  EXPECT_EQ(schedule.StillToWait(kNow + milliseconds(1900)), milliseconds(50));
  // The last try needs none.
  EXPECT_EQ(schedule.StillToWait(kNow + milliseconds(1950)), std::nullopt);
}

TEST(RetryBudget, GrowsByTenASecondAndByOneForAnAnswerUpToFifty) {
  RetryBudget budget;
  const auto taken = [&budget](Clock::time_point now) {
    int count = 0;
    while (budget.Take(now)) ++count;
    return count;
  };
  budget.Answered();
  EXPECT_EQ(taken(kNow), 50);
  EXPECT_EQ(taken(kNow), 0);
  EXPECT_EQ(taken(kNow + seconds(2)), 20);
  for (int k = 0; k < 7; ++k) budget.Answered();
  EXPECT_EQ(taken(kNow + seconds(2)), 7);
  // A clock that is set back gives nothing away.
  EXPECT_EQ(taken(kNow), 0);
  EXPECT_EQ(taken(kNow + seconds(2)), 0);
  EXPECT_EQ(taken(kNow + seconds(1000)), 50);
}

Error WithReason(grpc::StatusCode code, const std::string& reason) {
  Error::Details details;
  details.reason = reason;
  return {code, "a sentence", details};
}

TEST(MayTryAgain, TakesALostConnectionAsPassing) {
  using enum grpc::StatusCode;
  for (const Error& error :
       std::vector<Error>{{UNAVAILABLE, "Socket closed"},
                          {UNAVAILABLE, "recvmsg:Connection reset by peer"},
                          {CANCELLED, "Cancelled"},
                          WithReason(UNAVAILABLE, "DRAINING"),
                          WithReason(UNAVAILABLE, "STORE_UNAVAILABLE")}) {
    EXPECT_TRUE(MayTryAgain(error, Effect::kNone)) << error.what();
  }
}

TEST(MayTryAgain, TakesEveryOtherFailureAsFinal) {
  using enum grpc::StatusCode;
  for (const Error& error :
       std::vector<Error>{WithDelay(INVALID_ARGUMENT, milliseconds(1)),
                          WithDelay(DEADLINE_EXCEEDED, milliseconds(1)),
                          {UNKNOWN, ""},
                          WithReason(INTERNAL, "INTERNAL_ERROR")}) {
    EXPECT_FALSE(MayTryAgain(error, Effect::kNone)) << error.what();
  }
}

TEST(MayTryAgain, RepeatsAChangeOnlyWhereNothingWasDone) {
  using enum grpc::StatusCode;
  EXPECT_TRUE(
      MayTryAgain(WithReason(UNAVAILABLE, "DRAINING"), Effect::kChanges));
  for (const Error& error :
       std::vector<Error>{{UNAVAILABLE, "Socket closed"},
                          {CANCELLED, "Cancelled"},
                          WithReason(UNAVAILABLE, "STORE_UNAVAILABLE"),
                          WithDelay(RESOURCE_EXHAUSTED, milliseconds(1))}) {
    EXPECT_FALSE(MayTryAgain(error, Effect::kChanges)) << error.what();
  }
}

RetrySchedule Within(seconds time, RetryPolicy policy = {},
                     Effect effect = Effect::kNone) {
  return RetrySchedule(Clock::now() + time, std::move(policy), effect);
}

TEST(CallUntilDone, TriesAgainUntilItSucceeds) {
  int attempts = 0;
  CallUntilDone(
      [&attempts](grpc::ClientContext&) {
        return ++attempts < 3 ? grpc::Status(grpc::StatusCode::CANCELLED, "")
                              : grpc::Status::OK;
      },
      Clock::now() + seconds(10), Within(seconds(10)));
  EXPECT_EQ(attempts, 3);
}

TEST(CallUntilDone, TellsOfEachWaitAndWhatFor) {
  int waits = 0;
  int attempts = 0;
  const Waiting waiting = [&](const Error& error,
                              std::chrono::nanoseconds delay) {
    EXPECT_STREQ(error.what(), "restarts");
    EXPECT_EQ(attempts, ++waits) << "before it";
    ExpectBetween(delay, milliseconds(25) * waits, milliseconds(50) * waits);
  };
  CallUntilDone(
      [&attempts](grpc::ClientContext&) {
        return ++attempts < 3
                   ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarts")
                   : grpc::Status::OK;
      },
      Clock::now() + seconds(10), Within(seconds(10), {.waiting = waiting}));
  EXPECT_EQ(waits, 2);
}

TEST(CallUntilDone, TellsOfNoWaitWhenTheFailureIsFinal) {
  const Waiting waiting = [](const Error&, std::chrono::nanoseconds) {
    ADD_FAILURE() << "a wait";
  };
  EXPECT_THROW(CallUntilDone(
                   [](grpc::ClientContext&) {
                     return grpc::Status(grpc::StatusCode::INTERNAL, "");
                   },
                   Clock::now() + seconds(10),
                   Within(seconds(10), {.waiting = waiting})),
               Error);
}

TEST(CallUntilDone, TriesOnceWithoutASchedule) {
  int attempts = 0;
  EXPECT_THROW(CallUntilDone(
                   [&attempts](grpc::ClientContext&) {
                     ++attempts;
                     return grpc::Status(grpc::StatusCode::UNAVAILABLE, "");
                   },
                   Clock::now() + seconds(10), std::nullopt),
               Error);
  EXPECT_EQ(attempts, 1);
}

}  // namespace
}  // namespace torqued::client
