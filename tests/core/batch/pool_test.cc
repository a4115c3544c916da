// Whose turn it is on the threads of a Pool, and how its jobs end.
#include "core/batch/pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

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

#include "tests/support/await.h"

namespace torqued {
namespace {

using OnRow = std::function<void(std::int64_t row, int slot)>;

/// A chunk is a row.
Pool::Job JobOf(std::int64_t rows, OnRow run) {
  Pool::Job job;
  job.rows = rows;
  job.run = [run = std::move(run)](std::int64_t begin, std::int64_t end,
                                   int slot) {
    EXPECT_EQ(end, begin + 1);
    run(begin, slot);
  };
  return job;
}

void RunToEnd(Pool& pool, Pool::Job job) {
  std::promise<void> finished;
  job.done = [&finished] { finished.set_value(); };
  pool.Submit(std::move(job));
  Await(finished.get_future());
}

/// Chunks that wait for each other: they must run at the same time.
class Meeting {
 public:
  Pool::Job Job(int chunks) {
    return JobOf(chunks, [this, chunks](std::int64_t, int slot) {
      ++inside_;
      Await([&] { return inside_ == chunks; });
      const std::scoped_lock lock(mutex_);
      slots_.insert(slot);
    });
  }
  const std::set<int>& slots() const { return slots_; }

 private:
  std::mutex mutex_;
  std::set<int> slots_;
  std::atomic<int> inside_{0};
};

/// Holds all threads of a set until it is released.
class Blockade {
 public:
  explicit Blockade(Pool& pool, bool slow = false) {
    Pool::Job job = JobOf(
        pool.threads(),
        [this, released = release_.get_future().share()](std::int64_t, int) {
          ++arrived_;
          released.wait();
        });
    job.slow = slow;
    pool.Submit(std::move(job));
    Await([&] { return arrived_ == pool.threads(); });
  }
  void Release() { release_.set_value(); }

 private:
  std::promise<void> release_;
  std::atomic<int> arrived_{0};
};

/// Many chunks, of which one in the beginning cancels the rest.
class GivenUp {
 public:
  Pool::Job Job() {
    const auto token = std::make_shared<CancellationToken>();
    Pool::Job job = JobOf(100'000, [this, token](std::int64_t row, int) {
      ++runs_;
      if (row == 50) token->Cancel();
    });
    job.cancellation = token;
    return job;
  }
  int runs() const { return runs_; }

 private:
  std::atomic<int> runs_{0};
};

TEST(Pool, RunsEveryRowOnceAndDoneOnce) {
  for (const bool slow : {false, true}) {
    for (const std::int64_t block : {1, 8, 5000}) {
      Pool pool(3);
      std::vector<std::atomic<int>> runs(1001);
      std::atomic<int> dones{0};
      std::atomic<double> cost = 1000;
      Pool::Job job;
      job.rows = 1001;
      job.block = block;
      job.cost = &cost;
      job.slow = slow;
      job.run = [&](std::int64_t begin, std::int64_t end, int) {
        EXPECT_EQ(begin % block, 0);
        for (; begin < end; ++begin) ++runs[static_cast<std::size_t>(begin)];
      };
      std::promise<void> finished;
      job.done = [&] {
        ++dones;
        finished.set_value();
      };
      pool.Submit(std::move(job));
      Await(finished.get_future());
      for (const auto& count : runs) EXPECT_EQ(count, 1);
      EXPECT_EQ(dones, 1);
    }
  }
}

TEST(Pool, SlotsAreNeverSharedAtOneTime) {
  Pool pool(4);
  std::vector<std::atomic<int>> users(static_cast<std::size_t>(pool.slots()));
  std::atomic<bool> shared{false};
  std::promise<void> done[2];
  for (const bool slow : {false, true}) {
    Pool::Job job = JobOf(2000, [&](std::int64_t, int slot) {
      ASSERT_GE(slot, 0);
      ASSERT_LT(slot, pool.slots());
      auto& user = users[static_cast<std::size_t>(slot)];
      if (user.fetch_add(1) != 0) shared = true;
      std::this_thread::yield();
      user.fetch_sub(1);
    });
    job.slow = slow;
    job.done = [&end = done[slow]] { end.set_value(); };
    pool.Submit(std::move(job));
  }
  for (auto& end : done) Await(end.get_future());
  EXPECT_FALSE(shared);
}

TEST(Pool, UsesTheThreadsItWasGiven) {
  Pool pool(3);
  Meeting meeting;
  RunToEnd(pool, meeting.Job(3));
  EXPECT_EQ(meeting.slots().size(), 3u);
}

TEST(Pool, AChunkTakesATenthOfAMillisecond) {
  Pool pool(2);
  std::atomic<double> cost = 100;
  Pool::Job job;
  job.block = 8;
  job.cost = &cost;
  EXPECT_EQ(pool.ChunkRows(job, 1'000'000), 1000);
  EXPECT_EQ(pool.ChunkRows(job, 3), 3);
  // Some for each thread, none of less than 20 µs.
  EXPECT_EQ(pool.ChunkRows(job, 16'000), 496);
  EXPECT_EQ(pool.ChunkRows(job, 1000), 200);
  // A block at least, however long it takes.
  cost = 1e9;
  EXPECT_EQ(pool.ChunkRows(job, 1'000'000), 8);
  // Measured: rows that take longer than was thought make shorter chunks, and
  // a single chunk has not the only say.
  cost = 100;
  job.run = [](std::int64_t, std::int64_t, int) {
    std::atomic<int> spins = 0;
    while (++spins < 100'000) {
    }
  };
  Pool::RunChunk(job, 0, 3, 0);
  EXPECT_EQ(cost, 400);
  for (int k = 0; k < 20; ++k) Pool::RunChunk(job, 0, 3, 0);
  EXPECT_GT(cost, 5000);
  EXPECT_EQ(pool.ChunkRows(job, 1'000'000), 8);
}

TEST(Pool, SlowJobsHaveThreadsOfLowPriorityAndBlockNobody) {
  Pool pool(1);
  const auto nice = [] { return getpriority(PRIO_PROCESS, 0); };
  std::promise<void> others_ran;
  std::promise<int> slow_nice, other_nice;
  Pool::Job slow = JobOf(1, [&](std::int64_t, int) {
    pool.Submit([&] {
      other_nice.set_value(nice());
      others_ran.set_value();
    });
    Await(others_ran.get_future());
    slow_nice.set_value(nice());
  });
  slow.slow = true;
  RunToEnd(pool, std::move(slow));
  EXPECT_EQ(Await(other_nice.get_future()), nice());
  EXPECT_GT(Await(slow_nice.get_future()), nice());
}

TEST(Pool, DoneComesAfterTheLastChunk) {
  Pool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> inside{0};
    std::promise<int> at_done;
    Pool::Job job = JobOf(8, [&](std::int64_t, int) {
      ++inside;
      std::this_thread::yield();
      --inside;
    });
    job.done = [&] { at_done.set_value(inside); };
    pool.Submit(std::move(job));
    EXPECT_EQ(Await(at_done.get_future()), 0);
  }
}

TEST(Pool, DestructorWaitsForJobsUnderWay) {
  std::atomic<int> runs{0};
  {
    Pool pool(2);
    for (int k = 0; k < 10; ++k) {
      Pool::Job job = JobOf(10, [&](std::int64_t, int) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++runs;
      });
      job.slow = k % 2 == 0;
      pool.Submit(std::move(job));
    }
  }
  EXPECT_EQ(runs, 100);
}

TEST(Pool, AJobWithoutRowsIsDoneAtOnce) {
  Pool pool(1);
  bool done = false;
  Pool::Job job;
  job.done = [&] { done = true; };
  pool.Submit(std::move(job));
  EXPECT_TRUE(done);
}

TEST(Pool, CountsJobsUnderWay) {
  Pool pool(1);
  std::promise<void> release;
  auto released = release.get_future().share();
  pool.Submit([released] { released.wait(); });
  pool.Submit([released] { released.wait(); });
  EXPECT_EQ(pool.jobs(), 2);
  release.set_value();
}

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
    Pool pool(1);
    Blockade blockade(pool);
    for (const auto& [name, chunks, group] : jobs) {
      Pool::Job job =
          JobOf(chunks, [&order, letter = name](std::int64_t chunk, int) {
            order += letter;
            order += std::to_string(chunk);
          });
      job.group = group;
      pool.Submit(std::move(job));
    }
    blockade.Release();
  }
  return order;
}

TEST(Pool, JobsTakeTurnsChunkByChunk) {
  EXPECT_EQ(OrderOf({{'a', 4}, {'b', 2}, {'c', 1}}), "a0b0c0a1b1a2a3");
}

TEST(Pool, TurnsGoRoundTheGroupsFirst) {
  EXPECT_EQ(OrderOf({{'a', 4, 1}, {'b', 2, 1}, {'c', 1, 1}, {'d', 3, 2}}),
            "a0d0b0d1c0d2a1b1a2a3");
}

TEST(Pool, NoMoreChunksRunAtATimeThanTheJobAllows) {
  for (const bool slow : {false, true}) {
    Pool pool(4);
    std::atomic<int> running{0}, most{0}, others{0}, chunks{0};
    std::promise<void> limited_done, others_done;
    Pool::Job limited = JobOf(200, [&](std::int64_t, int) {
      const int now = ++running;
      int before = most;
      while (now > before && !most.compare_exchange_weak(before, now)) {
      }
      std::this_thread::yield();
      ++chunks;
      --running;
    });
    limited.max_concurrency = 2;
    limited.slow = slow;
    limited.done = [&] { limited_done.set_value(); };
    Pool::Job other = JobOf(200, [&](std::int64_t, int) { ++others; });
    other.done = [&] { others_done.set_value(); };
    pool.Submit(std::move(limited));
    pool.Submit(std::move(other));
    Await(limited_done.get_future());
    Await(others_done.get_future());
    EXPECT_EQ(chunks, 200);
    EXPECT_EQ(others, 200);
    EXPECT_LE(most, 2);
  }
}

TEST(Pool, ANewJobWaitsForOneChunkOfEachJobUnderWay) {
  constexpr int kLarge = 5;
  for (const int threads : {1, 2, 4}) {
    std::atomic<bool> small_ran{false};
    std::atomic<int> early{0};
    {
      Pool pool(threads);
      Blockade blockade(pool);
      for (int k = 0; k < kLarge; ++k) {
        pool.Submit(JobOf(1000, [&](std::int64_t chunk, int) {
          if (chunk == 0 || small_ran) return;
          ++early;
          // Holds this thread, so that what is early is counted exactly.
          Await([&small_ran] { return small_ran.load(); });
        }));
      }
      pool.Submit([&] { small_ran = true; });
      blockade.Release();
    }
    // The small job has a thread by then; the others may be one chunk ahead.
    EXPECT_LE(early, threads - 1) << threads << " threads";
  }
}

TEST(Pool, CancellationDropsWhatHasNotStarted) {
  Pool pool(2);
  GivenUp given_up;
  RunToEnd(pool, given_up.Job());
  EXPECT_LT(given_up.runs(), 100);
}

TEST(Pool, AfterCancellationOnlyTheChunksUnderWayEnd) {
  constexpr int kThreads = 3;
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<int> runs{0};
  std::promise<void> all_run, release, finished;
  Pool pool(kThreads);
  Pool::Job job = JobOf(
      100'000, [&, released = release.get_future().share()](std::int64_t, int) {
        if (++runs == kThreads) all_run.set_value();
        released.wait();
      });
  job.cancellation = token;
  job.done = [&] { finished.set_value(); };
  pool.Submit(std::move(job));
  Await(all_run.get_future());
  token->Cancel();
  release.set_value();
  Await(finished.get_future());
  EXPECT_EQ(runs, kThreads);
}

TEST(Pool, AGroupKeepsItsTurnIfItsFirstJobsAreCancelled) {
  std::string order;
  {
    const auto token = std::make_shared<CancellationToken>();
    Pool pool(1);
    Blockade blockade(pool);
    const auto submit = [&](char name, std::uint64_t group,
                            std::shared_ptr<CancellationToken> its) {
      Pool::Job job = JobOf(1, [&, name](std::int64_t, int) {
        order += name;
        if (name == 'a') token->Cancel();
      });
      job.group = group;
      job.cancellation = std::move(its);
      job.done = [&, name] { order += static_cast<char>(name - 'a' + 'A'); };
      pool.Submit(std::move(job));
    };
    submit('a', 1, nullptr);
    submit('b', 2, token);
    submit('c', 2, token);
    submit('d', 3, nullptr);
    submit('e', 2, nullptr);
    blockade.Release();
  }
  EXPECT_EQ(order, "aABCeEdD");
}

TEST(Pool, ACancelledSlowJobWaitsForNoOtherChunk) {
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<bool> ended{false};
  Pool pool(1);
  {
    Blockade blockade(pool, /*slow=*/true);
    const auto submit = [&](std::shared_ptr<CancellationToken> its, OnRow run,
                            std::function<void()> done) {
      Pool::Job job = JobOf(1, std::move(run));
      job.slow = true;
      job.cancellation = std::move(its);
      job.done = std::move(done);
      pool.Submit(std::move(job));
    };
    submit(nullptr, [&](std::int64_t, int) { EXPECT_TRUE(ended); }, {});
    submit(
        token, [](std::int64_t, int) { ADD_FAILURE(); }, [&] { ended = true; });
    token->Cancel();
    blockade.Release();
  }
}

TEST(Pool, EveryJobEndsOnceUnderAStormOfJobsAndCancellations) {
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
    Pool pool(3);
    std::vector<std::thread> callers;
    callers.reserve(kCallers);
    for (int caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&pool, &mine = records[caller], caller] {
        std::mt19937 random(static_cast<unsigned>(caller));
        for (int k = 0; k < kJobs; ++k) {
          const int chunks = static_cast<int>(random() % 40);
          mine.push_back(std::make_unique<Record>(chunks));
          Record* const record = mine.back().get();
          const bool cancels = random() % 4 == 0;
          const int at = static_cast<int>(random() % 40);
          auto token = std::make_shared<CancellationToken>();
          Pool::Job job = JobOf(chunks, [=](std::int64_t chunk, int) {
            ++record->runs[static_cast<std::size_t>(chunk)];
            if (cancels && chunk == at) {
              record->cancelled = true;
              token->Cancel();
            }
          });
          job.cancellation = token;
          job.group = random() % 5;
          job.slow = random() % 2 == 0;
          job.max_concurrency = static_cast<int>(random() % 3);
          job.done = [record] { ++record->dones; };
          if (random() % 3 == 0) {
            pool.Run(std::move(job));
            EXPECT_EQ(record->dones, 1);
          } else {
            pool.Submit(std::move(job));
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

TEST(PoolCaller, WaitsForNoOtherJob) {
  for (const int threads : {1, 2}) {
    std::atomic<int> runs{0};
    bool done = false;
    {
      Pool pool(threads);
      Blockade blockade(pool);
      Pool::Job job = JobOf(100, [&](std::int64_t, int slot) {
        EXPECT_EQ(slot, Pool::kCaller);
        ++runs;
      });
      job.done = [&] { done = true; };
      pool.Run(std::move(job));
      EXPECT_TRUE(done);
      EXPECT_EQ(runs, 100);
      blockade.Release();
    }
    // Nor is there anything left of it for those who come too late.
    EXPECT_EQ(runs, 100);
  }
}

TEST(PoolCaller, TakesThePlaceOfOneThread) {
  Pool pool(3);
  Meeting meeting;
  pool.Run(meeting.Job(3));
  EXPECT_EQ(meeting.slots().size(), 3u);
  EXPECT_EQ(meeting.slots().count(Pool::kCaller), 1u);
}

TEST(PoolCaller, TakesThePlaceOfTheOnlyThread) {
  Pool pool(1);
  std::promise<void> other_done;
  std::vector<int> slots;
  pool.Run(JobOf(3, [&](std::int64_t chunk, int slot) {
    slots.push_back(slot);
    if (chunk > 0) return;
    // The pool's thread would come to this job before the other.
    pool.Submit([&other_done] { other_done.set_value(); });
    Await(other_done.get_future());
  }));
  EXPECT_EQ(slots, std::vector(3, Pool::kCaller));
}

TEST(PoolCaller, ReturnsAfterTheLastChunkAndDone) {
  Pool pool(4);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> inside{0}, runs{0}, dones{0};
    Pool::Job job = JobOf(1 + round % 8, [&](std::int64_t, int) {
      ++inside;
      std::this_thread::yield();
      ++runs;
      --inside;
    });
    job.done = [&] {
      EXPECT_EQ(inside, 0);
      std::this_thread::yield();
      ++dones;
    };
    const std::int64_t chunks = job.rows;
    pool.Run(std::move(job));
    ASSERT_EQ(runs, chunks);
    ASSERT_EQ(dones, 1);
  }
}

TEST(PoolCaller, ReturnsFromACancelledJob) {
  Pool pool(2);
  GivenUp given_up;
  pool.Run(given_up.Job());
  EXPECT_LT(given_up.runs(), 100);
  EXPECT_EQ(pool.jobs(), 0);
}

}  // namespace
}  // namespace torqued
