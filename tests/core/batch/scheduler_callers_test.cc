// Callers of a ChunkScheduler that compute themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "core/batch/chunk_scheduler.h"
#include "tests/core/batch/scheduling.h"

namespace torqued {
namespace {

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
    Await(other_done.get_future());
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
      Await([&returned] { return returned.load(); });
    };
    ChunkScheduler::Job job;
    job.chunks = 2;
    job.run = [&](std::int64_t, int slot) {
      ++inside;
      Await([&inside] { return inside == 2; });
      if (slot == ChunkScheduler::kCaller) {
        caller_waits = true;  // as good as: hence the rounds
        return;
      }
      Await([&caller_waits] { return caller_waits.load(); });
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

}  // namespace
}  // namespace torqued
