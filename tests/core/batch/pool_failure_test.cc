// The pool of threads fails although it has taken the work, as TBB does where
// the system has no more threads for it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/batch/chunk_scheduler.h"
#include "tests/core/batch/pool_handovers.h"

namespace torqued {
namespace {

using testing_support::PoolHandovers;

constexpr std::chrono::seconds kLongEnough{10};

/// Counts how often each chunk ran.
class Counted {
 public:
  ChunkScheduler::Job Job() {
    ChunkScheduler::Job job;
    job.chunks = static_cast<std::int64_t>(runs_.size());
    job.run = [this](std::int64_t chunk, int) {
      ++runs_[static_cast<std::size_t>(chunk)];
    };
    job.done = [this] { done_.set_value(); };
    return job;
  }

  void ExpectEachOnce() {
    ASSERT_EQ(done_.get_future().wait_for(kLongEnough),
              std::future_status::ready);
    for (const auto& runs : runs_) EXPECT_EQ(runs, 1);
  }

 private:
  std::array<std::atomic<int>, 4> runs_{};
  std::promise<void> done_;  // twice would throw
};

/// Whether the scheduler's destructor returns; where it does not, its thread
/// is left behind.
bool Ends(std::unique_ptr<ChunkScheduler> scheduler) {
  auto ended = std::make_shared<std::promise<void>>();
  auto future = ended->get_future();
  std::thread([ended, scheduler = std::move(scheduler)]() mutable {
    scheduler.reset();
    ended->set_value();
  }).detach();
  return future.wait_for(kLongEnough) == std::future_status::ready;
}

void Hand(ChunkScheduler& scheduler, ChunkScheduler::Job job, bool waiting) {
  if (waiting) {
    scheduler.Run(std::move(job));
  } else {
    scheduler.Submit(std::move(job));
  }
}

TEST(PoolFailure, WithoutThreadsThereIsNoScheduler) {
  const auto no_threads = [](const PoolHandovers::Queue& queue) {
    queue();
    throw std::runtime_error("no more threads");
  };
  {
    const PoolHandovers failing(no_threads);
    EXPECT_THROW(ChunkScheduler(2), std::runtime_error);
  }
  ChunkScheduler scheduler(2);
  Counted job;
  scheduler.Submit(job.Job());
  job.ExpectEachOnce();
}

TEST(PoolFailure, AfterTheWorkIsQueuedNothingIsDoneTwice) {
  for (int round = 0; round < 200; ++round) {
    auto scheduler = std::make_unique<ChunkScheduler>(2);
    Counted job, next;
    {
      const PoolHandovers failing([](const PoolHandovers::Queue& queue) {
        queue();
        throw std::runtime_error("no more threads");
      });
      Hand(*scheduler, job.Job(), round % 2 == 1);
    }
    scheduler->Submit(next.Job());
    job.ExpectEachOnce();
    next.ExpectEachOnce();
    ASSERT_TRUE(Ends(std::move(scheduler)));
  }
}

TEST(PoolFailure, WorkThatHasBegunIsNotMissing) {
  auto scheduler = std::make_unique<ChunkScheduler>(2);
  std::promise<void> begun, handed;
  ChunkScheduler::Job job;
  job.chunks = 1;
  job.run = [&, released = handed.get_future().share()](std::int64_t, int) {
    begun.set_value();
    EXPECT_EQ(released.wait_for(kLongEnough), std::future_status::ready);
  };
  {
    const PoolHandovers failing([&](const PoolHandovers::Queue& queue) {
      queue();
      begun.get_future().wait();
      throw std::runtime_error("no more threads");
    });
    scheduler->Submit(std::move(job));
  }
  handed.set_value();
  ASSERT_TRUE(Ends(std::move(scheduler)));
}

TEST(PoolFailure, WorkThatBeginsLateFindsNothingToDo) {
  for (const bool waiting : {false, true}) {
    auto scheduler = std::make_unique<ChunkScheduler>(2);
    std::vector<PoolHandovers::Queue> late;
    Counted job, next;
    {
      const PoolHandovers failing([&late](const PoolHandovers::Queue& queue) {
        late.push_back(queue);
        throw std::runtime_error("no more threads");
      });
      Hand(*scheduler, job.Job(), waiting);
    }
    job.ExpectEachOnce();
    ASSERT_EQ(late.size(), 1u);
    late.front()();
    scheduler->Submit(next.Job());
    next.ExpectEachOnce();
    ASSERT_TRUE(Ends(std::move(scheduler)));
  }
}

}  // namespace
}  // namespace torqued
