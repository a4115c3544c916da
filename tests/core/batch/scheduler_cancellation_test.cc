// What becomes of cancelled jobs of a ChunkScheduler.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/batch/chunk_scheduler.h"
#include "tests/core/batch/scheduling.h"

namespace torqued {
namespace {

TEST(ChunkScheduler, ACancelledJobThatWaitsForALongChunkEndsInItsPause) {
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<bool> ended{false}, ran{false};
  std::promise<bool> ended_before;
  ChunkScheduler scheduler(1);
  {
    Blockade blockade(scheduler);
    ChunkScheduler::Job large;
    large.chunks = 1;
    large.long_chunks = true;
    large.run = [&](std::int64_t, int slot) {
      token->Cancel();
      scheduler.GiveWay(slot, {}, CancellationToken());
      ended_before.set_value(ended);
    };
    ChunkScheduler::Job waiting;
    waiting.chunks = 3;
    waiting.long_chunks = true;
    waiting.group = 1;
    waiting.cancellation = token;
    waiting.run = [&](std::int64_t, int) { ran = true; };
    waiting.done = [&] { ended = true; };
    scheduler.Submit(std::move(large));
    scheduler.Submit(std::move(waiting));
    blockade.Release();
  }
  EXPECT_TRUE(Await(ended_before.get_future()));
  EXPECT_FALSE(ran);
}

TEST(ChunkScheduler, WhatIsCancelledWhileItWaitsTakesNobodysTurn) {
  std::string order;
  {
    const auto token = std::make_shared<CancellationToken>();
    ChunkScheduler scheduler(1);
    Blockade blockade(scheduler);
    const auto submit = [&](char name, std::uint64_t group,
                            std::shared_ptr<CancellationToken> its = nullptr) {
      ChunkScheduler::Job job;
      job.chunks = 1;
      job.long_chunks = true;
      job.group = group;
      job.cancellation = std::move(its);
      job.run = [&, name](std::int64_t, int slot) {
        order += name;
        if (name == 'a') token->Cancel();
        scheduler.GiveWay(slot, {}, CancellationToken());
      };
      job.done = [&, name] { order += static_cast<char>(name - 'a' + 'A'); };
      scheduler.Submit(std::move(job));
    };
    submit('a', 1);
    submit('b', 2);
    submit('c', 3);
    submit('d', 3);
    submit('e', 2, token);
    blockade.Release();
  }
  EXPECT_EQ(order, "aEAbBcCdD");
}

TEST(ChunkScheduler, AGroupKeepsItsTurnWhereItsFirstJobsAreCancelled) {
  for (const bool long_chunks : {false, true}) {
    std::string order;
    {
      const auto token = std::make_shared<CancellationToken>();
      ChunkScheduler scheduler(1);
      Blockade blockade(scheduler);
      const auto submit = [&](char name, std::uint64_t group,
                              std::shared_ptr<CancellationToken> its) {
        ChunkScheduler::Job job;
        job.chunks = 1;
        job.long_chunks = long_chunks;
        job.group = group;
        job.cancellation = std::move(its);
        job.run = [&, name](std::int64_t, int) {
          order += name;
          if (name == 'a') token->Cancel();
        };
        job.done = [&, name] { order += static_cast<char>(name - 'a' + 'A'); };
        scheduler.Submit(std::move(job));
      };
      submit('a', 1, nullptr);
      submit('b', 2, token);
      submit('c', 2, token);
      submit('d', 3, nullptr);
      submit('e', 2, nullptr);
      blockade.Release();
    }
    EXPECT_EQ(order, "aABCeEdD") << long_chunks;
  }
}

TEST(ChunkScheduler, APauseEndsNoMoreThanSomeOfManyCancelledJobs) {
  constexpr int kJobs = 1000, kSome = 100;
  std::atomic<int> ended{0};
  int of_a_pause = 0;
  {
    const auto token = std::make_shared<CancellationToken>();
    ChunkScheduler scheduler(1);
    Blockade blockade(scheduler);
    ChunkScheduler::Job large;
    large.chunks = 1;
    large.long_chunks = true;
    large.run = [&](std::int64_t, int slot) {
      token->Cancel();
      scheduler.GiveWay(slot, {}, CancellationToken());
      of_a_pause = ended;
    };
    scheduler.Submit(std::move(large));
    for (int k = 0; k < kJobs; ++k) {
      ChunkScheduler::Job waiting;
      waiting.chunks = 1;
      waiting.long_chunks = true;
      waiting.group = static_cast<std::uint64_t>(k % 7);
      waiting.cancellation = token;
      waiting.run = [](std::int64_t, int) { ADD_FAILURE(); };
      waiting.done = [&] { ++ended; };
      scheduler.Submit(std::move(waiting));
    }
    blockade.Release();
  }
  EXPECT_GT(of_a_pause, 0);
  EXPECT_LE(of_a_pause, kSome);
  EXPECT_EQ(ended, kJobs);
}

TEST(ChunkScheduler, ACancelledLongChunkStopsGivingWay) {
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<int> others{0};
  std::promise<int> at_end;
  ChunkScheduler scheduler(1);
  {
    Blockade blockade(scheduler);
    ChunkScheduler::Job large;
    large.chunks = 1;
    large.long_chunks = true;
    large.cancellation = token;
    large.run = [&](std::int64_t, int slot) {
      scheduler.GiveWay(slot, std::chrono::seconds(10), *token);
      at_end.set_value(others);
    };
    scheduler.Submit(std::move(large));
    for (std::uint64_t group = 1; group <= 5; ++group) {
      scheduler.Submit(
          [&] {
            if (++others == 2) token->Cancel();
          },
          group);
    }
    blockade.Release();
  }
  EXPECT_EQ(Await(at_end.get_future()), 2);
}

TEST(ChunkScheduler, EveryJobEndsOnceUnderAStormOfJobsAndCancellations) {
  constexpr int kCallers = 3;
  constexpr int kJobs = 2000;
  struct Record {
    std::vector<std::atomic<int>> runs;
    std::atomic<int> dones{0};
    std::atomic<bool> cancelled{false};
    explicit Record(int chunks) : runs(static_cast<std::size_t>(chunks)) {}
  };
  std::vector<std::unique_ptr<Record>> records[kCallers];
  {
    ChunkScheduler scheduler(3);
    std::vector<std::thread> callers;
    callers.reserve(kCallers);
    for (int caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&scheduler, &mine = records[caller], caller] {
        std::mt19937 random(static_cast<unsigned>(caller));
        for (int k = 0; k < kJobs; ++k) {
          const int chunks = static_cast<int>(random() % 40);
          mine.push_back(std::make_unique<Record>(chunks));
          Record* const record = mine.back().get();
          const bool cancels = random() % 4 == 0;
          const int at = static_cast<int>(random() % 40);
          auto token = std::make_shared<CancellationToken>();
          ChunkScheduler::Job job;
          job.chunks = chunks;
          job.cancellation = token;
          job.run = [=](std::int64_t chunk, int) {
            ++record->runs[static_cast<std::size_t>(chunk)];
            if (cancels && chunk == at) {
              record->cancelled = true;
              token->Cancel();
            }
          };
          job.done = [record] { ++record->dones; };
          if (random() % 3 == 0) {
            scheduler.Run(std::move(job));
            EXPECT_EQ(record->dones, 1);
          } else {
            scheduler.Submit(std::move(job));
          }
          // From outside too, at whatever stage it is.
          if (random() % 8 == 0) {
            record->cancelled = true;
            token->Cancel();
          }
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
  for (const auto& mine : records) {
    for (const auto& record : mine) {
      ASSERT_EQ(record->dones, 1);
      for (const auto& runs : record->runs) {
        ASSERT_LE(runs, 1);
        ASSERT_TRUE(runs == 1 || record->cancelled);
      }
    }
  }
}

TEST(ChunkScheduler, CancellationDropsWhatHasNotStarted) {
  ChunkScheduler scheduler(2);
  GivenUp given_up;
  RunToEnd(scheduler, given_up.Job());
  EXPECT_LT(given_up.runs(), 100);
}

TEST(CancellationToken, APartIsCancelledWithTheWholeAndNotTheWholeWithIt) {
  const auto whole = std::make_shared<CancellationToken>();
  CancellationToken first(whole), second(whole);
  first.Cancel();
  EXPECT_TRUE(first.cancelled());
  EXPECT_FALSE(second.cancelled());
  EXPECT_FALSE(whole->cancelled());
  whole->Cancel();
  EXPECT_TRUE(second.cancelled());
}

TEST(ChunkScheduler, AfterCancellationOnlyTheChunksUnderWayEnd) {
  constexpr int kThreads = 3;
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<int> runs{0};
  std::promise<void> all_run, release, finished;
  ChunkScheduler scheduler(kThreads);
  ChunkScheduler::Job job;
  job.chunks = 100'000;
  job.cancellation = token;
  job.run = [&, released = release.get_future().share()](std::int64_t, int) {
    if (++runs == kThreads) all_run.set_value();
    released.wait();
  };
  job.done = [&] { finished.set_value(); };
  scheduler.Submit(std::move(job));
  Await(all_run.get_future());
  token->Cancel();
  release.set_value();
  Await(finished.get_future());
  EXPECT_EQ(runs, kThreads);
}

}  // namespace
}  // namespace torqued
