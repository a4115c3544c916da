#include "core/batch/engine.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <utility>

#include "core/base/cores.h"
#include "core/batch/evaluate_rows.h"
#include "core/lanes/targets.h"

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;

/// A plan of which a block takes more is slow.
constexpr double kSlowBlockNanoseconds = 1'000'000;

/// Below this a plan is computed where it stands: handing over costs 2-15 µs.
constexpr double kSmallNanoseconds = 20'000;

/// Rows that take as long as one alone.
std::int64_t RowsOfABlock(const EvaluationPlan& plan,
                          const LaneKernels& kernels) {
  if (plan.one_lane()) return 1;
  return plan.precision() == Precision::kSingle ? kernels.lanes_f32
                                                : kernels.lanes_f64;
}

Pool::Job JobOf(const EvaluationPlan& plan, const LaneKernels& kernels,
                int chunk_rows) {
  Pool::Job job;
  job.rows = plan.rows();
  job.block = RowsOfABlock(plan, kernels);
  const auto block = static_cast<double>(std::min(job.rows, job.block));
  job.slow = plan.cost() * block > kSlowBlockNanoseconds;
  job.cost = &plan.cost();
  if (chunk_rows > 0) {
    job.block = chunk_rows;
    job.cost = nullptr;
  }
  return job;
}

/// Found chunk by chunk, in any order. Whatever their number, few are kept.
class FoundIssues {
 public:
  void Add(const std::vector<RowIssue>& found) {
    count_ += static_cast<std::int64_t>(found.size());
    first_.insert(first_.end(), found.begin(), found.end());
    if (first_.size() > 2 * kListed) Sort();
  }

  void MoveTo(EvaluationReport& report) {
    Sort();
    report.rows_not_ok = count_;
    report.issues = std::move(first_);
  }

 private:
  static constexpr std::size_t kListed = EvaluationReport::kMaxListed;

  void Sort() {
    std::sort(
        first_.begin(), first_.end(),
        [](const RowIssue& a, const RowIssue& b) { return a.row < b.row; });
    if (first_.size() > kListed) first_.resize(kListed);
  }

  std::vector<RowIssue> first_;
  std::int64_t count_ = 0;
};

EvaluationReport EvaluateAtOnce(const LaneKernels& kernels,
                                const EvaluationPlan& plan,
                                const EvaluationOutputs& outputs,
                                RowWorkspace& workspace) {
  EvaluationReport report;
  EvaluateRows(plan, outputs, kernels, 0, plan.rows(), workspace,
               report.issues);
  report.rows_not_ok = static_cast<std::int64_t>(report.issues.size());
  if (report.rows_not_ok > EvaluationReport::kMaxListed) {
    report.issues.resize(EvaluationReport::kMaxListed);
  }
  return report;
}

}  // namespace

/// One workspace per slot of the pool, and spare ones for callers' threads, not
/// more than the pool has.
struct Engine::Workspaces {
  explicit Workspaces(const Pool& pool)
      : by_slot(static_cast<std::size_t>(pool.slots())) {
    spare.reserve(static_cast<std::size_t>(pool.threads()));
  }

  std::unique_ptr<RowWorkspace> Borrow() {
    {
      const std::scoped_lock lock(mutex);
      if (!spare.empty()) {
        auto workspace = std::move(spare.back());
        spare.pop_back();
        return workspace;
      }
    }
    return std::make_unique<RowWorkspace>();
  }
  void Return(std::unique_ptr<RowWorkspace> workspace) {
    workspace->Trim();
    const std::scoped_lock lock(mutex);
    // More callers at a time than that leave nothing behind.
    if (spare.size() < spare.capacity()) spare.push_back(std::move(workspace));
  }

  RowWorkspace& OfSlot(int slot) {
    return by_slot[static_cast<std::size_t>(slot)];
  }

  std::vector<RowWorkspace> by_slot;
  std::mutex mutex;
  std::vector<std::unique_ptr<RowWorkspace>> spare;
};

/// A plan under way in chunks.
struct Engine::Run {
  Run(const LaneKernels& lanes, const EvaluationPlan& what,
      const EvaluationOutputs& where)
      : kernels(lanes),
        plan(what),
        outputs(where),
        large(RowWorkspace::BytesFor(what, lanes) > RowWorkspace::kMostKept) {}

  const LaneKernels& kernels;
  const EvaluationPlan& plan;
  const EvaluationOutputs outputs;
  /// Takes more memory than slots keep.
  const bool large;
  std::shared_ptr<CancellationToken> cancellation =
      std::make_shared<CancellationToken>();
  bool stop_at_first = false;
  Clock::time_point submitted = Clock::now();
  std::atomic<Clock::rep> started{0};
  std::atomic<std::int64_t> rows_done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  FoundIssues issues;
  /// The workspaces of a large plan that no chunk uses now. A chunk takes one
  /// and puts it back at its end.
  std::vector<std::unique_ptr<RowWorkspace>> workspaces;

  /// On a slot of the pool. What takes more than slots keep is computed in
  /// workspaces of the job's own: so many threads, so many of them, made once
  /// and gone with the job.
  void ChunkOfSlot(std::int64_t begin, std::int64_t end,
                   RowWorkspace& of_slot) {
    if (!large) {
      Chunk(begin, end, of_slot);
      of_slot.Trim();
      return;
    }
    std::unique_ptr<RowWorkspace> own;
    try {
      own = Take();
    } catch (...) {
      Fail();
      return;
    }
    Chunk(begin, end, *own);
    Leave(std::move(own));
  }

  std::unique_ptr<RowWorkspace> Take() {
    {
      const std::scoped_lock lock(mutex);
      if (!workspaces.empty()) {
        auto workspace = std::move(workspaces.back());
        workspaces.pop_back();
        return workspace;
      }
    }
    return std::make_unique<RowWorkspace>();
  }

  void Leave(std::unique_ptr<RowWorkspace> workspace) {
    try {
      const std::scoped_lock lock(mutex);
      workspaces.push_back(std::move(workspace));
    } catch (...) {
      workspace.reset();  // no memory: it is made again
    }
  }

  void Chunk(std::int64_t begin, std::int64_t end, RowWorkspace& workspace) {
    Clock::rep unset = 0;
    started.compare_exchange_strong(unset,
                                    Clock::now().time_since_epoch().count());
    // The pool has nobody who could catch what memory running out throws.
    try {
      std::vector<RowIssue> found;
      EvaluateRows(plan, outputs, kernels, begin, end, workspace, found);
      if (!found.empty()) {
        if (stop_at_first) cancellation->Cancel();
        const std::scoped_lock lock(mutex);
        issues.Add(found);
      }
    } catch (...) {
      Fail();
      return;
    }
    rows_done.fetch_add(end - begin);
  }

  void Fail() {
    failed.store(true);
    cancellation->Cancel();
  }

  EvaluationReport Report() {
    EvaluationReport report;
    const auto now = Clock::now();
    const Clock::time_point start{Clock::duration(started.load())};
    const bool any = started.load() != 0;
    report.queue = (any ? start : now) - submitted;
    report.compute = any ? now - start : Clock::duration::zero();
    report.failed = failed.load();
    report.cancelled = !report.failed && rows_done.load() < plan.rows();
    issues.MoveTo(report);
    return report;
  }
};

Engine::Engine(const Options& options)
    : kernels_(options.target != nullptr ? *options.target : BestTarget()),
      chunk_rows_(options.chunk_rows),
      pool_(std::make_unique<Pool>(options.threads > 0 ? options.threads
                                                       : AvailableCores())) {
  workspaces_ = std::make_unique<Workspaces>(*pool_);
}

Engine::~Engine() = default;

template <class Function>
EvaluationReport Engine::WithWorkspace(const Function& evaluate) {
  const auto begin = Clock::now();
  EvaluationReport report;
  try {  // as on the pool, memory that runs out is reported
    auto workspace = workspaces_->Borrow();
    report = evaluate(*workspace);
    workspaces_->Return(std::move(workspace));
  } catch (...) {
    report.failed = true;
  }
  report.queue = std::chrono::nanoseconds::zero();
  report.compute = Clock::now() - begin;
  return report;
}

bool Engine::IsSmall(const EvaluationPlan& plan) {
  return plan.nanoseconds() <= kSmallNanoseconds;
}

bool Engine::FitsOneChunk(const EvaluationPlan& plan) const {
  if (IsSmall(plan)) return true;
  const Pool::Job job = JobOf(plan, kernels_, chunk_rows_);
  return pool_->ChunkRows(job, job.rows) == job.rows;
}

EvaluationReport Engine::Evaluate(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs) {
  return WithWorkspace([&](RowWorkspace& workspace) {
    if (FitsOneChunk(plan)) {
      return EvaluateAtOnce(kernels_, plan, outputs, workspace);
    }
    Pool::Job job = JobOf(plan, kernels_, chunk_rows_);
    Run run(kernels_, plan, outputs);
    job.run = [&](std::int64_t begin, std::int64_t end, int slot) {
      if (slot == Pool::kCaller) {
        run.Chunk(begin, end, workspace);
      } else {
        run.ChunkOfSlot(begin, end, workspaces_->OfSlot(slot));
      }
    };
    pool_->Run(std::move(job));
    return run.Report();
  });
}

EvaluationReport Engine::EvaluateHere(
    const EvaluationPlan& plan, const EvaluationOutputs& outputs,
    std::shared_ptr<CancellationToken> cancellation, bool stop_at_first) {
  return WithWorkspace([&](RowWorkspace& workspace) {
    if (FitsOneChunk(plan)) {
      return EvaluateAtOnce(kernels_, plan, outputs, workspace);
    }
    Pool::Job job = JobOf(plan, kernels_, chunk_rows_);
    Run run(kernels_, plan, outputs);
    if (cancellation != nullptr) run.cancellation = std::move(cancellation);
    run.stop_at_first = stop_at_first;
    job.run = [&](std::int64_t begin, std::int64_t end, int) {
      run.Chunk(begin, end, workspace);
    };
    for (std::int64_t begin = 0, end = 0;
         begin < job.rows && !run.cancellation->cancelled(); begin = end) {
      end = begin + pool_->ChunkRows(job, job.rows - begin);
      Pool::RunChunk(job, begin, end, Pool::kCaller);
    }
    return run.Report();
  });
}

void Engine::Submit(std::shared_ptr<const EvaluationPlan> plan,
                    const EvaluationOutputs& outputs, Done done,
                    std::shared_ptr<CancellationToken> cancellation,
                    bool stop_at_first, std::uint64_t group, int most_threads) {
  auto run = std::make_shared<Run>(kernels_, *plan, outputs);
  if (cancellation != nullptr) run->cancellation = std::move(cancellation);
  run->stop_at_first = stop_at_first;

  Pool::Job job = JobOf(*plan, kernels_, chunk_rows_);
  job.cancellation = run->cancellation;
  job.run = [this, run](std::int64_t begin, std::int64_t end, int slot) {
    run->ChunkOfSlot(begin, end, workspaces_->OfSlot(slot));
  };
  job.max_concurrency = most_threads;
  job.group = group;
  job.done = [run, plan = std::move(plan), done = std::move(done)] {
    run->workspaces.clear();
    done(run->Report());
  };
  pool_->Submit(std::move(job));
}

}  // namespace torqued
