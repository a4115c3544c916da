#include "core/engine/pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>

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

struct Pool::Running {
  bool cancelled() const {
    return job.cancellation != nullptr && job.cancellation->cancelled();
  }
  bool all_started() const { return next >= job.rows; }

  Set& set;
  Job job;
  bool joined = false;    // a caller of Run waits, and ends it
  std::int64_t next = 0;  // the first row that is not started
  int running = 0;        // chunks under way
  Jobs waiting = {};      // itself, if it is not queued and has rows left
};

/// Throws std::bad_alloc; nothing is added then. Whatever follows allocates
/// nothing, since nobody could handle it: the nodes of the lists are made
/// here.
std::shared_ptr<Pool::Running> Pool::Add(Job job) {
  if (job.max_concurrency <= 0) job.max_concurrency = threads_;
  auto running = std::make_shared<Running>(
      job.slow && !slow_.threads.empty() ? slow_ : fast_, std::move(job));
  Jobs node{running};
  Groups group(1);
  const std::scoped_lock lock(mutex_);
  running->waiting.swap(node);
  spare_.splice(spare_.end(), group);
  ++jobs_;
  return running;
}

/// Behind the others of its group, if it may go on.
void Pool::Queue(Running& job) {
  if (job.waiting.empty() || job.all_started() ||
      job.running >= job.job.max_concurrency) {
    return;
  }
  Groups& groups = job.set.groups;
  auto group = std::ranges::find(groups, job.job.group, &Group::id);
  if (group == groups.end()) {
    group = spare_.begin();
    group->id = job.job.group;
    groups.splice(groups.end(), spare_, group);
  }
  group->jobs.splice(group->jobs.end(), job.waiting);
  job.set.ready.notify_one();
}

/// The job that waits longest, of the group that waits longest; cancelled
/// jobs do not use up their group's turn.
std::shared_ptr<Pool::Running> Pool::Pop(Set& set) {
  auto group = set.groups.begin();
  auto job = group->jobs.begin();
  // Others wait for many milliseconds of slow jobs before them.
  for (auto g = group; &set == &slow_ && g != set.groups.end(); ++g) {
    const auto cancelled = std::ranges::find_if(g->jobs, &Running::cancelled);
    if (cancelled == g->jobs.end()) continue;
    group = g;
    job = cancelled;
    break;
  }
  std::shared_ptr<Running> popped = *job;
  popped->waiting.splice(popped->waiting.end(), group->jobs, job);
  if (group->jobs.empty()) {
    spare_.splice(spare_.end(), set.groups, group);
  } else if (!popped->cancelled()) {
    set.groups.splice(set.groups.end(), set.groups, group);
  }
  return popped;
}

/// The next chunk of a job; the lock is open meanwhile. Other threads may go
/// on with the job.
void Pool::RunNext(Running& job, std::unique_lock<std::mutex>& lock) {
  const std::int64_t begin = job.next;
  job.next += ChunkRows(job.job, job.job.rows - begin, threads_);
  const std::int64_t end = job.next;
  ++chunks_started_;
  Queue(job);
  lock.unlock();
  RunChunk(job.job, begin, end);
  lock.lock();
}

void Pool::Work(Set& set) {
  std::unique_lock lock(mutex_);
  for (;;) {
    set.ready.wait(lock, [&] { return closing_ || !set.groups.empty(); });
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
      ended_.notify_all();
    } else {
      lock.unlock();
      End(std::move(job));
      lock.lock();
    }
  }
}

void Pool::End(std::shared_ptr<Running> job) {
  job->waiting.clear();
  if (job->job.done) job->job.done();
  job.reset();  // with what its functions hold
  const std::scoped_lock lock(mutex_);
  spare_.pop_back();
  --jobs_;
  // Notified under the lock: whoever waits may destroy this right after.
  ended_.notify_all();
}

Pool::Pool(int threads, bool slow) : Pool() {  // complete: its destructor joins
  threads_ = std::max(1, threads);
  for (Set* const set : {&fast_, &slow_}) {
    if (set == &slow_ && !slow) break;
    for (int k = 0; k < threads_; ++k) {
      set->threads.emplace_back([this, set] {
        // Of this thread. A system that refuses leaves it as it is.
        if (set == &slow_) {
          setpriority(PRIO_PROCESS, 0,
                      getpriority(PRIO_PROCESS, 0) + kLowPriority);
        }
        Work(*set);
      });
    }
  }
}

Pool::~Pool() {
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return jobs_ == 0; });
    closing_ = true;
  }
  for (Set* set : {&fast_, &slow_}) {
    set->ready.notify_all();
    for (std::thread& thread : set->threads) thread.join();
  }
}

void Pool::Submit(Job job) {
  if (job.rows <= 0) {
    if (job.done) job.done();
    return;
  }
  auto added = Add(std::move(job));
  const std::scoped_lock lock(mutex_);
  const auto running = std::move(added);  // gone before the job may end
  Queue(*running);
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
  if (ChunkRows(job, rows, threads_) >= rows) {  // there is nothing to share
    if (rows > 0) RunChunk(job, 0, rows);
    if (job.done) job.done();
    return;
  }
  auto added = Add(std::move(job));
  {
    std::unique_lock lock(mutex_);
    added->joined = true;
    // The caller's share, also between its chunks.
    added->running = 1;
    while (!added->all_started() && !added->cancelled()) RunNext(*added, lock);
    added->next = added->job.rows;
    Groups& groups = added->set.groups;
    for (auto group = groups.begin(); group != groups.end(); ++group) {
      if (group->jobs.remove(added) == 0) continue;
      if (group->jobs.empty()) spare_.splice(spare_.end(), groups, group);
      break;
    }
    ended_.wait(lock, [&] { return added->running == 1; });
  }
  End(std::move(added));
}

}  // namespace torqued
