// Whose turn it is on the threads of a Pool, and how its jobs end.
#include "core/engine/pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cctype>
#include <deque>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/await.h"

namespace torqued {
namespace {

/// A chunk is a row.
Pool::Job JobOf(std::int64_t rows, std::function<void(std::int64_t row)> run) {
  Pool::Job job;
  job.rows = rows;
  job.run = [run = std::move(run)](std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(end, begin + 1);
    run(begin);
  };
  return job;
}

/// Returns when the job is done; the caller takes part if it says so.
void Finish(Pool& pool, Pool::Job job, bool by_caller = false) {
  if (by_caller) return pool.Run(std::move(job));
  std::promise<void> finished;
  job.done = [&finished] { finished.set_value(); };
  pool.Submit(std::move(job));
  Await(finished.get_future());
}

/// Holds all threads of a set until it is released.
class Blockade {
 public:
  explicit Blockade(Pool& pool, bool slow = false) {
    Pool::Job job =
        JobOf(pool.threads(),
              [this, released = release_.get_future().share()](std::int64_t) {
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

TEST(Pool, UsesTheThreadsItWasGivenOrTheCallerInPlaceOfOne) {
  for (const bool by_caller : {false, true}) {
    Pool pool(3);
    std::array<std::thread::id, 3> threads;
    std::atomic<int> inside{0};
    const auto meet = [&](std::int64_t row) {
      ++inside;
      Await([&] { return inside == 3; });
      threads[static_cast<std::size_t>(row)] = std::this_thread::get_id();
    };
    Finish(pool, JobOf(3, meet), by_caller);
    const std::set distinct(threads.begin(), threads.end());
    EXPECT_EQ(distinct.size(), 3u);
    EXPECT_EQ(distinct.contains(std::this_thread::get_id()), by_caller);
  }
}

TEST(Pool, AChunkTakesATenthOfAMillisecond) {
  Pool pool(2);
  std::atomic<double> cost;
  const auto job_of = [&](std::int64_t rows) {
    Pool::Job job;
    job.rows = rows;
    job.block = 8;
    job.cost = &cost;
    return job;
  };
  const auto first_chunk = [&](double row, std::int64_t rows) {
    const auto token = std::make_shared<CancellationToken>();
    std::int64_t first = 0;
    Pool::Job job = job_of(rows);
    job.max_concurrency = 1;
    job.cancellation = token;
    job.run = [&](std::int64_t, std::int64_t end) {
      first = end;
      token->Cancel();
    };
    cost = row;
    pool.Run(std::move(job));
    return first;
  };
  EXPECT_EQ(first_chunk(100, 1'000'000), 1000);
  EXPECT_EQ(first_chunk(100, 3), 3);
  // Some for each thread, none of less than 20 µs.
  EXPECT_EQ(first_chunk(100, 16'000), 496);
  EXPECT_EQ(first_chunk(100, 1000), 200);
  // A block at least, however long it takes.
  EXPECT_EQ(first_chunk(1e9, 1'000'000), 8);
  // Measured: rows that take longer than was thought make shorter chunks, and
  // a single chunk has not the only say.
  cost = 100;
  for (int k = 0; k < 21; ++k) {
    Pool::Job job = job_of(3);
    job.run = [](std::int64_t, std::int64_t) {
      std::atomic<int> spins = 0;
      while (++spins < 100'000) {
      }
    };
    Finish(pool, std::move(job), /*by_caller=*/k % 2 == 0);
    if (k == 0) EXPECT_EQ(cost, 400);
  }
  EXPECT_GT(cost, 5000);
  EXPECT_EQ(first_chunk(cost, 1'000'000), 8);
}

TEST(Pool, SlowJobsHaveThreadsOfLowPriorityAndBlockNobody) {
  Pool pool(1);
  const auto nice = [] { return getpriority(PRIO_PROCESS, 0); };
  std::promise<int> others_ran;
  int other_nice = 0, slow_nice = 0;
  Pool::Job slow = JobOf(1, [&](std::int64_t) {
    pool.Submit([&] { others_ran.set_value(nice()); });
    other_nice = Await(others_ran.get_future());
    slow_nice = nice();
  });
  slow.slow = true;
  Finish(pool, std::move(slow));
  EXPECT_EQ(other_nice, nice());
  EXPECT_GT(slow_nice, nice());
  Pool without(1, /*slow=*/false);
  Pool::Job other = JobOf(1, [&](std::int64_t) { slow_nice = nice(); });
  other.slow = true;
  Finish(without, std::move(other));
  EXPECT_EQ(slow_nice, nice());
}

struct NamedJob {
  char name;
  int chunks;
  std::uint64_t group = 0;
  /// In the first chunk of all.
  bool cancelled = false;
};

/// The chunks of jobs that are all there before one thread runs them, in its
/// order, and the ends of those that are cancelled: "a0b0Ca1".
std::string OrderOf(const std::vector<NamedJob>& jobs) {
  std::string order;
  {
    const auto token = std::make_shared<CancellationToken>();
    Pool pool(1);
    Blockade blockade(pool);
    for (const auto& [name, chunks, group, cancelled] : jobs) {
      const auto run = [&order, token, letter = name](std::int64_t chunk) {
        token->Cancel();
        order += letter;
        order += std::to_string(chunk);
      };
      Pool::Job job = JobOf(chunks, run);
      job.group = group;
      if (cancelled) {
        job.cancellation = token;
        job.done = [&order, letter = name] {
          order += static_cast<char>(std::toupper(letter));
        };
      }
      pool.Submit(std::move(job));
    }
    blockade.Release();
  }
  return order;
}

TEST(Pool, JobsTakeTurnsChunkByChunkAndTheirGroupsFirst) {
  EXPECT_EQ(OrderOf({{'a', 4}, {'b', 2}, {'c', 1}}), "a0b0c0a1b1a2a3");
  EXPECT_EQ(OrderOf({{'a', 4, 1}, {'b', 2, 1}, {'c', 1, 1}, {'d', 3, 2}}),
            "a0d0b0d1c0d2a1b1a2a3");
  // A group keeps its turn if its first jobs are cancelled.
  EXPECT_EQ(OrderOf({{'a', 1, 1},
                     {'b', 1, 2, true},
                     {'c', 1, 2, true},
                     {'d', 1, 3},
                     {'e', 1, 2}}),
            "a0BCe0d0");
}

TEST(Pool, ANewJobWaitsForOneChunkOfEachJobUnderWay) {
  for (const int threads : {1, 2, 4}) {
    std::atomic<bool> small_ran{false};
    std::atomic<int> early{0};
    {
      Pool pool(threads);
      Blockade blockade(pool);
      for (int large = 0; large < 5; ++large) {
        pool.Submit(JobOf(1000, [&](std::int64_t chunk) {
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

TEST(Pool, AfterCancellationOnlyTheChunksUnderWayEnd) {
  for (const bool by_caller : {false, true}) {
    const auto token = std::make_shared<CancellationToken>();
    std::atomic<int> runs{0};
    std::promise<void> all_run, release;
    Pool pool(3);
    Pool::Job job = JobOf(
        100'000, [&, released = release.get_future().share()](std::int64_t) {
          if (++runs == 3) all_run.set_value();
          released.wait();
        });
    job.cancellation = token;
    auto end = std::async(std::launch::async,
                          [&] { Finish(pool, std::move(job), by_caller); });
    Await(all_run.get_future());
    EXPECT_EQ(pool.jobs(), 1);
    token->Cancel();
    release.set_value();
    Await(end);
    EXPECT_EQ(runs, 3);
    EXPECT_TRUE(!by_caller || pool.jobs() == 0);
  }
}

TEST(Pool, ACancelledSlowJobWaitsForNoOtherChunk) {
  const auto token = std::make_shared<CancellationToken>();
  std::atomic<bool> ended{false};
  Pool pool(1);
  Blockade blockade(pool, /*slow=*/true);
  Pool::Job first = JobOf(1, [&](std::int64_t) { EXPECT_TRUE(ended); });
  Pool::Job second = JobOf(1, [](std::int64_t) { ADD_FAILURE(); });
  second.cancellation = token;
  second.done = [&] { ended = true; };
  for (Pool::Job* job : {&first, &second}) {
    job->slow = true;
    pool.Submit(std::move(*job));
  }
  token->Cancel();
  blockade.Release();
}

TEST(Pool, UnderAStormOfJobsEachRunsItsRowsOnceAndThenEndsOnce) {
  struct Record {
    explicit Record(std::size_t rows) : runs(rows) {}

    std::vector<std::atomic<int>> runs;
    std::atomic<int> inside{0}, dones{0};
    std::atomic<bool> cancelled{false};
  };
  std::deque<Record> records[3];
  std::atomic<double> cost = 1000;
  {
    Pool pool(3);
    const auto call = [&](std::deque<Record>& mine, unsigned seed) {
      std::mt19937 random(seed);
      for (int k = 0; k < 4000; ++k) {
        Record& record =
            mine.emplace_back(random() % (k % 50 == 0 ? 3000 : 40));
        const auto token = std::make_shared<CancellationToken>();
        const auto cancel = [&record, token] {
          record.cancelled = true;
          token->Cancel();
        };
        const int cancels_at =
            random() % 4 == 0 ? static_cast<int>(random() % 40) : -1;
        Pool::Job job;
        job.rows = std::ssize(record.runs);
        job.block = std::array{1, 1, 8, 5000}[random() % 4];
        if (random() % 2 == 0) job.cost = &cost;
        job.cancellation = token;
        job.group = random() % 5;
        job.slow = random() % 2 == 0;
        job.max_concurrency = static_cast<int>(random() % 5) - 1;
        const int most = job.max_concurrency < 1 ? 3 : job.max_concurrency;
        job.run = [=, block = job.block, &record](std::int64_t begin,
                                                  std::int64_t end) {
          EXPECT_LE(++record.inside, most);
          EXPECT_EQ(begin % block, 0);
          for (; begin < end; ++begin) {
            ++record.runs[static_cast<std::size_t>(begin)];
            if (begin == cancels_at) cancel();
          }
          std::this_thread::yield();
          --record.inside;
        };
        job.done = [&record] {
          EXPECT_EQ(record.inside, 0);
          std::this_thread::yield();
          ++record.dones;
        };
        const bool by_caller = random() % 3 == 0;
        if (by_caller) {
          pool.Run(std::move(job));
        } else {
          pool.Submit(std::move(job));
        }
        if (by_caller || record.runs.empty()) EXPECT_EQ(record.dones, 1);
        // From outside too, at whatever stage it is.
        if (random() % 8 == 0) cancel();
      }
    };
    std::thread callers[3];
    for (unsigned k = 0; k < 3; ++k) {
      callers[k] = std::thread(call, std::ref(records[k]), k);
    }
    for (std::thread& caller : callers) caller.join();
  }
  for (const auto& mine : records) {
    for (const Record& record : mine) {
      ASSERT_EQ(record.dones, 1);
      for (const auto& runs : record.runs) {
        ASSERT_LE(runs, 1);
        ASSERT_TRUE(runs == 1 || record.cancelled);
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
  const auto caller = std::this_thread::get_id();
  for (const int threads : {1, 2}) {
    std::atomic<int> runs{0};
    {
      Pool pool(threads);
      Blockade blockade(pool);
      pool.Run(JobOf(100, [&](std::int64_t) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        ++runs;
      }));
      EXPECT_EQ(runs, 100);
      blockade.Release();
    }
    // Nor is there anything left of it for those who come too late.
    EXPECT_EQ(runs, 100);
  }
}

TEST(PoolCaller, TakesThePlaceOfTheOnlyThreadThatTheJobMayHave) {
  for (const int max_concurrency : {0, 1}) {
    Pool pool(max_concurrency == 0 ? 1 : 2);
    std::promise<void> other_done;
    std::vector<std::thread::id> threads;
    Pool::Job job = JobOf(3, [&](std::int64_t chunk) {
      threads.push_back(std::this_thread::get_id());
      if (chunk > 0) return;
      // The pool's thread would come to this job before the other.
      pool.Submit([&other_done] { other_done.set_value(); });
      Await(other_done.get_future());
    });
    job.max_concurrency = max_concurrency;
    pool.Run(std::move(job));
    EXPECT_EQ(threads, std::vector(3, std::this_thread::get_id()));
  }
}

}  // namespace
}  // namespace torqued
