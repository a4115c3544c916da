#include "core/batch/chunk_scheduler.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace torqued {

struct ChunkScheduler::Impl {
  explicit Impl(int pool_threads) : threads(pool_threads), arena(threads, 0) {
    // TBB starts one worker less than the allowed parallelism, counting a
    // caller that here never takes part.
    const auto wanted = static_cast<std::size_t>(threads) + 1;
    if (tbb::global_control::active_value(
            tbb::global_control::max_allowed_parallelism) < wanted) {
      control.emplace(tbb::global_control::max_allowed_parallelism, wanted);
    }
    arena.initialize();
    // TBB starts threads for the first work. Where the system has none left it
    // throws, and leaves what is queued later lying without another try.
    arena.enqueue([] {});
  }

  /// A job under way: a cursor over its chunks.
  struct Running {
    Running(Job j, bool has_caller) : job(std::move(j)), joined(has_caller) {}

    bool cancelled() const {
      return job.cancellation != nullptr && job.cancellation->cancelled();
    }
    bool all_started() const { return next >= job.chunks; }

    const Job job;
    const bool joined;         // a caller of Run waits, and ends it
    std::int64_t next = 0;     // the first chunk that is not started
    std::int64_t running = 0;  // chunks that are started and not done
  };

  using Queue = std::list<std::shared_ptr<Running>>;

  /// Workers that are counted and have not begun. TBB may fail after it has
  /// queued a task, so a task that begins is a worker only if one is awaited;
  /// otherwise it may find the scheduler gone.
  using Awaited = std::atomic<int>;

  static bool Begin(Awaited& awaited) {
    int before = awaited.load();
    while (before > 0) {
      if (awaited.compare_exchange_weak(before, before - 1)) return true;
    }
    return false;
  }

  /// Hands over workers that are counted already. Where the pool fails, one at
  /// least comes forth: jobs of other threads may have counted on them too.
  void EnqueueWorkers(int count) {
    *awaited += count;
    for (; count > 0; --count) {
      try {
        arena.enqueue([this, entrance = awaited] {
          if (!Begin(*entrance)) return;
          std::unique_lock lock(mutex);
          Work(tbb::this_task_arena::current_thread_index(), lock);
        });
      } catch (...) {
        StandInFor(count);
        return;
      }
    }
  }

  /// The calling thread in place of workers that are missing, where there is no
  /// other. So only one thread stands in at a time, and the slot is its own.
  void StandInFor(int missing) {
    std::unique_lock lock(mutex);
    // Those that have begun all the same are missing no longer.
    while (missing > 0 && Begin(*awaited)) {
      --missing;
      --workers;
    }
    if (workers == 0 && !ready.empty()) {
      ++workers;
      Work(threads, lock);
    } else {
      idle.notify_all();
    }
  }

  /// The next chunk of a job; the lock is open meanwhile.
  void RunChunk(Running& job, int slot, std::unique_lock<std::mutex>& lock) {
    const std::int64_t chunk = job.next++;
    ++job.running;
    ++chunks_started;
    lock.unlock();
    job.job.run(chunk, slot);
    lock.lock();
    --job.running;
  }

  /// Chunk after chunk of the jobs whose turn it is, until none waits for one.
  /// Nothing is allocated: here, nobody could catch it.
  void Work(int slot, std::unique_lock<std::mutex>& lock) {
    while (!ready.empty()) {
      Queue turn;
      turn.splice(turn.end(), ready, ready.begin());
      std::shared_ptr<Running> job = turn.front();
      if (job->cancelled()) {
        job->next = job->job.chunks;
      } else {
        if (job->next + 1 < job->job.chunks) ready.splice(ready.end(), turn);
        RunChunk(*job, slot, lock);
      }
      if (!job->all_started() || job->running > 0) continue;
      if (job->joined) {
        // The caller's is the last reference.
        turn.clear();
        job.reset();
        idle.notify_all();
        continue;
      }
      lock.unlock();
      if (job->job.done) job->job.done();
      // What it holds is not ours to free under the lock.
      turn.clear();
      job.reset();
      lock.lock();
      --jobs;
    }
    --workers;
    // Notified under the lock: whoever waits may destroy this right after.
    idle.notify_all();
  }

  /// The chunks of a job that nobody else starts; returns when it is done.
  void Join(const std::shared_ptr<Running>& job) {
    std::unique_lock lock(mutex);
    while (!job->all_started()) {
      const bool cancelled = job->cancelled();
      const bool last = job->next + 1 == job->job.chunks;
      if (cancelled || last) ready.remove(job);
      if (cancelled) {
        job->next = job->job.chunks;
      } else {
        RunChunk(*job, kCaller, lock);
      }
    }
    idle.wait(lock, [&job] { return job->running == 0; });
    lock.unlock();
    if (job->job.done) job->job.done();
    lock.lock();
    --jobs;
    idle.notify_all();
  }

  const int threads;
  std::optional<tbb::global_control> control;
  tbb::task_arena arena;
  std::mutex mutex;  // of all that follows, and of the cursors
  std::condition_variable idle;
  /// Jobs with chunks to start, each once, the longest waiting first.
  Queue ready;
  int workers = 0;  // awaited or running, or about to be awaited
  const std::shared_ptr<Awaited> awaited = std::make_shared<Awaited>(0);
  std::int64_t jobs = 0;
  std::int64_t chunks_started = 0;
};

ChunkScheduler::ChunkScheduler(int threads)
    : threads_(std::max(1, threads)), impl_(std::make_unique<Impl>(threads_)) {}

ChunkScheduler::~ChunkScheduler() {
  std::unique_lock lock(impl_->mutex);
  impl_->idle.wait(lock,
                   [this] { return impl_->jobs == 0 && impl_->workers == 0; });
}

void ChunkScheduler::Submit(Job job) {
  if (job.chunks <= 0) {
    if (job.done) job.done();
    return;
  }
  const std::int64_t chunks = job.chunks;
  Impl::Queue turn;
  turn.push_back(std::make_shared<Impl::Running>(std::move(job), false));
  int more = 0;
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->ready.splice(impl_->ready.end(), turn);
    ++impl_->jobs;
    more = static_cast<int>(
        std::min<std::int64_t>(chunks, threads_ - impl_->workers));
    impl_->workers += more;
  }
  impl_->EnqueueWorkers(more);
}

void ChunkScheduler::Run(Job job) {
  if (job.chunks <= 0) {
    if (job.done) job.done();
    return;
  }
  const std::int64_t helpers =
      std::min<std::int64_t>(job.chunks - 1, threads_ - 1);
  const auto running = std::make_shared<Impl::Running>(std::move(job), true);
  Impl::Queue turn{running};
  int more = 0;
  {
    const std::scoped_lock lock(impl_->mutex);
    ++impl_->jobs;
    if (helpers > 0) {
      impl_->ready.splice(impl_->ready.end(), turn);
      more = static_cast<int>(
          std::min<std::int64_t>(helpers, threads_ - impl_->workers));
      impl_->workers += more;
    }
  }
  impl_->EnqueueWorkers(more);
  impl_->Join(running);
}

void ChunkScheduler::Submit(std::function<void()> work) {
  Job job;
  job.chunks = 1;
  job.run = [work = std::move(work)](std::int64_t, int) { work(); };
  Submit(std::move(job));
}

std::int64_t ChunkScheduler::jobs() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->jobs;
}

std::int64_t ChunkScheduler::chunks_started() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->chunks_started;
}

}  // namespace torqued
