#include "server/connections/call_budget.h"
#include "tests/support/await.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace torqued::server {
namespace {

using Answer = CallBudget::Answer;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TokenBucket::Time kBegin{std::chrono::hours(1)};

int TakeUntilEmpty(TokenBucket& bucket, TokenBucket::Time now) {
  int taken = 0;
  while (taken < 1'000'000 && bucket.Take(now)) ++taken;
  return taken;
}

TEST(TokenBucket, HoldsItsSize) {
  TokenBucket bucket(100, 10);
  EXPECT_EQ(bucket.Missing(kBegin), 0);
  EXPECT_EQ(TakeUntilEmpty(bucket, kBegin), 100);
  EXPECT_EQ(bucket.Missing(kBegin), 100);
}

TEST(TokenBucket, IsFilledByTimeAtItsRate) {
  TokenBucket bucket(100, 10);
  TakeUntilEmpty(bucket, kBegin);
  EXPECT_FALSE(bucket.Take(kBegin + milliseconds(99)));
  EXPECT_EQ(TakeUntilEmpty(bucket, kBegin + milliseconds(300)), 3);
}

TEST(TokenBucket, IsNeverFullerThanFull) {
  TokenBucket bucket(100, 10);
  EXPECT_EQ(TakeUntilEmpty(bucket, kBegin + seconds(1000)), 100);
  for (int i = 0; i < 300; ++i) bucket.Return();
  EXPECT_EQ(TakeUntilEmpty(bucket, kBegin + seconds(1000)), 100);
}

TEST(TokenBucket, GivesReturnedTokensOutAgain) {
  TokenBucket bucket(100, 10);
  TakeUntilEmpty(bucket, kBegin);
  for (int i = 0; i < 7; ++i) bucket.Return();
  EXPECT_EQ(TakeUntilEmpty(bucket, kBegin), 7);
}

TEST(TokenBucket, IsNeverEmptyForThoseWhoReturn) {
  TokenBucket bucket(100, 1);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(bucket.Take(kBegin));
    bucket.Return();
  }
}

TEST(TokenBucket, LosesNoTokenBetweenThreads) {
  constexpr int kEach = 100'000;
  constexpr int kThreads = 3;
  TokenBucket bucket(kThreads * kEach, 1);
  ASSERT_EQ(TakeUntilEmpty(bucket, kBegin), kThreads * kEach);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&bucket] {
      for (int j = 0; j < kEach; ++j) bucket.Return();
    });
  }
  int taken = 0;
  for (; taken < kEach / 2; ++taken) {
    Await([&] { return bucket.Take(kBegin); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken + TakeUntilEmpty(bucket, kBegin), kThreads * kEach);
}

struct CallBudgetTest : testing::Test {
  const CallBudget::Limits limits{.calls = 20,
                                  .calls_per_second = 10,
                                  .refusals = 30,
                                  .refusals_per_second = 10,
                                  .own_calls = 4,
                                  .busy = 1000,
                                  .busy_per_second = 100};
  CallBudget budget{limits};
  TokenBucket all{1000, 100};
  TokenBucket of_peer{1000, 100};
  SharedBudget shared{all, of_peer};

  Answer Call(TokenBucket::Time now = kBegin) {
    return budget.OnHeaders(now, shared);
  }
  int Admitted(TokenBucket::Time now = kBegin) {
    int admitted = 0;
    while (Call(now) == Answer::kAdmit) ++admitted;
    return admitted;
  }
};

TEST_F(CallBudgetTest, AdmitsWhatIsAnsweredWithoutEnd) {
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(Call(), Answer::kAdmit);
    budget.OnAnswered(shared);
  }
}

TEST_F(CallBudgetTest, RefusesThoseWhoLeaveTheirCallsThenEndsThem) {
  EXPECT_EQ(Admitted(), limits.calls);
  for (int i = 1; i < limits.refusals; ++i) {
    ASSERT_EQ(Call(), Answer::kRefuse) << i;
  }
  EXPECT_EQ(Call(), Answer::kEnd);
}

TEST_F(CallBudgetTest, AdmitsAgainWhatTimeAllows) {
  Admitted();
  EXPECT_EQ(Admitted(kBegin + milliseconds(500)), 5);
}

TEST_F(CallBudgetTest, BeginsAnewWithAnotherConnection) {
  while (Call() != Answer::kEnd) {
  }
  budget.Fill();
  EXPECT_EQ(Admitted(), limits.calls);
}

TEST_F(CallBudgetTest, LeavesEveryConnectionItsOwnCallsWhateverOthersTake) {
  TakeUntilEmpty(all, kBegin);
  EXPECT_EQ(Admitted(), limits.own_calls);
  CallBudget other{limits};
  EXPECT_EQ(other.OnHeaders(kBegin, shared), Answer::kAdmit);
}

TEST_F(CallBudgetTest, EndsNobodyForWhatOthersTake) {
  TakeUntilEmpty(all, kBegin);
  Admitted();
  for (std::int64_t i = 1; i < limits.busy; ++i) {
    ASSERT_EQ(Call(), Answer::kBusy) << i;
  }
  // Nor does it count against the connection.
  all.Fill();
  EXPECT_EQ(Admitted(), limits.calls - limits.own_calls);
}

TEST_F(CallBudgetTest, EndsThoseWhoTakeNoNoticeOfThatForLong) {
  TakeUntilEmpty(all, kBegin);
  for (std::int64_t i = 0; i < limits.own_calls + limits.busy; ++i) {
    ASSERT_NE(Call(), Answer::kRefuse) << i;
  }
  for (int i = 0; i < limits.refusals; ++i) ASSERT_EQ(Call(), Answer::kRefuse);
  EXPECT_EQ(Call(), Answer::kEnd);
}

TEST_F(CallBudgetTest, GivesNothingBackThatWasNotTakenFromAll) {
  TakeUntilEmpty(all, kBegin);
  EXPECT_EQ(Admitted(), limits.own_calls);
  for (int i = 0; i < limits.own_calls; ++i) budget.OnAnswered(shared);
  EXPECT_EQ(all.Left(kBegin), 0);
  all.Fill();
  EXPECT_EQ(Admitted(), limits.calls);
  for (int i = 0; i < limits.calls; ++i) budget.OnAnswered(shared);
  EXPECT_EQ(all.Missing(kBegin), 0);
  EXPECT_EQ(of_peer.Missing(kBegin), 0);
}

TEST_F(CallBudgetTest, GivesBackForAnswersOnceTimeHasMadeGoodForOthers) {
  TakeUntilEmpty(all, kBegin);
  EXPECT_EQ(Admitted(), limits.own_calls);
  // These are left; what they took nothing of is full again.
  const auto later = kBegin + seconds(10);
  all.Fill();
  for (int i = 0; i < limits.own_calls; ++i) {
    ASSERT_EQ(Call(later), Answer::kAdmit);
    budget.OnAnswered(shared);
  }
  EXPECT_EQ(all.Missing(later), 0);
}

TEST_F(CallBudgetTest, GivesNothingBackThatWasNotTakenWhileOthersAreAnswered) {
  TakeUntilEmpty(all, kBegin);
  constexpr int kCalls = 300'000;
  std::atomic<int> open{0};
  std::thread answering([&] {
    for (int answered = 0; answered < kCalls; ++answered) {
      Await([&] { return open.load() > 0; });
      open.fetch_sub(1);
      budget.OnAnswered(shared);
    }
  });
  for (int begun = 0; begun < kCalls; ++begun) {
    Await([&] { return Call() == Answer::kAdmit; });
    open.fetch_add(1);
  }
  answering.join();
  EXPECT_EQ(all.Left(kBegin), 0);
}

TEST_F(CallBudgetTest, LeavesHalfOfAllToOtherPeers) {
  int taken = 0;
  while (shared.Take(kBegin)) ++taken;
  EXPECT_EQ(taken, 500);
  TokenBucket of_other{1000, 100};
  SharedBudget other{all, of_other};
  taken = 0;
  while (other.Take(kBegin)) ++taken;
  EXPECT_EQ(taken, 250);
}

TEST_F(CallBudgetTest, TakesNothingFromOthersForACallThatItRefuses) {
  Admitted();
  const std::int64_t missing = all.Missing(kBegin);
  while (Call() != Answer::kEnd) {
  }
  EXPECT_EQ(all.Missing(kBegin), missing);
}

}  // namespace
}  // namespace torqued::server
