#include "core/batch/chunk_scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/batch/parallelism.h"

namespace torqued {
namespace {

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

TEST(ChunkScheduler, UsesTheThreadsItWasGiven) {
  ChunkScheduler scheduler(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> inside{0};
  ChunkScheduler::Job job;
  job.chunks = 3;
  job.run = [&](std::int64_t, int) {
    // All three chunks wait for each other: they must run at the same time.
    ++inside;
    while (inside < 3) std::this_thread::yield();
    const std::scoped_lock lock(mutex);
    seen.insert(std::this_thread::get_id());
  };
  RunToEnd(scheduler, std::move(job));
  EXPECT_EQ(seen.size(), 3u);
}

TEST(ChunkScheduler, SmallJobBehindALargeOneWaitsForAboutOneChunk) {
  // Counted in chunks, not in time: how far the large job gets between the
  // submission of the small one and its end.
  ChunkScheduler scheduler(2);
  std::atomic<std::int64_t> chunks_done{0};
  std::atomic<bool> release{false};
  ChunkScheduler::Job large;
  large.chunks = 5000;
  large.run = [&](std::int64_t, int) {
    while (!release && chunks_done > 10) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    ++chunks_done;
  };
  std::promise<void> large_finished;
  large.done = [&] { large_finished.set_value(); };
  scheduler.Submit(std::move(large));
  while (chunks_done < 5) std::this_thread::yield();

  std::promise<std::int64_t> small_at;
  ChunkScheduler::Job small;
  small.chunks = 1;
  small.run = [&](std::int64_t, int) { small_at.set_value(chunks_done); };
  scheduler.Submit(std::move(small));
  const std::int64_t before = chunks_done;
  release = true;
  const std::int64_t waited = small_at.get_future().get() - before;
  large_finished.get_future().wait();
  EXPECT_LE(waited, 20) << "a plain parallel loop would have made it 5000";
}

TEST(ChunkScheduler, CancellationDropsWhatHasNotStarted) {
  ChunkScheduler scheduler(2);
  auto token = std::make_shared<CancellationToken>();
  std::atomic<std::int64_t> runs{0};
  ChunkScheduler::Job job;
  job.chunks = 100'000;
  job.cancellation = token;
  job.run = [&](std::int64_t chunk, int) {
    ++runs;
    if (chunk == 50) token->Cancel();
  };
  RunToEnd(scheduler, std::move(job));
  EXPECT_LT(runs, 100);
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
