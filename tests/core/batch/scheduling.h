// What tests of the scheduler run and wait for.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "core/batch/chunk_scheduler.h"
#include "tests/support/await.h"

namespace torqued {

/// Runs a job and waits for its end.
inline void RunToEnd(ChunkScheduler& scheduler, ChunkScheduler::Job job) {
  std::promise<void> finished;
  job.done = [&finished] { finished.set_value(); };
  scheduler.Submit(std::move(job));
  Await(finished.get_future());
}

/// Chunks that wait for each other: they must run at the same time.
class Meeting {
 public:
  ChunkScheduler::Job Job(int chunks) {
    ChunkScheduler::Job job;
    job.chunks = chunks;
    job.run = [this, chunks](std::int64_t, int slot) {
      ++inside_;
      Await([&] { return inside_ == chunks; });
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
    Await([&] { return arrived_ == scheduler.threads(); });
  }
  void Release() { release_.set_value(); }

 private:
  std::promise<void> release_;
  std::atomic<int> arrived_{0};
};

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

}  // namespace torqued
