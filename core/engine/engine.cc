#include "core/engine/engine.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "core/base/cores.h"
#include "core/engine/evaluate_rows.h"
#include "core/engine/pool.h"

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;

/// A plan of which a block takes more is slow.
constexpr double kSlowBlockNanoseconds = 1'000'000;

/// Below this a plan is computed where it stands: handing over costs 2-15 µs.
constexpr std::chrono::microseconds kSmall(20);

using Workspaces = std::vector<std::unique_ptr<RowWorkspace>>;

}  // namespace

struct Engine::Impl {
  explicit Impl(const Options& options)
      : kernels(options.target != nullptr ? *options.target : BestTarget()),
        chunk_rows(options.chunk_rows),
        pool(options.threads > 0 ? options.threads : AvailableCores()) {
    // For both sets of threads and as many callers: more leave nothing behind.
    workspaces.reserve(3 * static_cast<std::size_t>(pool.threads()));
  }

  const SimdKernels& kernels;
  const int chunk_rows;
  std::mutex mutex;       // of the following, and of what comes of jobs
  Workspaces workspaces;  // that no chunk uses now
  Pool pool;

  struct Run;
};

/// A plan under way in chunks.
struct Engine::Impl::Run {
  /// On any thread. The pool has nobody who could catch what memory running out
  /// throws.
  void Chunk(std::int64_t begin, std::int64_t end) try {
    std::vector<RowIssue> found;
    auto workspace = TakeWorkspace();
    EvaluateRows(plan, outputs, engine.kernels, begin, end, *workspace, found);
    const std::scoped_lock lock(engine.mutex);
    Workspaces& spare = engine.workspaces;
    if (workspace->bytes() > RowWorkspace::kMaxRetainedBytes) {
      large.push_back(std::move(workspace));
    } else if (spare.size() < spare.capacity()) {
      spare.push_back(std::move(workspace));
    }
    rows_done += end - begin;
    if (found.empty()) return;
    if (options.stop_at_first) stop.Cancel();
    auto& issues = report.issues;
    report.rows_not_ok += std::ssize(found);
    issues.insert(issues.end(), found.begin(), found.end());
    if (issues.size() > 2 * EvaluationReport::kMaxListed) KeepFirstIssues();
  } catch (...) {
    Fail();
  }

  std::unique_ptr<RowWorkspace> TakeWorkspace() {
    {
      const std::scoped_lock lock(engine.mutex);
      if (!started) started = Clock::now();
      for (Workspaces* const spare : {&large, &engine.workspaces}) {
        if (spare->empty()) continue;
        auto workspace = std::move(spare->back());
        spare->pop_back();
        return workspace;
      }
    }
    return std::make_unique<RowWorkspace>();
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
    const std::scoped_lock lock(engine.mutex);
    report.failed = true;
  }

  static Pool::Job JobOf(const std::shared_ptr<Run>& run) {
    const EvaluationPlan& plan = run->plan;
    const Impl& engine = run->engine;
    Pool::Job job;
    job.rows = plan.rows();
    // Rows that take as long as one alone.
    job.block = plan.checked().one_lane ? 1
                : plan.precision() == Precision::kSingle
                    ? engine.kernels.lanes_f32
                    : engine.kernels.lanes_f64;
    const auto block = static_cast<double>(std::min(job.rows, job.block));
    job.slow = plan.checked().cost * block > kSlowBlockNanoseconds;
    if (engine.chunk_rows > 0) job.block = engine.chunk_rows;
    if (engine.chunk_rows <= 0) job.cost = &plan.checked().cost;
    job.run = [run](std::int64_t begin, std::int64_t end) {
      run->Chunk(begin, end);
    };
    job.cancellation = {run, &run->stop};
    job.max_concurrency = run->options.max_threads;
    job.group = run->options.group;
    return job;
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

  Impl& engine;
  const EvaluationPlan& plan;
  const EvaluationOutputs& outputs;
  const JobOptions options;
  CancellationToken stop{options.cancellation};
  const Clock::time_point submitted = Clock::now();
  // Under the engine's mutex:
  std::optional<Clock::time_point> started = {};
  /// Workspaces that are more than an engine keeps: made once for so many
  /// threads and gone with the job.
  Workspaces large = {};
  std::int64_t rows_done = 0;
  EvaluationReport report = {};
};

Engine::Engine(const Options& options)
    : impl_(std::make_unique<Impl>(options)) {}

Engine::~Engine() = default;
int Engine::threads() const { return impl_->pool.threads(); }
std::string_view Engine::target() const { return impl_->kernels.target; }
Pool& Engine::pool() { return impl_->pool; }
const SimdKernels& Engine::kernels() const { return impl_->kernels; }

bool Engine::IsSmall(const EvaluationPlan& plan) {
  return plan.nanoseconds() <= std::chrono::nanoseconds(kSmall).count();
}

EvaluationReport Engine::Evaluate(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs,
                                  const JobOptions& options) {
  Impl::Run run{*impl_, plan, outputs, options};
  run.started = run.submitted;
  if (IsSmall(plan)) {
    run.Chunk(0, plan.rows());
    EvaluationReport report = run.Report();
    // Rows in doubt always take so long, cold caches and interruptions do not.
    const EvaluationPlan::Checked& known = plan.checked();
    const bool slow = report.compute > 10 * kSmall;
    if (!slow && known.slow_runs > 0) known.slow_runs = 0;
    if (slow && ++known.slow_runs % 4 == 0) known.cost = 4 * known.cost;
    return report;
  }
  try {  // as on the pool, memory that runs out is reported
    impl_->pool.Run(Impl::Run::JobOf({std::shared_ptr<void>(), &run}));
  } catch (const std::bad_alloc&) {
    run.Fail();
  }
  return run.Report();
}

void Engine::Submit(std::shared_ptr<const EvaluationPlan> plan,
                    const EvaluationOutputs& outputs, Done done,
                    const JobOptions& options) {
  const auto kept = std::make_shared<const EvaluationOutputs>(outputs);
  const auto run = std::make_shared<Impl::Run>(*impl_, *plan, *kept, options);
  Pool::Job job = Impl::Run::JobOf(run);
  job.done = [run, kept, plan = std::move(plan), done = std::move(done)] {
    done(run->Report());
  };
  impl_->pool.Submit(std::move(job));
}

}  // namespace torqued
