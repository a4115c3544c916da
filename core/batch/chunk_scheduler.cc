#include "core/batch/chunk_scheduler.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace torqued {

struct ChunkScheduler::Impl {
  explicit Impl(int threads) : arena(threads, 0) {
    // TBB starts one worker less than the allowed parallelism, counting a
    // caller that here never takes part.
    const auto wanted = static_cast<std::size_t>(threads) + 1;
    if (tbb::global_control::active_value(
            tbb::global_control::max_allowed_parallelism) < wanted) {
      control.emplace(tbb::global_control::max_allowed_parallelism, wanted);
    }
    arena.initialize();
  }

  /// A job under way: a cursor over its chunks.
  struct Running {
    explicit Running(Job j) : job(std::move(j)) {}

    bool cancelled() const {
      return job.cancellation != nullptr && job.cancellation->cancelled();
    }
    bool all_started() const { return next >= job.chunks; }

    const Job job;
    std::int64_t next = 0;     // the first chunk that is not started
    std::int64_t running = 0;  // chunks that are started and not done
  };

  void EnqueueStep() {
    arena.enqueue([this] { Step(); });
  }

  /// One chunk of the job whose turn it is. Then the worker queues again behind
  /// whatever else TBB has to do, or goes when no job waits for a turn.
  void Step() {
    std::unique_lock lock(mutex);
    if (!ready.empty()) {
      std::shared_ptr<Running> job = std::move(ready.front());
      ready.pop_front();
      if (job->cancelled()) {
        job->next = job->job.chunks;
      } else {
        const std::int64_t chunk = job->next++;
        ++job->running;
        ++chunks_started;
        if (!job->all_started()) ready.push_back(job);
        lock.unlock();
        job->job.run(chunk, tbb::this_task_arena::current_thread_index());
        lock.lock();
        --job->running;
      }
      if (job->all_started() && job->running == 0) {
        lock.unlock();
        if (job->job.done) job->job.done();
        job.reset();  // what it holds is not ours to free under the lock
        lock.lock();
        --jobs;
      }
    }
    if (!ready.empty()) {
      lock.unlock();
      EnqueueStep();
      return;
    }
    --workers;
    // Notified under the lock: whoever waits may destroy this right after.
    idle.notify_all();
  }

  std::optional<tbb::global_control> control;
  tbb::task_arena arena;
  std::mutex mutex;  // of all that follows, and of the cursors
  std::condition_variable idle;
  /// Jobs with chunks to start, each once, the longest waiting first.
  std::deque<std::shared_ptr<Running>> ready;
  int workers = 0;  // steps that are queued or running
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
  auto running = std::make_shared<Impl::Running>(std::move(job));
  int more = 0;
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->ready.push_back(std::move(running));
    ++impl_->jobs;
    more = static_cast<int>(
        std::min<std::int64_t>(chunks, threads_ - impl_->workers));
    impl_->workers += more;
  }
  for (int i = 0; i < more; ++i) impl_->EnqueueStep();
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
