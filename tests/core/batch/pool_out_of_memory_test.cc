// Memory that runs out while work is handed over to the pool.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "core/batch/chunk_scheduler.h"
#include "tests/core/batch/pool_allocations.h"
#include "tests/support/failing_allocations.h"

namespace torqued {
namespace {

using testing_support::FailingAllocations;
using testing_support::PoolAllocations;

/// Counts what is called of a job.
struct Calls {
  std::atomic<int> chunks{0}, dones{0};

  ChunkScheduler::Job Job(int count) {
    ChunkScheduler::Job job;
    job.chunks = count;
    job.run = [this](std::int64_t, int) { ++chunks; };
    job.done = [this] { ++dones; };
    return job;
  }
};

TEST(PoolOutOfMemory,
     TheCallingThreadStandsInForAllWhoCountedOnTheSameWorkers) {
  for (const bool waiting : {false, true}) {
    ChunkScheduler scheduler(2);
    Calls first, other;
    {
      bool other_submitted = false;
      const PoolAllocations failing([&] {
        if (!std::exchange(other_submitted, true)) {
          scheduler.Submit(other.Job(3));
          EXPECT_EQ(other.chunks, 0) << "not left to the other";
        }
        throw std::bad_alloc();
      });
      if (waiting) {
        scheduler.Run(first.Job(4));
      } else {
        scheduler.Submit(first.Job(4));
      }
    }
    EXPECT_EQ(first.chunks, 4);
    EXPECT_EQ(first.dones, 1);
    EXPECT_EQ(other.chunks, 3);
    EXPECT_EQ(other.dones, 1);
    EXPECT_EQ(scheduler.jobs(), 0);

    std::promise<void> worked;
    scheduler.Submit([&worked] { worked.set_value(); });
    worked.get_future().wait();
  }
}

TEST(PoolOutOfMemory, WhoStandsInHasASlotOfItsOwn) {
  std::mutex mutex;
  std::set<int> slots;
  std::atomic<int> inside{0};
  // Both chunks wait for each other: they must run at the same time.
  const auto meet = [&](int slot) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    const std::scoped_lock lock(mutex);
    slots.insert(slot);
  };
  {
    ChunkScheduler scheduler(2);
    ChunkScheduler::Job other;
    other.chunks = 1;
    other.run = [&](std::int64_t, int slot) { meet(slot); };
    bool fails = true;
    ChunkScheduler::Job job;
    job.chunks = 1;
    job.run = [&](std::int64_t, int slot) {
      EXPECT_EQ(slot, scheduler.threads());
      fails = false;
      scheduler.Submit(std::move(other));
      meet(slot);
    };
    const PoolAllocations failing([&fails] {
      if (fails) throw std::bad_alloc();
    });
    scheduler.Submit(std::move(job));
  }
  EXPECT_EQ(slots.size(), 2u);
}

TEST(PoolOutOfMemory, NobodyStandsInWhereThereIsAWorker) {
  ChunkScheduler scheduler(3);
  std::promise<void> submitted, done;
  std::atomic<int> stood_in{0};
  ChunkScheduler::Job job;
  job.chunks = 3;
  job.run = [&, returned = submitted.get_future().share()](std::int64_t,
                                                           int slot) {
    if (slot == scheduler.threads()) {
      ++stood_in;
    } else {
      returned.wait();
    }
  };
  job.done = [&done] { done.set_value(); };
  {
    int allocations = 0;
    const PoolAllocations failing([&allocations] {
      if (++allocations > 1) throw std::bad_alloc();
    });
    scheduler.Submit(std::move(job));
    EXPECT_EQ(allocations, 2);
  }
  submitted.set_value();
  done.get_future().wait();
  EXPECT_EQ(stood_in, 0);
}

TEST(PoolOutOfMemory, AJobThatThereIsNoRoomForIsForgotten) {
  ChunkScheduler scheduler(2);
  for (const bool waiting : {false, true}) {
    Calls calls;
    ChunkScheduler::Job job = calls.Job(4);
    {
      const FailingAllocations failing(1);
      if (waiting) {
        EXPECT_THROW(scheduler.Run(std::move(job)), std::bad_alloc);
      } else {
        EXPECT_THROW(scheduler.Submit(std::move(job)), std::bad_alloc);
      }
    }
    EXPECT_EQ(scheduler.jobs(), 0);
    EXPECT_EQ(calls.chunks, 0);
    EXPECT_EQ(calls.dones, 0);
  }
}

}  // namespace
}  // namespace torqued
