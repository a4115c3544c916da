#include "core/batch/chunk_scheduler.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;

/// Between looks for cancelled jobs among all those of long chunks that wait.
constexpr std::chrono::milliseconds kLookForCancelled{1};
/// So many cancelled jobs are ended in one go: the end of each may take some
/// microseconds.
constexpr std::size_t kMostEnded = 64;

/// Allows TBB to start the threads of a pool. TBB heeds the least of all
/// limits, so all pools share one limit, which lasts as long as there is a
/// pool; it is no lower than what held for the process when the first one came.
class Threads {
 public:
  explicit Threads(int count) : count_(count) { Change(count_); }
  ~Threads() {
    try {
      Change(-count_);
    } catch (...) {
      return;  // no memory: the limit stays higher than it need be
    }
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  using Limit = tbb::global_control;

  static void Change(int by) {
    static std::mutex mutex;
    static int of_all_pools = 0;
    static std::size_t of_others = 0;  // when the first pool came
    static std::unique_ptr<Limit> limit;
    const std::scoped_lock lock(mutex);
    const int count = of_all_pools + by;
    if (count == 0) {
      limit.reset();
      of_all_pools = 0;
      return;
    }
    constexpr auto kParallelism = Limit::max_allowed_parallelism;
    if (limit == nullptr) of_others = Limit::active_value(kParallelism);
    // TBB starts one worker less than the allowed parallelism, counting a
    // caller that here never takes part.
    const int wanted = std::max(count + 1, tbb::info::default_concurrency());
    // The old one stays until the new one counts.
    auto next = std::make_unique<Limit>(
        kParallelism, std::max(static_cast<std::size_t>(wanted), of_others));
    limit.swap(next);
    of_all_pools = count;
  }

  int count_;
};

}  // namespace

struct ChunkScheduler::Impl {
  explicit Impl(int pool_threads)
      : threads(pool_threads), allowed(threads), arena(threads, 0) {
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
    /// Another chunk may start.
    bool may_go_on() const {
      return job.most_running == 0 || running < job.most_running;
    }

    const Job job;
    const bool joined;         // a caller of Run waits, and ends it
    std::int64_t next = 0;     // the first chunk that is not started
    std::int64_t running = 0;  // chunks that are started and not done
  };

  using Queue = std::list<std::shared_ptr<Running>>;

  /// Jobs with chunks to start, each once, and whose turn it is.
  class Turns {
   public:
    bool empty() const { return groups_.empty(); }
    /// How many have jobs here.
    std::size_t groups() const { return groups_.size(); }

    /// The only job of `job`, behind the others. Throws std::bad_alloc; nothing
    /// is added then.
    void Add(Queue& job) {
      const std::uint64_t id = job.front()->job.group;
      auto found = by_id_.find(id);
      if (found == by_id_.end()) {
        groups_.push_back({id, {}});
        try {
          found = by_id_.emplace(id, std::prev(groups_.end())).first;
        } catch (...) {
          groups_.pop_back();
          throw;
        }
      }
      Queue& line = found->second->jobs;
      line.splice(line.end(), job);
    }

    /// Whether there is such a job: the first one is in front then. Those
    /// before it keep their places behind it.
    template <class Condition>
    bool Advance(Condition condition) {
      for (auto group = groups_.begin(); group != groups_.end(); ++group) {
        Queue& line = group->jobs;
        const auto job = std::find_if(
            line.begin(), line.end(),
            [&](const auto& waiting) { return condition(*waiting); });
        if (job == line.end()) continue;
        line.splice(line.begin(), line, job);
        groups_.splice(groups_.begin(), groups_, group);
        return true;
      }
      return false;
    }

    /// The job whose turn it is.
    const std::shared_ptr<Running>& front() const {
      return groups_.front().jobs.front();
    }

    /// The first jobs of these, `most` of them, come to `taken`. The others
    /// keep their places. Nothing is allocated.
    template <class Condition>
    void Take(Condition condition, std::size_t most, Queue& taken) {
      auto group = groups_.begin();
      while (group != groups_.end() && taken.size() < most) {
        Queue& line = group->jobs;
        auto job = line.begin();
        while (job != line.end() && taken.size() < most) {
          const auto next = std::next(job);
          if (condition(**job)) taken.splice(taken.end(), line, job);
          job = next;
        }
        const auto next = std::next(group);
        if (line.empty()) Erase(group);
        group = next;
      }
    }

    /// It goes behind the others, or away where nothing of it is left.
    void Pass(bool stays) {
      Queue& line = groups_.front().jobs;
      if (stays) {
        line.splice(line.end(), line, line.begin());
      } else {
        line.pop_front();
      }
      if (line.empty()) {
        Erase(groups_.begin());
      } else {
        groups_.splice(groups_.end(), groups_, groups_.begin());
      }
    }

    void Remove(const std::shared_ptr<Running>& job) {
      const auto found = by_id_.find(job->job.group);
      if (found == by_id_.end()) return;
      const auto group = found->second;
      group->jobs.remove(job);
      if (group->jobs.empty()) Erase(group);
    }

   private:
    struct Group {
      std::uint64_t id;
      Queue jobs;  // the longest waiting first
    };
    using Groups = std::list<Group>;

    void Erase(Groups::iterator group) {
      by_id_.erase(group->id);
      groups_.erase(group);
    }

    Groups groups_;  // the longest waiting first
    std::unordered_map<std::uint64_t, Groups::iterator> by_id_;
  };

  Turns& TurnsOf(const Running& job) {
    return job.job.long_chunks ? long_turns : turns;
  }
  bool any_ready() const { return !turns.empty() || !long_turns.empty(); }

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
    if (workers == 0 && any_ready()) {
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
    if (job.job.most_running > 0) ready.notify_all();
  }

  enum class Turn : std::uint8_t {
    kNobodys,  // no job may go on
    kEnded,    // cancelled jobs were ended; no job has had its turn
    kTaken
  };

  /// Runs a chunk of the job whose turn it is; the lock is open meanwhile.
  /// Cancelled jobs before that job are ended first, some at a time. This
  /// allocates nothing: no caller could handle std::bad_alloc.
  Turn RunNext(Turns& from, int slot, std::unique_lock<std::mutex>& lock) {
    bool any_over = false;
    const bool any = from.Advance([&any_over](const Running& job) {
      if (!job.cancelled()) return job.may_go_on();
      any_over = true;
      return false;
    });
    if (any_over) {
      EndCancelled(from, lock);
      return Turn::kEnded;
    }
    if (!any) return Turn::kNobodys;
    std::shared_ptr<Running> job = from.front();
    from.Pass(job->next + 1 < job->job.chunks);
    RunChunk(*job, slot, lock);
    EndIfDone(std::move(job), lock);
    return Turn::kTaken;
  }

  void EndIfDone(std::shared_ptr<Running> job,
                 std::unique_lock<std::mutex>& lock) {
    if (!job->all_started() || job->running > 0) return;
    if (job->joined) {
      // The caller's is the last reference.
      job.reset();
      idle.notify_all();
      return;
    }
    lock.unlock();
    if (job->job.done) job->job.done();
    // What it holds is not ours to free under the lock.
    job.reset();
    lock.lock();
    --jobs;
  }

  /// One chunk of every group that waits, but none that takes long. Ends early
  /// once `own` is cancelled. False where none of them may go on.
  bool RunRound(int slot, const CancellationToken* own,
                std::unique_lock<std::mutex>& lock) {
    bool any = false;
    for (std::size_t left = turns.groups(); left > 0;) {
      if (own != nullptr && own->cancelled()) break;
      const Turn turn = RunNext(turns, slot, lock);
      if (turn == Turn::kNobodys) break;
      if (turn == Turn::kTaken) --left;
      any = true;
    }
    return any;
  }

  /// Ends jobs that wait and are cancelled, some of them; the lock is open
  /// meanwhile.
  void EndCancelled(Turns& from, std::unique_lock<std::mutex>& lock) {
    Queue over;
    from.Take([](const Running& job) { return job.cancelled(); }, kMostEnded,
              over);
    over.remove_if([this](const std::shared_ptr<Running>& job) {
      job->next = job->job.chunks;
      if (job->joined) idle.notify_all();
      // Its caller ends it, or its last chunk does.
      return job->joined || job->running > 0;
    });
    if (over.empty()) return;
    const auto ended = static_cast<std::int64_t>(over.size());
    lock.unlock();
    for (std::shared_ptr<Running>& job : over) {
      if (job->job.done) job->job.done();
      job.reset();
    }
    lock.lock();
    jobs -= ended;
  }

  /// That of jobs of long chunks. All of them are looked at, so that only one
  /// of the threads does so in a while.
  void LookForCancelled(Clock::time_point now,
                        std::unique_lock<std::mutex>& lock) {
    if (long_turns.empty() || now < next_look) return;
    next_look = now + kLookForCancelled;
    EndCancelled(long_turns, lock);
  }

  /// Chunk after chunk, until no job waits for one. A long one goes first,
  /// since it gives way to all others.
  void Work(int slot, std::unique_lock<std::mutex>& lock) {
    while (any_ready()) {
      const bool any_long = RunNext(long_turns, slot, lock) != Turn::kNobodys;
      const bool any_short = RunRound(slot, nullptr, lock);
      // Jobs that may not go on do so when one of their chunks is done.
      if (!any_long && !any_short && any_ready()) ready.wait(lock);
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
      if (cancelled || last) {
        TurnsOf(*job).Remove(job);
        ready.notify_all();
      }
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
  const Threads allowed;
  tbb::task_arena arena;
  std::mutex mutex;  // of all that follows, and of the cursors
  std::condition_variable idle;
  std::condition_variable ready;  // a job more, or one that may go on again
  Turns turns;
  Turns long_turns;  // of jobs whose chunks take long
  int workers = 0;   // awaited or running, or about to be awaited
  const std::shared_ptr<Awaited> awaited = std::make_shared<Awaited>(0);
  std::int64_t jobs = 0;
  std::int64_t chunks_started = 0;
  std::int64_t pauses = 0;
  Clock::time_point next_look{};  // for cancelled jobs
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
    impl_->TurnsOf(*turn.front()).Add(turn);
    impl_->ready.notify_all();
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
    if (helpers > 0) {
      impl_->TurnsOf(*running).Add(turn);
      impl_->ready.notify_all();
    }
    ++impl_->jobs;
    if (helpers > 0) {
      more = static_cast<int>(
          std::min<std::int64_t>(helpers, threads_ - impl_->workers));
      impl_->workers += more;
    }
  }
  impl_->EnqueueWorkers(more);
  impl_->Join(running);
}

void ChunkScheduler::Submit(std::function<void()> work, std::uint64_t group) {
  Job job;
  job.chunks = 1;
  job.group = group;
  job.run = [work = std::move(work)](std::int64_t, int) { work(); };
  Submit(std::move(job));
}

void ChunkScheduler::GiveWay(int slot, std::chrono::nanoseconds piece,
                             const CancellationToken& own) {
  // What runs in a pause has no slot to give way to others again.
  assert(slot <= threads_);
  std::unique_lock lock(impl_->mutex);
  ++impl_->pauses;
  if (slot == kCaller) return;
  impl_->LookForCancelled(Clock::now(), lock);
  const auto now = Clock::now();
  while (impl_->RunRound(slot + threads_ + 1, &own, lock) && !own.cancelled() &&
         Clock::now() < now + piece) {
  }
}

std::int64_t ChunkScheduler::jobs() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->jobs;
}

std::int64_t ChunkScheduler::chunks_started() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->chunks_started;
}

std::int64_t ChunkScheduler::pauses() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->pauses;
}

}  // namespace torqued
