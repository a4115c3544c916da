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

/// A chunk is short beside what a waiting small job tolerates, and short beside
/// its job, since threads begin late and the last one ends alone. But it is
/// long beside taking the next one, which costs some hundred nanoseconds.
constexpr double kLongestChunkNanoseconds = 100'000;
constexpr double kShortestChunkNanoseconds = 20'000;
constexpr double kChunksPerThread = 16;
constexpr std::int64_t kMaxChunkRows = 4096;

/// A chunk of several blocks does not take more than this either where all of
/// its rows turn out to be in doubt. That is some states' own, so that the cost
/// of a row leaves it out.
constexpr double kLongestChunkInDoubtNanoseconds = 1'000'000;

/// Chunks that may take more than this can be cancelled inside of their rows.
constexpr double kPausedChunkNanoseconds = 2 * kLongestChunkNanoseconds;
/// Chunks that cannot be shorter than this give way there as well. They wait
/// for one another's end, which those below are spared.
constexpr double kLongChunkNanoseconds = 1'000'000;
/// Some 0.1 ms.
constexpr long long kOperationsBetweenPauses = 100'000;

/// Below this a plan is computed where it stands: handing over costs 2-15 µs.
constexpr double kSmallNanoseconds = 20'000;
/// But not if it takes more than this where all rows are in doubt.
constexpr double kSmallInDoubtNanoseconds = 300'000;

/// Rows that take as long as one alone.
std::int64_t RowsOfABlock(const EvaluationPlan& plan,
                          const LaneKernels& kernels) {
  if (!plan.blocks().usable()) return 1;
  return plan.precision() == Precision::kSingle ? kernels.lanes_f32
                                                : kernels.lanes_f64;
}

/// Whole blocks, however long they take.
std::int64_t ChunkRows(const EvaluationPlan& plan, const LaneKernels& kernels,
                       int configured, int threads) {
  if (configured > 0) return configured;
  const double chunk =
      threads == 1
          ? kLongestChunkNanoseconds
          : std::clamp(
                plan.Nanoseconds(plan.rows()) / (kChunksPerThread * threads),
                kShortestChunkNanoseconds, kLongestChunkNanoseconds);
  const std::int64_t block = RowsOfABlock(plan, kernels);
  const auto rows = static_cast<std::int64_t>(std::min(
      chunk / plan.nanoseconds_per_row(),
      kLongestChunkInDoubtNanoseconds / plan.nanoseconds_per_row_in_doubt()));
  return std::clamp(rows / block * block, block, kMaxChunkRows);
}

void Append(EvaluationReport& report, const std::vector<RowIssue>& issues) {
  report.rows_not_ok += static_cast<std::int64_t>(issues.size());
  for (const RowIssue& issue : issues) {
    if (report.issues.size() >= EvaluationReport::kMaxListed) break;
    report.issues.push_back(issue);
  }
}

EvaluationReport EvaluateAtOnce(const LaneKernels& kernels,
                                const EvaluationPlan& plan,
                                const EvaluationOutputs& outputs,
                                RowWorkspace& workspace) {
  EvaluationReport report;
  std::vector<RowIssue> issues;
  EvaluateRows(plan, outputs, kernels, 0, plan.rows(), workspace, issues);
  Append(report, issues);
  return report;
}

}  // namespace

/// One workspace per slot of the pool, and spare ones for callers' threads, not
/// more than the pool has.
struct Engine::Workspaces {
  Workspaces(int slots, int threads)
      : by_slot(static_cast<std::size_t>(slots)) {
    spare.reserve(static_cast<std::size_t>(threads));
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
      const EvaluationOutputs& where, std::int64_t rows_per_chunk)
      : kernels(lanes),
        plan(what),
        outputs(where),
        chunk_rows(rows_per_chunk),
        chunks((what.rows() + rows_per_chunk - 1) / rows_per_chunk) {
    const std::int64_t rows = std::min(what.rows(), rows_per_chunk);
    const std::int64_t block = RowsOfABlock(what, lanes);
    long_chunks = what.Nanoseconds(rows, block) > kLongChunkNanoseconds;
    paused_chunks =
        what.NanosecondsInDoubt(rows, block) > kPausedChunkNanoseconds;
  }

  const LaneKernels& kernels;
  const EvaluationPlan& plan;
  const EvaluationOutputs outputs;
  const std::int64_t chunk_rows;
  const std::int64_t chunks;
  bool long_chunks = false;
  bool paused_chunks = false;  // the long ones as well
  std::shared_ptr<CancellationToken> cancellation =
      std::make_shared<CancellationToken>();
  bool stop_at_first = false;
  Clock::time_point submitted = Clock::now();
  std::atomic<Clock::rep> started{0};
  std::atomic<std::int64_t> chunks_done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  /// Issues by chunk, found in any order.
  std::vector<std::pair<std::int64_t, std::vector<RowIssue>>> issues;
  /// Workspaces that are larger than slots keep. A chunk that is done leaves
  /// its workspace here, and the next one takes it.
  std::vector<std::unique_ptr<RowWorkspace>> workspaces;
  std::atomic<bool> any_left{false};  // once in a while

  /// A chunk with pauses, on a slot of the scheduler from which it gives way.
  struct PausedChunk {
    Run& run;
    ChunkScheduler& scheduler;
    int slot;
    Clock::time_point piece_begun = Clock::now();

    static bool Pause(void* what) {
      auto& chunk = *static_cast<PausedChunk*>(what);
      const CancellationToken& cancellation = *chunk.run.cancellation;
      chunk.scheduler.GiveWay(chunk.slot, Clock::now() - chunk.piece_begun,
                              cancellation);
      chunk.piece_begun = Clock::now();
      return cancellation.cancelled();
    }
  };

  /// On a slot of the pool. Where the slot's workspace becomes too large to be
  /// kept there, the chunk leaves it to those after it: so many threads, so
  /// many workspaces, made once and gone with the job.
  void ChunkOfSlot(std::int64_t chunk, ChunkScheduler& scheduler, int slot,
                   RowWorkspace& of_slot) {
    std::unique_ptr<RowWorkspace> left;
    if (any_left.load(std::memory_order_relaxed)) {
      const std::scoped_lock lock(mutex);
      if (!workspaces.empty()) {
        left = std::move(workspaces.back());
        workspaces.pop_back();
      }
    }
    Chunk(chunk, scheduler, slot, left != nullptr ? *left : of_slot);
    if (left == nullptr) {
      if (of_slot.bytes() <= RowWorkspace::kMostKept) return;
      try {
        left = std::make_unique<RowWorkspace>(std::move(of_slot));
      } catch (...) {
        left.reset();  // no memory: it is made again
      }
      of_slot = RowWorkspace();
    }
    Leave(std::move(left));
  }

  void Leave(std::unique_ptr<RowWorkspace> workspace) {
    if (workspace == nullptr) return;
    try {
      const std::scoped_lock lock(mutex);
      workspaces.push_back(std::move(workspace));
      any_left.store(true, std::memory_order_relaxed);
    } catch (...) {
      workspace.reset();  // as above
    }
  }

  void Chunk(std::int64_t chunk, ChunkScheduler& scheduler, int slot,
             RowWorkspace& workspace) {
    if (!paused_chunks) return Chunk(chunk, workspace);
    PausedChunk paused{*this, scheduler,
                       long_chunks ? slot : ChunkScheduler::kCaller};
    Pauses pauses{kOperationsBetweenPauses, PausedChunk::Pause, &paused,
                  kOperationsBetweenPauses};
    workspace.pauses = &pauses;
    Chunk(chunk, workspace);
    workspace.pauses = nullptr;
  }

  void Chunk(std::int64_t chunk, RowWorkspace& workspace) {
    Clock::rep unset = 0;
    started.compare_exchange_strong(unset,
                                    Clock::now().time_since_epoch().count());
    const std::int64_t begin = chunk * chunk_rows;
    const std::int64_t end = std::min(plan.rows(), begin + chunk_rows);
    // The pool has nobody who could catch what memory running out throws.
    try {
      std::vector<RowIssue> found;
      EvaluateRows(plan, outputs, kernels, begin, end, workspace, found);
      if (workspace.pauses != nullptr && workspace.pauses->given_up) return;
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
  workspaces_ =
      std::make_unique<Workspaces>(scheduler_->slots(), scheduler_->threads());
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
  return plan.Nanoseconds(plan.rows()) <= kSmallNanoseconds &&
         plan.NanosecondsInDoubt(plan.rows()) <= kSmallInDoubtNanoseconds;
}

EvaluationReport Engine::Evaluate(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs) {
  return WithWorkspace([&](RowWorkspace& workspace) {
    const std::int64_t chunk_rows =
        ChunkRows(plan, kernels_, chunk_rows_, threads());
    if (IsSmall(plan) || plan.rows() <= chunk_rows) {
      return EvaluateAtOnce(kernels_, plan, outputs, workspace);
    }
    Run run(kernels_, plan, outputs, chunk_rows);
    ChunkScheduler::Job job;
    job.chunks = run.chunks;
    job.run = [this, &run, &workspace](std::int64_t chunk, int slot) {
      if (slot == ChunkScheduler::kCaller) {
        run.Chunk(chunk, *scheduler_, slot, workspace);
      } else {
        run.ChunkOfSlot(chunk, *scheduler_, slot, workspaces_->OfSlot(slot));
      }
    };
    job.long_chunks = run.long_chunks;
    job.cancellation = run.cancellation;
    scheduler_->Run(std::move(job));
    return run.Report();
  });
}

EvaluationReport Engine::EvaluateHere(
    const EvaluationPlan& plan, const EvaluationOutputs& outputs,
    std::shared_ptr<CancellationToken> cancellation, bool stop_at_first) {
  return WithWorkspace([&](RowWorkspace& workspace) {
    const std::int64_t chunk_rows =
        ChunkRows(plan, kernels_, chunk_rows_, threads());
    Run run(kernels_, plan, outputs, chunk_rows);
    if (run.chunks <= 1 && !run.paused_chunks) {
      return EvaluateAtOnce(kernels_, plan, outputs, workspace);
    }
    if (cancellation != nullptr) run.cancellation = std::move(cancellation);
    run.stop_at_first = stop_at_first;
    for (std::int64_t chunk = 0;
         chunk < run.chunks && !run.cancellation->cancelled(); ++chunk) {
      run.Chunk(chunk, *scheduler_, ChunkScheduler::kCaller, workspace);
    }
    return run.Report();
  });
}

void Engine::Submit(std::shared_ptr<const EvaluationPlan> plan,
                    const EvaluationOutputs& outputs, Done done,
                    std::shared_ptr<CancellationToken> cancellation,
                    bool stop_at_first, std::uint64_t group, int most_threads) {
  auto run =
      std::make_shared<Run>(kernels_, *plan, outputs,
                            ChunkRows(*plan, kernels_, chunk_rows_, threads()));
  if (cancellation != nullptr) run->cancellation = std::move(cancellation);
  run->stop_at_first = stop_at_first;

  ChunkScheduler::Job job;
  job.chunks = run->chunks;
  job.run = [this, run](std::int64_t chunk, int slot) {
    run->ChunkOfSlot(chunk, *scheduler_, slot, workspaces_->OfSlot(slot));
  };
  job.long_chunks = run->long_chunks;
  job.most_running = most_threads;
  job.group = group;
  job.done = [run, plan = std::move(plan), done = std::move(done)] {
    run->workspaces.clear();
    done(run->Report());
  };
  job.cancellation = run->cancellation;
  scheduler_->Submit(std::move(job));
}

}  // namespace torqued
