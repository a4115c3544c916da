#include "core/batch/chunk_scheduler.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "core/batch/parallelism.h"
#include "tests/core/batch/scheduling.h"

namespace {

/// Of a host that the test pretends to run on; 0: this one.
int pretended_cpus = 0;

}  // namespace

// In place of libc's, for the library, too.
extern "C" int sched_getaffinity(pid_t pid, std::size_t size,
                                 cpu_set_t* set) noexcept {
  CPU_ZERO_S(size, set);
  if (pretended_cpus == 0) {
    return syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
  }
  if (8 * size < static_cast<std::size_t>(pretended_cpus)) {
    errno = EINVAL;
    return -1;
  }
  for (int cpu = 0; cpu < pretended_cpus; ++cpu) CPU_SET_S(cpu, size, set);
  return 0;
}

namespace torqued {
namespace {

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
  Await(finished.get_future());
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
  Meeting meeting;
  RunToEnd(scheduler, meeting.Job(3));
  EXPECT_EQ(meeting.slots().size(), 3u);
}

TEST(ChunkScheduler, EachOfSeveralHasItsThreads) {
  // More than the machine has, together and on their own.
  const int threads = static_cast<int>(std::thread::hardware_concurrency()) + 1;
  ChunkScheduler first(threads);
  {
    ChunkScheduler gone(threads + 3);
  }
  ChunkScheduler second(threads);
  std::atomic<int> running{0};
  const auto submit = [&](ChunkScheduler& scheduler, std::promise<void>& done) {
    ChunkScheduler::Job job;
    job.chunks = threads;
    job.run = [&](std::int64_t, int) {
      ++running;
      Await([&] { return running == 2 * threads; });
    };
    job.done = [&done] { done.set_value(); };
    scheduler.Submit(std::move(job));
  };
  std::promise<void> done[2];
  submit(first, done[0]);
  submit(second, done[1]);
  for (auto& end : done) Await(end.get_future());
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
    EXPECT_EQ(Await(at_done.get_future()), 0);
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

TEST(Parallelism, CountsMoreCpusThanAnOrdinarySetHolds) {
  pretended_cpus = 1500;
  const int there = AvailableCores();
  pretended_cpus = 0;
  EXPECT_GE(there, AvailableCores());
}

}  // namespace
}  // namespace torqued
