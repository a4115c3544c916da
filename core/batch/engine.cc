#include "core/batch/engine.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <utility>

#include "core/batch/evaluate_rows.h"
#include "core/batch/parallelism.h"
#include "core/lanes/targets.h"

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;

/// A chunk is long beside the scheduler's hand-over (about a microsecond) and
/// short beside what a waiting small job tolerates.
constexpr double kChunkNanoseconds = 100'000;
constexpr std::int64_t kMaxChunkRows = 4096;

/// Below this a plan is computed where it stands: handing over costs 2-15 µs.
constexpr double kSmallNanoseconds = 20'000;

std::int64_t ChunkRows(const EvaluationPlan& plan, int configured) {
  if (configured > 0) return configured;
  const auto rows =
      static_cast<std::int64_t>(kChunkNanoseconds / plan.nanoseconds_per_row());
  // Whole blocks of lanes, where a chunk has room for them.
  constexpr std::int64_t kMostLanes = 16;
  const std::int64_t whole = rows / kMostLanes * kMostLanes;
  return std::clamp<std::int64_t>(whole > 0 ? whole : rows, 1, kMaxChunkRows);
}

void Append(EvaluationReport& report, const std::vector<RowIssue>& issues) {
  report.rows_not_ok += static_cast<std::int64_t>(issues.size());
  for (const RowIssue& issue : issues) {
    if (report.issues.size() >= EvaluationReport::kMaxListed) break;
    report.issues.push_back(issue);
  }
}

}  // namespace

/// One workspace per slot of the pool, and spare ones for callers' threads.
struct Engine::Workspaces {
  explicit Workspaces(int slots) : by_slot(static_cast<std::size_t>(slots)) {}

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
    const std::scoped_lock lock(mutex);
    spare.push_back(std::move(workspace));
  }

  std::vector<RowWorkspace> by_slot;
  std::mutex mutex;
  std::vector<std::unique_ptr<RowWorkspace>> spare;
};

/// A plan under way on the pool.
struct Engine::Run {
  const LaneKernels* kernels = nullptr;
  std::shared_ptr<const EvaluationPlan> plan;
  EvaluationOutputs outputs;
  Done done;
  std::shared_ptr<CancellationToken> cancellation;
  bool stop_at_first = false;
  std::int64_t chunk_rows = 0;
  std::int64_t chunks = 0;
  Clock::time_point submitted;
  std::atomic<Clock::rep> started{0};
  std::atomic<std::int64_t> chunks_done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  /// Issues by chunk, found in any order.
  std::vector<std::pair<std::int64_t, std::vector<RowIssue>>> issues;

  void Chunk(std::int64_t chunk, RowWorkspace& workspace) {
    Clock::rep unset = 0;
    started.compare_exchange_strong(unset,
                                    Clock::now().time_since_epoch().count());
    const std::int64_t begin = chunk * chunk_rows;
    const std::int64_t end = std::min(plan->rows(), begin + chunk_rows);
    // The pool has nobody who could catch what memory running out throws.
    try {
      std::vector<RowIssue> found;
      EvaluateRows(*plan, outputs, *kernels, begin, end, workspace, found);
      if (!found.empty()) {
        if (stop_at_first) cancellation->Cancel();
        const std::scoped_lock lock(mutex);
        issues.emplace_back(chunk, std::move(found));
      }
    } catch (...) {
      failed.store(true);
      cancellation->Cancel();
      return;
    }
    chunks_done.fetch_add(1);
  }

  EvaluationReport Report() {
    try {
      return FullReport();
    } catch (...) {  // no room for the issues
      EvaluationReport report;
      report.failed = true;
      return report;
    }
  }

  EvaluationReport FullReport() {
    EvaluationReport report;
    const auto now = Clock::now();
    const Clock::time_point start{Clock::duration(started.load())};
    const bool any = started.load() != 0;
    report.queue = (any ? start : now) - submitted;
    report.compute = any ? now - start : Clock::duration::zero();
    report.failed = failed.load();
    report.cancelled = !report.failed && chunks_done.load() < chunks;
    std::sort(issues.begin(), issues.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [chunk, found] : issues) Append(report, found);
    return report;
  }
};

Engine::Engine(const Options& options)
    : kernels_(options.target != nullptr ? *options.target : BestTarget()),
      chunk_rows_(options.chunk_rows),
      scheduler_(std::make_unique<ChunkScheduler>(
          options.threads > 0 ? options.threads : AvailableCores())) {
  workspaces_ = std::make_unique<Workspaces>(scheduler_->slots());
}

Engine::~Engine() = default;

bool Engine::IsSmall(const EvaluationPlan& plan) {
  return plan.nanoseconds_per_row() * static_cast<double>(plan.rows()) <=
         kSmallNanoseconds;
}

EvaluationReport Engine::Evaluate(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs) {
  if (!IsSmall(plan)) {
    std::promise<EvaluationReport> promise;
    auto future = promise.get_future();
    // The plan outlives the wait below; no ownership is taken.
    Submit(
        std::shared_ptr<const EvaluationPlan>(std::shared_ptr<void>(), &plan),
        outputs, [&promise](EvaluationReport report) {
          promise.set_value(std::move(report));
        });
    return future.get();
  }
  const auto begin = Clock::now();
  EvaluationReport report;
  try {  // as on the pool, memory that runs out is reported
    auto workspace = workspaces_->Borrow();
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, kernels_, 0, plan.rows(), *workspace, issues);
    workspaces_->Return(std::move(workspace));
    Append(report, issues);
  } catch (...) {
    report.failed = true;
  }
  report.compute = Clock::now() - begin;
  return report;
}

void Engine::Submit(std::shared_ptr<const EvaluationPlan> plan,
                    const EvaluationOutputs& outputs, Done done,
                    std::shared_ptr<CancellationToken> cancellation,
                    bool stop_at_first) {
  auto run = std::make_shared<Run>();
  run->kernels = &kernels_;
  if (cancellation == nullptr) {
    cancellation = std::make_shared<CancellationToken>();
  }
  run->chunk_rows = ChunkRows(*plan, chunk_rows_);
  run->chunks = (plan->rows() + run->chunk_rows - 1) / run->chunk_rows;
  run->plan = std::move(plan);
  run->outputs = outputs;
  run->done = std::move(done);
  run->cancellation = cancellation;
  run->stop_at_first = stop_at_first;
  run->submitted = Clock::now();

  ChunkScheduler::Job job;
  job.chunks = run->chunks;
  job.run = [this, run](std::int64_t chunk, int slot) {
    run->Chunk(chunk, workspaces_->by_slot[static_cast<std::size_t>(slot)]);
  };
  job.done = [run] { run->done(run->Report()); };
  job.cancellation = std::move(cancellation);
  scheduler_->Submit(std::move(job));
}

}  // namespace torqued
