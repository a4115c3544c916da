#include "core/batch/chunk_scheduler.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <condition_variable>
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

  /// A job under way: a cursor over its chunks, shared by its tasks.
  struct Running {
    explicit Running(Job j) : job(std::move(j)) {}

    bool cancelled() const {
      return job.cancellation != nullptr && job.cancellation->cancelled();
    }

    Job job;
    std::atomic<std::int64_t> next{0};
    std::atomic<int> tasks{0};
  };

  void Enqueue(std::shared_ptr<Running> running) {
    arena.enqueue([this, running = std::move(running)] { Step(running); });
  }

  /// One chunk, then back to the end of the queue.
  void Step(const std::shared_ptr<Running>& running) {
    if (!running->cancelled()) {
      const std::int64_t chunk = running->next.fetch_add(1);
      if (chunk < running->job.chunks) {
        running->job.run(chunk, tbb::this_task_arena::current_thread_index());
        if (chunk + 1 < running->job.chunks) {
          Enqueue(running);
          return;
        }
      }
    }
    if (running->tasks.fetch_sub(1) == 1) Finish(*running);
  }

  void Finish(Running& running) {
    if (running.job.done) running.job.done();
    // Notified under the lock: whoever waits may destroy this right after.
    const std::scoped_lock lock(mutex);
    if (--jobs == 0) idle.notify_all();
  }

  std::optional<tbb::global_control> control;
  tbb::task_arena arena;
  std::mutex mutex;
  std::condition_variable idle;
  std::int64_t jobs = 0;
};

ChunkScheduler::ChunkScheduler(int threads)
    : threads_(std::max(1, threads)), impl_(std::make_unique<Impl>(threads_)) {}

ChunkScheduler::~ChunkScheduler() {
  std::unique_lock lock(impl_->mutex);
  impl_->idle.wait(lock, [this] { return impl_->jobs == 0; });
}

void ChunkScheduler::Submit(Job job) {
  if (job.chunks <= 0) {
    if (job.done) job.done();
    return;
  }
  {
    const std::scoped_lock lock(impl_->mutex);
    ++impl_->jobs;
  }
  const int tasks =
      static_cast<int>(std::min<std::int64_t>(job.chunks, threads_));
  auto running = std::make_shared<Impl::Running>(std::move(job));
  running->tasks.store(tasks);
  for (int i = 0; i < tasks; ++i) impl_->Enqueue(running);
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

}  // namespace torqued
