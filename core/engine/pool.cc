#include "core/engine/pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace torqued {
namespace {

/// Short beside what a small job tolerates, and beside its own job, since
/// threads begin late and the last one ends alone. But long beside taking the
/// next one, which costs some hundred nanoseconds.
constexpr double kMaxChunkNanoseconds = 100'000;
constexpr double kMinChunkNanoseconds = 20'000;
constexpr double kChunksPerThread = 16;
/// Rows may turn out a hundred times as costly as those before.
constexpr std::int64_t kMaxChunkRows = 2048;

/// Added to the nice value.
constexpr int kLowPriority = 10;

/// CPU time of the calling thread: others may interrupt it.
double ThreadNanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec);
}

/// Of the next chunk of a job that has `left` rows.
std::int64_t ChunkRows(const Pool::Job& job, std::int64_t left, int threads) {
  if (job.cost == nullptr) return std::min(left, job.block);
  const double row = job.cost->load(std::memory_order_relaxed);
  const double chunk =
      threads == 1 ? kMaxChunkNanoseconds
                   : std::clamp(row * static_cast<double>(left) /
                                    (kChunksPerThread * threads),
                                kMinChunkNanoseconds, kMaxChunkNanoseconds);
  const std::int64_t rows =
      std::min(static_cast<std::int64_t>(chunk / row), kMaxChunkRows);
  return std::min(left, std::max(rows / job.block * job.block, job.block));
}

void RunChunk(const Pool::Job& job, std::int64_t begin, std::int64_t end) {
  if (job.cost == nullptr) return job.run(begin, end);
  const double begun = ThreadNanoseconds();
  job.run(begin, end);
  // A block that is not full takes as long as a full one.
  const std::int64_t blocks = (end - begin + job.block - 1) / job.block;
  const double row =
      (ThreadNanoseconds() - begun) / static_cast<double>(blocks * job.block);
  const double before = job.cost->load(std::memory_order_relaxed);
  // One chunk alone may have had to get its memory from the system.
  job.cost->store(std::clamp(row, before / 4, before * 4),
                  std::memory_order_relaxed);
}

}  // namespace

struct Pool::Impl {
  struct Running;
  using Jobs = std::list<std::shared_ptr<Running>>;

  struct Running {
    bool cancelled() const {
      return job.cancellation != nullptr && job.cancellation->cancelled();
    }
    bool all_started() const { return next >= job.rows; }

    Job job;
    bool joined = false;    // a caller of Run waits, and ends it
    std::int64_t next = 0;  // the first row that is not started
    int running = 0;        // chunks under way
    Jobs waiting;           // itself, if it is not queued and has rows left
  };
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

  ~Impl() {
    {
      std::unique_lock lock(mutex);
      ended.wait(lock, [this] { return jobs == 0; });
      closing = true;
    }
    for (Set* set : {&fast, &slow}) {
      set->ready.notify_all();
      for (std::thread& thread : set->threads) thread.join();
    }
  }

  /// Throws std::bad_alloc; nothing is added then. Whatever follows allocates
  /// nothing, since nobody could handle it: the nodes of the lists are made
  /// here.
  std::shared_ptr<Running> Add(Job job, int threads) {
    if (job.max_concurrency == 0) job.max_concurrency = threads;
    auto running = std::make_shared<Running>();
    running->job = std::move(job);
    Jobs node{running};
    Groups group(1);
    const std::scoped_lock lock(mutex);
    running->waiting.swap(node);
    spare.splice(spare.end(), group);
    ++jobs;
    return running;
  }

  Set& SetOf(const Running& job) { return job.job.slow ? slow : fast; }

  /// Behind the others of its group, if it may go on.
  void Queue(Running& job) {
    if (job.waiting.empty() || job.all_started() ||
        job.running >= job.job.max_concurrency) {
      return;
    }
    Set& set = SetOf(job);
    auto group =
        std::find_if(set.groups.begin(), set.groups.end(),
                     [&](const Group& g) { return g.id == job.job.group; });
    if (group == set.groups.end()) {
      group = spare.begin();
      group->id = job.job.group;
      set.groups.splice(set.groups.end(), spare, group);
    }
    group->jobs.splice(group->jobs.end(), job.waiting);
    set.ready.notify_one();
  }

  /// The job that waits longest, of the group that waits longest; cancelled
  /// jobs do not use up their group's turn.
  std::shared_ptr<Running> Pop(Set& set) {
    auto group = set.groups.begin();
    auto job = group->jobs.begin();
    // Others wait for many milliseconds of slow jobs before them.
    for (auto g = group; &set == &slow && g != set.groups.end(); ++g) {
      const auto cancelled =
          std::find_if(g->jobs.begin(), g->jobs.end(),
                       [](const auto& j) { return j->cancelled(); });
      if (cancelled == g->jobs.end()) continue;
      group = g;
      job = cancelled;
      break;
    }
    std::shared_ptr<Running> popped = *job;
    popped->waiting.splice(popped->waiting.end(), group->jobs, job);
    if (group->jobs.empty()) {
      spare.splice(spare.end(), set.groups, group);
    } else if (!popped->cancelled()) {
      set.groups.splice(set.groups.end(), set.groups, group);
    }
    return popped;
  }

  /// The next chunk of a job; the lock is open meanwhile. Other threads may go
  /// on with the job.
  void RunNext(Running& job, std::unique_lock<std::mutex>& lock) {
    const std::int64_t begin = job.next;
    const auto threads = static_cast<int>(fast.threads.size());
    job.next += ChunkRows(job.job, job.job.rows - begin, threads);
    const std::int64_t end = job.next;
    ++chunks_started;
    Queue(job);
    lock.unlock();
    RunChunk(job.job, begin, end);
    lock.lock();
  }

  void Work(Set& set) {
    std::unique_lock lock(mutex);
    for (;;) {
      set.ready.wait(lock, [&] { return closing || !set.groups.empty(); });
      if (set.groups.empty()) return;
      std::shared_ptr<Running> job = Pop(set);
      if (job->cancelled()) job->next = job->job.rows;
      // A caller of Run may have started what was left.
      if (!job->all_started()) {
        ++job->running;
        RunNext(*job, lock);
        --job->running;
        Queue(*job);
      }
      if (!job->all_started() || job->running > (job->joined ? 1 : 0)) continue;
      if (job->joined) {
        ended.notify_all();
      } else {
        lock.unlock();
        End(std::move(job));
        lock.lock();
      }
    }
  }

  void End(std::shared_ptr<Running> job) {
    job->waiting.clear();
    if (job->job.done) job->job.done();
    job.reset();  // with what its functions hold
    const std::scoped_lock lock(mutex);
    spare.pop_back();
    --jobs;
    // Notified under the lock: whoever waits may destroy this right after.
    ended.notify_all();
  }

  /// Starts chunks until nobody else need; returns when the job is done.
  void Join(const std::shared_ptr<Running>& job) {
    {
      std::unique_lock lock(mutex);
      job->joined = true;
      // The caller's share, also between its chunks.
      job->running = 1;
      while (!job->all_started() && !job->cancelled()) RunNext(*job, lock);
      job->next = job->job.rows;
      Groups& groups = SetOf(*job).groups;
      for (auto group = groups.begin(); group != groups.end(); ++group) {
        if (group->jobs.remove(job) == 0) continue;
        if (group->jobs.empty()) spare.splice(spare.end(), groups, group);
        break;
      }
      ended.wait(lock, [&job] { return job->running == 1; });
    }
    End(job);
  }

  std::mutex mutex;               // of all that follows, and of the jobs
  std::condition_variable ended;  // a job, or all chunks of one but a caller's
  Set fast, slow;
  Groups spare;  // with those of the sets, one for each job
  std::int64_t jobs = 0;
  std::int64_t chunks_started = 0;
  bool closing = false;
};

Pool::Pool(int threads)
    : threads_(std::max(1, threads)), impl_(std::make_unique<Impl>()) {
  for (Impl::Set* const set : {&impl_->fast, &impl_->slow}) {
    const bool slow = set == &impl_->slow;
    for (int k = 0; k < threads_; ++k) {
      set->threads.emplace_back([impl = impl_.get(), set, slow] {
        // Of this thread. A system that refuses leaves it as it is.
        if (slow)
          setpriority(PRIO_PROCESS, 0,
                      getpriority(PRIO_PROCESS, 0) + kLowPriority);
        impl->Work(*set);
      });
    }
  }
}

Pool::~Pool() = default;

void Pool::Submit(Job job) {
  if (job.rows <= 0) {
    if (job.done) job.done();
    return;
  }
  auto added = impl_->Add(std::move(job), threads_);
  const std::scoped_lock lock(impl_->mutex);
  const auto running = std::move(added);  // gone before the job may end
  impl_->Queue(*running);
}

void Pool::Submit(std::function<void()> work, std::uint64_t group) {
  Job job;
  job.rows = 1;
  job.group = group;
  job.run = [work = std::move(work)](std::int64_t, std::int64_t) { work(); };
  Submit(std::move(job));
}

void Pool::Run(Job job) {
  const std::int64_t rows = job.rows;
  if (ChunkRows(job, rows, threads_) < rows) {
    return impl_->Join(impl_->Add(std::move(job), threads_));
  }
  // There is nothing to share.
  if (rows > 0) job.run(0, rows);
  if (job.done) job.done();
}

std::int64_t Pool::jobs() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->jobs;
}

std::int64_t Pool::chunks_started() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->chunks_started;
}

}  // namespace torqued
