// Fair sharing of the cores between jobs of very different size.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/engine/engine.h"

namespace torqued {

/// Runs jobs as sequences of chunks on threads of its own. A free thread takes
/// the group of jobs that waits longest, starts one chunk of that job of it
/// which waits longest, and puts both behind the others. So the first chunk of
/// a new job waits for one chunk of every other group, and of every job of its
/// own, at most.
///
/// Slow jobs have a second set of threads, of low priority: the kernel
/// interrupts their chunks for the others, however long a chunk takes.
class Pool {
 public:
  struct Job {
    std::int64_t rows = 0;
    /// The chunks are multiples of it.
    std::int64_t block = 1;
    /// Nanoseconds of a core for a row, updated after each chunk: a chunk is
    /// 0.1 ms of rows, or less if that leaves threads without work. Null: a
    /// chunk is a block.
    std::atomic<double>* cost = nullptr;
    /// Called for every chunk, concurrently. Must not throw.
    std::function<void(std::int64_t begin, std::int64_t end)> run;
    /// Called exactly once, after the last chunk that was started: on a thread
    /// of the pool or in Run, or in Submit if there are no rows.
    std::function<void()> done;
    /// Chunks not yet started are dropped once it is cancelled; may be null.
    std::shared_ptr<const CancellationToken> cancellation;
    /// Whose job it is.
    std::uint64_t group = 0;
    bool slow = false;
    /// The most of its chunks that run at a time; 0 or less: as many as there
    /// are threads.
    int max_concurrency = 0;
  };

  /// Throws std::system_error if the system has no thread left.
  /// Without threads for slow jobs these run on the others.
  explicit Pool(int threads, bool slow = true);
  /// Waits for all jobs. Not to be called from a thread of the pool.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Returns at once. Throws std::bad_alloc; nothing of the job was called
  /// then.
  void Submit(Job job);
  /// Runs a plain function on the pool: one chunk.
  void Submit(std::function<void()> work, std::uint64_t group = 0);
  /// Returns when the job is done. The calling thread takes part in place of
  /// one of the pool, so that the job waits for no other. Not to be called from
  /// a thread of the pool unless max_concurrency is 1. Throws std::bad_alloc;
  /// nothing was run then.
  void Run(Job job);

  /// Threads of each set.
  int threads() const { return threads_; }
  /// Jobs that are not done.
  std::int64_t jobs() const { return jobs_; }
  /// Chunks of all jobs so far.
  std::int64_t chunks_started() const { return chunks_started_; }

 private:
  Pool() = default;

  struct Running;
  using Jobs = std::list<std::shared_ptr<Running>>;
  struct Group {
    std::uint64_t id = 0;
    Jobs jobs;  // the longest waiting first
  };
  using Groups = std::list<Group>;
  struct Set {
    Groups groups;  // with jobs, the longest waiting first
    std::condition_variable ready;
    std::vector<std::thread> threads;
  };

  std::shared_ptr<Running> Add(Job job);
  void Queue(Running& job);
  std::shared_ptr<Running> Pop(Set& set);
  void RunNext(Running& job, std::unique_lock<std::mutex>& lock);
  void Work(Set& set);
  void End(std::shared_ptr<Running> job);

  int threads_ = 0;
  std::mutex mutex_;               // of all that follows, and of the jobs
  std::condition_variable ended_;  // a job, or all chunks of one but a caller's
  Set fast_, slow_;
  Groups spare_;  // with those of the sets, one for each job
  std::atomic<std::int64_t> jobs_ = 0, chunks_started_ = 0;  // read without it
  bool closing_ = false;
};

}  // namespace torqued
