// Whose turn it is on the threads of a ChunkScheduler.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/batch/chunk_scheduler.h"
#include "tests/core/batch/scheduling.h"

namespace torqued {
namespace {

struct NamedJob {
  char name;
  int chunks;
  std::uint64_t group = 0;
};

/// The chunks of jobs that are all there before one thread runs them, in its
/// order: "a0b0a1".
std::string OrderOf(const std::vector<NamedJob>& jobs) {
  std::string order;
  {
    ChunkScheduler scheduler(1);
    Blockade blockade(scheduler);
    for (const auto& [name, chunks, group] : jobs) {
      ChunkScheduler::Job job;
      job.chunks = chunks;
      job.group = group;
      job.run = [&order, letter = name](std::int64_t chunk, int) {
        order += letter;
        order += std::to_string(chunk);
      };
      scheduler.Submit(std::move(job));
    }
    blockade.Release();
  }
  return order;
}

TEST(ChunkScheduler, JobsTakeTurnsChunkByChunk) {
  EXPECT_EQ(OrderOf({{'a', 4}, {'b', 2}, {'c', 1}}), "a0b0c0a1b1a2a3");
}

TEST(ChunkScheduler, TurnsGoRoundTheGroupsFirst) {
  EXPECT_EQ(OrderOf({{'a', 4, 1}, {'b', 2, 1}, {'c', 1, 1}, {'d', 3, 2}}),
            "a0d0b0d1c0d2a1b1a2a3");
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
  EXPECT_EQ(Await(at_end.get_future()), 30);
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
  Await(large_done.get_future());
  Await(small_done.get_future());
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
    Await(limited_done.get_future());
    Await(others_done.get_future());
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
    Await(done.get_future());
    ASSERT_EQ(chunks, 20);
  }
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

}  // namespace
}  // namespace torqued
