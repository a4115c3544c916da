#include "core/batch/chunk_scheduler.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/batch/parallelism.h"

namespace torqued {
namespace {

/// Waits for a condition; with an end, so that what is wrong fails instead of
/// hanging.
template <class Condition>
bool Await(const Condition& condition) {
  constexpr std::chrono::seconds kLongEnough{10};
  const auto end = std::chrono::steady_clock::now() + kLongEnough;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Runs a job and waits for its end.
void RunToEnd(ChunkScheduler& scheduler, ChunkScheduler::Job job) {
  std::promise<void> finished;
  job.done = [&finished] { finished.set_value(); };
  scheduler.Submit(std::move(job));
  finished.get_future().wait();
}

TEST(ChunkScheduler, RunsEveryChunkOnceAndDoneOnce) {
  ChunkScheduler scheduler(3);
  std::vector<std::atomic<int>> runs(1000);
  std::atomic<int> dones{0};
  std::promise<void> finished;
  ChunkScheduler::Job job;
  job.chunks = 1000;
  job.run = [&](std::int64_t chunk, int) {
    ++runs[static_cast<std::size_t>(chunk)];
  };
  job.done = [&] {
    ++dones;
    finished.set_value();
  };
  scheduler.Submit(std::move(job));
  finished.get_future().wait();
  for (const auto& count : runs) EXPECT_EQ(count, 1);
  EXPECT_EQ(dones, 1);
}

TEST(ChunkScheduler, SlotsAreNeverSharedAtOneTime) {
  ChunkScheduler scheduler(4);
  std::vector<std::atomic<int>> users(
      static_cast<std::size_t>(scheduler.slots()));
  std::atomic<bool> shared{false};
  ChunkScheduler::Job job;
  job.chunks = 2000;
  job.run = [&](std::int64_t, int slot) {
    ASSERT_GE(slot, 0);
    ASSERT_LT(slot, scheduler.slots());
    auto& user = users[static_cast<std::size_t>(slot)];
    if (user.fetch_add(1) != 0) shared = true;
    std::this_thread::yield();
    user.fetch_sub(1);
  };
  RunToEnd(scheduler, std::move(job));
  EXPECT_FALSE(shared);
}

/// Chunks that wait for each other: they must run at the same time.
class Meeting {
 public:
  ChunkScheduler::Job Job(int chunks) {
    ChunkScheduler::Job job;
    job.chunks = chunks;
    job.run = [this, chunks](std::int64_t, int slot) {
      ++inside_;
      EXPECT_TRUE(Await([&] { return inside_ == chunks; }));
      const std::scoped_lock lock(mutex_);
      slots_.insert(slot);
    };
    return job;
  }
  /// Of the chunks that are done.
  const std::set<int>& slots() const { return slots_; }

 private:
  std::mutex mutex_;
  std::set<int> slots_;
  std::atomic<int> inside_{0};
};

TEST(ChunkScheduler, UsesTheThreadsItWasGiven) {
  ChunkScheduler scheduler(3);
  Meeting meeting;
  RunToEnd(scheduler, meeting.Job(3));
  EXPECT_EQ(meeting.slots().size(), 3u);
}

/// Holds all threads of a scheduler until it is released.
class Blockade {
 public:
  explicit Blockade(ChunkScheduler& scheduler) {
    const std::shared_future<void> released = release_.get_future().share();
    for (int k = 0; k < scheduler.threads(); ++k) {
      scheduler.Submit([this, released] {
        ++arrived_;
        released.wait();
      });
    }
    while (arrived_ < scheduler.threads()) std::this_thread::yield();
  }
  void Release() { release_.set_value(); }

 private:
  std::promise<void> release_;
  std::atomic<int> arrived_{0};
};

TEST(ChunkScheduler, JobsTakeTurnsChunkByChunk) {
  std::string order;
  {
    ChunkScheduler scheduler(1);
    Blockade blockade(scheduler);
    const std::pair<char, int> jobs[] = {{'a', 4}, {'b', 2}, {'c', 1}};
    for (const auto& [name, chunks] : jobs) {
      ChunkScheduler::Job job;
      job.chunks = chunks;
      job.run = [&order, letter = name](std::int64_t chunk, int) {
        order += letter;
        order += std::to_string(chunk);
      };
      scheduler.Submit(std::move(job));
    }
    blockade.Release();
  }
  EXPECT_EQ(order, "a0b0c0a1b1a2a3");
}

TEST(ChunkScheduler, TurnsGoRoundTheGroupsFirst) {
  std::string order;
  {
    ChunkScheduler scheduler(1);
    Blockade blockade(scheduler);
    const struct {
      char name;
      int chunks;
      std::uint64_t group;
    } jobs[] = {{'a', 4, 1}, {'b', 2, 1}, {'c', 1, 1}, {'d', 3, 2}};
    for (const auto& [name, chunks, group] : jobs) {
      ChunkScheduler::Job job;
      job.chunks = chunks;
      job.group = group;
      job.run = [&order, name = name](std::int64_t chunk, int) {
        order += name;
        order += std::to_string(chunk);
      };
      scheduler.Submit(std::move(job));
    }
    blockade.Release();
  }
  EXPECT_EQ(order, "a0d0b0d1c0d2a1b1a2a3");
}

TEST(ChunkScheduler, ALongChunkGivesWayToOneChunkOfEveryGroup) {
  std::string order;
  {
    ChunkScheduler scheduler(1);
    Blockade blockade(scheduler);
    const auto submit = [&](char name, int chunks, std::uint64_t group,
                            bool long_chunks) {
      ChunkScheduler::Job job;
      job.chunks = chunks;
      job.group = group;
      job.long_chunks = long_chunks;
      job.run = [&, name, long_chunks](std::int64_t chunk, int slot) {
        order += name;
        order += std::to_string(chunk);
        if (!long_chunks) return;
        for (int piece = 0; piece < 2; ++piece) {
          scheduler.GiveWay(slot, {}, CancellationToken());
          order += '.';
        }
      };
      scheduler.Submit(std::move(job));
    };
    submit('L', 1, 1, true);
    submit('M', 1, 1, true);
    submit('a', 4, 1, false);
    submit('b', 2, 2, false);
    submit('c', 2, 2, false);
    blockade.Release();
  }
  // The other long chunk waits for its end; what is left goes on between them.
  EXPECT_EQ(order, "L0a0b0.a1c0.a2b1M0a3c1..");
}

TEST(ChunkScheduler, OthersGetAsMuchTimeAsThePieceTook) {
  ChunkScheduler scheduler(1);
  std::atomic<int> runs{0};
  std::promise<int> at_end;
  {
    Blockade blockade(scheduler);
    ChunkScheduler::Job large;
    large.chunks = 1;
    large.long_chunks = true;
    large.run = [&](std::int64_t, int slot) {
      // Returns once nobody is left who waits.
      scheduler.GiveWay(slot, std::chrono::hours(1), CancellationToken());
      at_end.set_value(runs);
    };
    scheduler.Submit(std::move(large));
    ChunkScheduler::Job small;
    small.chunks = 30;
    small.run = [&](std::int64_t, int) { ++runs; };
    scheduler.Submit(std::move(small));
    blockade.Release();
  }
  EXPECT_EQ(at_end.get_future().get(), 30);
}

TEST(ChunkScheduler, WhatRunsWhileALongChunkGivesWayHasASlotOfItsOwn) {
  ChunkScheduler scheduler(3);
  std::vector<std::atomic<int>> users(
      static_cast<std::size_t>(scheduler.slots()));
  std::atomic<bool> shared{false};
  std::atomic<int> within{0};
  const auto use = [&](int slot, const auto& body) {
    auto& user = users[static_cast<std::size_t>(slot)];
    if (user.fetch_add(1) != 0) shared = true;
    body();
    user.fetch_sub(1);
  };
  ChunkScheduler::Job small;
  small.chunks = 500;
  small.run = [&](std::int64_t, int slot) {
    use(slot, [&] {
      if (slot > scheduler.threads()) ++within;
      std::this_thread::yield();
    });
  };
  std::promise<void> small_done, large_done;
  small.done = [&] { small_done.set_value(); };
  ChunkScheduler::Job large;
  large.chunks = 20;
  large.long_chunks = true;
  large.done = [&] { large_done.set_value(); };
  large.run = [&](std::int64_t, int slot) {
    use(slot, [&] {
      for (int piece = 0; piece < 10; ++piece) {
        scheduler.GiveWay(slot, {}, CancellationToken());
      }
    });
  };
  {
    Blockade blockade(scheduler);
    // Long chunks go first, so that the small ones wait when they give way.
    scheduler.Submit(std::move(large));
    scheduler.Submit(std::move(small));
    blockade.Release();
  }
  large_done.get_future().wait();
  small_done.get_future().wait();
  EXPECT_FALSE(shared);
  EXPECT_GT(within, 0);
}

TEST(ChunkScheduler, NoMoreChunksRunAtATimeThanTheJobAllows) {
  for (const bool long_chunks : {false, true}) {
    ChunkScheduler scheduler(4);
    std::atomic<int> running{0}, most{0}, others{0}, chunks{0};
    std::promise<void> limited_done, others_done;
    ChunkScheduler::Job limited;
    limited.chunks = 200;
    limited.most_running = 2;
    limited.long_chunks = long_chunks;
    limited.run = [&](std::int64_t, int slot) {
      const int now = ++running;
      int before = most;
      while (now > before && !most.compare_exchange_weak(before, now)) {
      }
      if (long_chunks) scheduler.GiveWay(slot, {}, CancellationToken());
      std::this_thread::yield();
      ++chunks;
      --running;
    };
    limited.done = [&] { limited_done.set_value(); };
    ChunkScheduler::Job other;
    other.chunks = 200;
    other.run = [&](std::int64_t, int) { ++others; };
    other.done = [&] { others_done.set_value(); };
    scheduler.Submit(std::move(limited));
    scheduler.Submit(std::move(other));
    limited_done.get_future().wait();
    others_done.get_future().wait();
    EXPECT_EQ(chunks, 200);
    EXPECT_EQ(others, 200);
    EXPECT_LE(most, 2);
  }
}

TEST(ChunkScheduler, ALimitedJobAloneIsDone) {
  ChunkScheduler scheduler(3);
  for (int round = 0; round < 200; ++round) {
    std::promise<void> done;
    std::atomic<int> chunks{0};
    ChunkScheduler::Job limited;
    limited.chunks = 20;
    limited.most_running = 1;
    limited.run = [&](std::int64_t, int) { ++chunks; };
    limited.done = [&] { done.set_value(); };
    scheduler.Submit(std::move(limited));
    done.get_future().wait();
    ASSERT_EQ(chunks, 20);
  }
}

TEST(ChunkScheduler, ACancelledJobThatWaitsForALongChunkEndsInItsPause) {
  ChunkScheduler scheduler(1);
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<bool> ended{false}, ran{false};
  std::promise<bool> ended_before;
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
  EXPECT_TRUE(ended_before.get_future().get());
  EXPECT_FALSE(ran);
}

TEST(ChunkScheduler, WhatIsCancelledWhileItWaitsTakesNobodysTurn) {
  std::string order;
  {
    ChunkScheduler scheduler(1);
    const auto token = std::make_shared<CancellationToken>();
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
      ChunkScheduler scheduler(1);
      const auto token = std::make_shared<CancellationToken>();
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
    ChunkScheduler scheduler(1);
    const auto token = std::make_shared<CancellationToken>();
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
  ChunkScheduler scheduler(1);
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<int> others{0};
  std::promise<int> at_end;
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
  EXPECT_EQ(at_end.get_future().get(), 2);
}

TEST(ChunkScheduler, ANewJobWaitsForOneChunkOfEachJobUnderWay) {
  constexpr int kLarge = 5;
  for (const int threads : {1, 2, 4}) {
    std::atomic<bool> small_ran{false};
    std::atomic<int> early{0};
    {
      ChunkScheduler scheduler(threads);
      Blockade blockade(scheduler);
      for (int k = 0; k < kLarge; ++k) {
        ChunkScheduler::Job large;
        large.chunks = 1000;
        large.run = [&](std::int64_t chunk, int) {
          if (chunk == 0 || small_ran) return;
          ++early;
          // Holds this thread, so that what is early is counted exactly.
          Await([&small_ran] { return small_ran.load(); });
        };
        scheduler.Submit(std::move(large));
      }
      scheduler.Submit([&] { small_ran = true; });
      blockade.Release();
    }
    // The small job has a thread by then; the others may be one chunk ahead.
    EXPECT_LE(early, threads - 1) << threads << " threads";
  }
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

/// Many chunks, of which one in the beginning cancels the rest.
class GivenUp {
 public:
  ChunkScheduler::Job Job() {
    ChunkScheduler::Job job;
    job.chunks = 100'000;
    const auto token = std::make_shared<CancellationToken>();
    job.cancellation = token;
    job.run = [this, token](std::int64_t chunk, int) {
      ++runs_;
      if (chunk == 50) token->Cancel();
    };
    return job;
  }
  int runs() const { return runs_; }

 private:
  std::atomic<int> runs_{0};
};

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

TEST(ChunkScheduler, EachOfSeveralHasItsThreads) {
  // More than the machine has, together and on their own.
  const int threads = static_cast<int>(std::thread::hardware_concurrency()) + 1;
  ChunkScheduler first(threads);
  {
    ChunkScheduler gone(threads + 3);
  }
  ChunkScheduler second(threads);
  std::atomic<int> running{0}, alone{0};
  const auto submit = [&](ChunkScheduler& scheduler, std::promise<void>& done) {
    ChunkScheduler::Job job;
    job.chunks = threads;
    job.run = [&](std::int64_t, int) {
      ++running;
      if (!Await([&] { return running == 2 * threads; })) ++alone;
    };
    job.done = [&done] { done.set_value(); };
    scheduler.Submit(std::move(job));
  };
  std::promise<void> done[2];
  submit(first, done[0]);
  submit(second, done[1]);
  for (auto& end : done) end.get_future().wait();
  EXPECT_EQ(alone, 0);
}

std::size_t AllowedParallelism() {
  return tbb::global_control::active_value(
      tbb::global_control::max_allowed_parallelism);
}

TEST(ChunkScheduler, LowersNoLimitOfThreadsOfItsProcess) {
  const std::size_t before = AllowedParallelism();
  const std::size_t many = before + 60;
  {
    const tbb::global_control of_host(
        tbb::global_control::max_allowed_parallelism, many);
    ASSERT_EQ(AllowedParallelism(), many);
    ChunkScheduler first(2);
    EXPECT_EQ(AllowedParallelism(), many);
    ChunkScheduler second(3);
    EXPECT_EQ(AllowedParallelism(), many);
  }
  EXPECT_EQ(AllowedParallelism(), before);
}

TEST(ChunkScheduler, TheLastOneTakesItsLimitOfThreadsAlong) {
  const std::size_t before = AllowedParallelism();
  {
    ChunkScheduler first(static_cast<int>(before) + 4);
    {
      ChunkScheduler second(3);
      EXPECT_EQ(AllowedParallelism(), before + 8);
    }
    EXPECT_EQ(AllowedParallelism(), before + 5);
  }
  EXPECT_EQ(AllowedParallelism(), before);
}

TEST(ChunkScheduler, AfterCancellationOnlyTheChunksUnderWayEnd) {
  constexpr int kThreads = 3;
  ChunkScheduler scheduler(kThreads);
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<int> runs{0};
  std::promise<void> all_run, release, finished;
  ChunkScheduler::Job job;
  job.chunks = 100'000;
  job.cancellation = token;
  job.run = [&, released = release.get_future().share()](std::int64_t, int) {
    if (++runs == kThreads) all_run.set_value();
    released.wait();
  };
  job.done = [&] { finished.set_value(); };
  scheduler.Submit(std::move(job));
  all_run.get_future().wait();
  token->Cancel();
  release.set_value();
  finished.get_future().wait();
  EXPECT_EQ(runs, kThreads);
}

TEST(ChunkScheduler, DoneComesAfterTheLastChunk) {
  ChunkScheduler scheduler(4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> inside{0};
    std::promise<int> at_done;
    ChunkScheduler::Job job;
    job.chunks = 8;
    job.run = [&](std::int64_t, int) {
      ++inside;
      std::this_thread::yield();
      --inside;
    };
    job.done = [&] { at_done.set_value(inside); };
    scheduler.Submit(std::move(job));
    EXPECT_EQ(at_done.get_future().get(), 0);
  }
}

TEST(ChunkScheduler, ACallerWaitsForNoOtherJob) {
  for (const int threads : {1, 2}) {
    // Atomic, as chunks of other threads would be too many.
    std::atomic<int> runs{0};
    bool done = false;
    {
      ChunkScheduler scheduler(threads);
      Blockade blockade(scheduler);
      ChunkScheduler::Job job;
      job.chunks = 100;
      job.run = [&](std::int64_t, int slot) {
        EXPECT_EQ(slot, ChunkScheduler::kCaller);
        ++runs;
      };
      job.done = [&] { done = true; };
      scheduler.Run(std::move(job));
      EXPECT_TRUE(done);
      EXPECT_EQ(runs, 100);
      blockade.Release();
    }
    // Nor is there anything left of it for those who come too late.
    EXPECT_EQ(runs, 100);
  }
}

TEST(ChunkScheduler, ACallerTakesThePlaceOfOneThread) {
  ChunkScheduler scheduler(3);
  Meeting meeting;
  scheduler.Run(meeting.Job(3));
  EXPECT_EQ(meeting.slots().size(), 3u);
  EXPECT_EQ(meeting.slots().count(ChunkScheduler::kCaller), 1u);
}

TEST(ChunkScheduler, ACallerTakesThePlaceOfTheOnlyThread) {
  ChunkScheduler scheduler(1);
  std::promise<void> other_done;
  std::vector<int> slots;
  ChunkScheduler::Job job;
  job.chunks = 3;
  job.run = [&](std::int64_t chunk, int slot) {
    slots.push_back(slot);
    if (chunk > 0) return;
    // The pool's thread would come to this job before the other.
    scheduler.Submit([&other_done] { other_done.set_value(); });
    other_done.get_future().wait();
  };
  scheduler.Run(std::move(job));
  EXPECT_EQ(slots, std::vector(3, ChunkScheduler::kCaller));
}

TEST(ChunkScheduler, ACallerReturnsWhileItsHelperIsBusyWithAnotherJob) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> inside{0};
    std::atomic<bool> caller_waits{false}, returned{false};
    ChunkScheduler scheduler(2);
    ChunkScheduler::Job other;
    other.chunks = 2;  // for both threads
    other.run = [&](std::int64_t, int) {
      EXPECT_TRUE(Await([&returned] { return returned.load(); }));
    };
    ChunkScheduler::Job job;
    job.chunks = 2;
    job.run = [&](std::int64_t, int slot) {
      ++inside;
      EXPECT_TRUE(Await([&inside] { return inside == 2; }));
      if (slot == ChunkScheduler::kCaller) {
        caller_waits = true;  // as good as: hence the rounds
        return;
      }
      EXPECT_TRUE(Await([&caller_waits] { return caller_waits.load(); }));
      scheduler.Submit(std::move(other));
    };
    scheduler.Run(std::move(job));
    returned = true;
    if (HasFailure()) break;
  }
}

TEST(ChunkScheduler, ACallerReturnsAfterTheLastChunkAndDone) {
  ChunkScheduler scheduler(4);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> inside{0}, runs{0}, dones{0};
    ChunkScheduler::Job job;
    job.chunks = 1 + round % 8;
    job.run = [&](std::int64_t, int) {
      ++inside;
      std::this_thread::yield();
      ++runs;
      --inside;
    };
    job.done = [&] {
      EXPECT_EQ(inside, 0);
      std::this_thread::yield();
      ++dones;
    };
    const std::int64_t chunks = job.chunks;
    scheduler.Run(std::move(job));
    ASSERT_EQ(runs, chunks);
    ASSERT_EQ(dones, 1);
  }
}

TEST(ChunkScheduler, ACallerReturnsFromACancelledJob) {
  ChunkScheduler scheduler(2);
  GivenUp given_up;
  scheduler.Run(given_up.Job());
  EXPECT_LT(given_up.runs(), 100);
  EXPECT_EQ(scheduler.jobs(), 0);
}

TEST(ChunkScheduler, DestructorWaitsForJobsUnderWay) {
  std::atomic<int> runs{0};
  {
    ChunkScheduler scheduler(2);
    for (int k = 0; k < 10; ++k) {
      ChunkScheduler::Job job;
      job.chunks = 10;
      job.run = [&](std::int64_t, int) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++runs;
      };
      scheduler.Submit(std::move(job));
    }
  }
  EXPECT_EQ(runs, 100);
}

TEST(ChunkScheduler, JobWithoutChunksIsDoneAtOnce) {
  ChunkScheduler scheduler(1);
  bool done = false;
  ChunkScheduler::Job job;
  job.done = [&] { done = true; };
  scheduler.Submit(std::move(job));
  EXPECT_TRUE(done);
}

TEST(ChunkScheduler, CountsJobsUnderWay) {
  ChunkScheduler scheduler(1);
  std::promise<void> release;
  auto released = release.get_future().share();
  scheduler.Submit([released] { released.wait(); });
  scheduler.Submit([released] { released.wait(); });
  EXPECT_EQ(scheduler.jobs(), 2);
  release.set_value();
}

TEST(Parallelism, IsAtLeastOneAndAtMostTheMachine) {
  EXPECT_GE(AvailableCores(), 1);
  EXPECT_LE(AvailableCores(),
            static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace torqued
