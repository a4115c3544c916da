#include "core/engine/engine.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include "core/base/cores.h"
#include "core/engine/targets.h"

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;

/// A plan of which a block takes more is slow.
constexpr double kSlowBlockNanoseconds = 1'000'000;

/// Below this a plan is computed where it stands: handing over costs 2-15 µs.
constexpr double kSmallNanoseconds = 20'000;

}  // namespace

/// A plan under way in chunks.
struct Engine::Run {
  Run(Engine& owner, const EvaluationPlan& what, const EvaluationOutputs& where,
      const JobOptions& how)
      : engine(owner),
        plan(what),
        outputs(where),
        options(how),
        stop(how.cancellation) {}

  /// On any thread. The pool has nobody who could catch what memory running out
  /// throws.
  void Chunk(std::int64_t begin, std::int64_t end) {
    try {
      std::vector<RowIssue> found;
      auto workspace = Take();
      EvaluateRows(plan, outputs, engine.kernels_, begin, end, *workspace,
                   found);
      Leave(std::move(workspace));
      Add(end - begin, found);
    } catch (...) {
      Fail();
    }
  }

  std::unique_ptr<RowWorkspace> Take() {
    {
      const std::scoped_lock lock(engine.mutex_);
      if (!started) started = Clock::now();
      for (Workspaces* const spare : {&large, &engine.spare_}) {
        if (spare->empty()) continue;
        auto workspace = std::move(spare->back());
        spare->pop_back();
        return workspace;
      }
    }
    return std::make_unique<RowWorkspace>();
  }

  void Leave(std::unique_ptr<RowWorkspace> workspace) {
    const std::scoped_lock lock(engine.mutex_);
    Workspaces& spare = engine.spare_;
    if (workspace->bytes() > RowWorkspace::kMaxRetainedBytes) {
      large.push_back(std::move(workspace));
    } else if (spare.size() < spare.capacity()) {
      spare.push_back(std::move(workspace));
    }
  }

  void Add(std::int64_t rows, const std::vector<RowIssue>& found) {
    rows_done += rows;
    if (found.empty()) return;
    if (options.stop_at_first) stop.Cancel();
    const std::scoped_lock lock(mutex);
    auto& issues = report.issues;
    report.rows_not_ok += std::ssize(found);
    issues.insert(issues.end(), found.begin(), found.end());
    if (issues.size() > 2 * EvaluationReport::kMaxListed) KeepFirstIssues();
  }

  void KeepFirstIssues() {
    auto& issues = report.issues;
    std::ranges::sort(issues, {}, &RowIssue::row);
    if (issues.size() > EvaluationReport::kMaxListed) {
      issues.resize(EvaluationReport::kMaxListed);
    }
  }

  void Fail() {
    stop.Cancel();
    const std::scoped_lock lock(mutex);
    report.failed = true;
  }

  /// Once no chunk runs any more.
  EvaluationReport Report() {
    large.clear();
    KeepFirstIssues();
    const auto now = Clock::now();
    const auto start = started.value_or(now);
    report.queue = start - submitted;
    report.compute = now - start;
    report.cancelled = !report.failed && rows_done < plan.rows();
    return std::move(report);
  }

  Engine& engine;
  const EvaluationPlan& plan;
  const EvaluationOutputs& outputs;
  const JobOptions options;
  CancellationToken stop;
  const Clock::time_point submitted = Clock::now();
  std::optional<Clock::time_point> started;
  /// Workspaces that are more than an engine keeps: made once for so many
  /// threads and gone with the job.
  Workspaces large;
  std::atomic<std::int64_t> rows_done = 0;
  std::mutex mutex;  // of what follows
  EvaluationReport report;
};

Engine::Engine(const Options& options)
    : kernels_(options.target != nullptr ? *options.target : BestTarget()),
      chunk_rows_(options.chunk_rows),
      pool_(std::make_unique<Pool>(options.threads > 0 ? options.threads
                                                       : AvailableCores())) {
  // For both sets of threads and as many callers: more leave nothing behind.
  spare_.reserve(3 * static_cast<std::size_t>(pool_->threads()));
}

Engine::~Engine() = default;

Pool::Job Engine::JobOf(const std::shared_ptr<Run>& run) const {
  const EvaluationPlan& plan = run->plan;
  Pool::Job job;
  job.rows = plan.rows();
  // Rows that take as long as one alone.
  job.block = plan.one_lane()                          ? 1
              : plan.precision() == Precision::kSingle ? kernels_.lanes_f32
                                                       : kernels_.lanes_f64;
  const auto block = static_cast<double>(std::min(job.rows, job.block));
  job.slow = plan.cost() * block > kSlowBlockNanoseconds;
  if (chunk_rows_ > 0) {
    job.block = chunk_rows_;
  } else {
    job.cost = &plan.cost();
  }
  job.run = [run](std::int64_t begin, std::int64_t end) {
    run->Chunk(begin, end);
  };
  job.cancellation = std::shared_ptr<const CancellationToken>(run, &run->stop);
  job.max_concurrency = run->options.max_threads;
  job.group = run->options.group;
  return job;
}

bool Engine::IsSmall(const EvaluationPlan& plan) {
  return plan.nanoseconds() <= kSmallNanoseconds;
}

EvaluationReport Engine::Evaluate(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs,
                                  const JobOptions& options) {
  Run run(*this, plan, outputs, options);
  run.started = run.submitted;
  if (IsSmall(plan)) {
    run.Chunk(0, plan.rows());
    return run.Report();
  }
  try {  // as on the pool, memory that runs out is reported
    pool_->Run(JobOf(std::shared_ptr<Run>(std::shared_ptr<void>(), &run)));
  } catch (const std::bad_alloc&) {
    run.Fail();
  }
  return run.Report();
}

void Engine::Submit(std::shared_ptr<const EvaluationPlan> plan,
                    const EvaluationOutputs& outputs, Done done,
                    const JobOptions& options) {
  const auto kept = std::make_shared<const EvaluationOutputs>(outputs);
  const auto run = std::make_shared<Run>(*this, *plan, *kept, options);
  Pool::Job job = JobOf(run);
  job.done = [run, kept, plan = std::move(plan), done = std::move(done)] {
    done(run->Report());
  };
  pool_->Submit(std::move(job));
}

}  // namespace torqued
