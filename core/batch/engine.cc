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
  for (const RowIssue& issue : issues) {
    if (report.issues.size() >= EvaluationReport::kMaxListed) break;
    report.issues.push_back(issue);
  }
}

/// Found chunk by chunk, in any order. Whatever their number, few are kept.
class FoundIssues {
 public:
  void Add(std::int64_t chunk, std::vector<RowIssue> found) {
    count_ += static_cast<std::int64_t>(found.size());
    if (found.size() > kListed) found.resize(kListed);
    found.shrink_to_fit();
    kept_ += found.size();
    by_chunk_.emplace_back(chunk, std::move(found));
    if (kept_ > 2 * kListed) Sort();
  }

  void AppendTo(EvaluationReport& report) {
    Sort();
    report.rows_not_ok += count_;
    for (const auto& [chunk, found] : by_chunk_) Append(report, found);
  }

 private:
  static constexpr std::size_t kListed = EvaluationReport::kMaxListed;

  /// What comes behind the first kListed is not listed, whatever is still to be
  /// found.
  void Sort() {
    std::sort(by_chunk_.begin(), by_chunk_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t listed = 0;
    const auto more = std::find_if(by_chunk_.begin(), by_chunk_.end(),
                                   [&listed](const auto& chunk) {
                                     const bool full = listed >= kListed;
                                     if (!full) listed += chunk.second.size();
                                     return full;
                                   });
    by_chunk_.erase(more, by_chunk_.end());
    kept_ = listed;
  }

  std::vector<std::pair<std::int64_t, std::vector<RowIssue>>> by_chunk_;
  std::size_t kept_ = 0;
  std::int64_t count_ = 0;
};

EvaluationReport EvaluateAtOnce(const LaneKernels& kernels,
                                const EvaluationPlan& plan,
                                const EvaluationOutputs& outputs,
                                RowWorkspace& workspace) {
  EvaluationReport report;
  std::vector<RowIssue> issues;
  EvaluateRows(plan, outputs, kernels, 0, plan.rows(), workspace, issues);
  report.rows_not_ok = static_cast<std::int64_t>(issues.size());
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
        chunks((what.rows() + rows_per_chunk - 1) / rows_per_chunk),
        needed(RowWorkspace::PartsFor(what, where, lanes)),
        large(needed.total() > RowWorkspace::kMostKept) {
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
  const RowWorkspace::Parts needed;
  /// More than slots keep.
  const bool large;
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
  FoundIssues issues;
  /// The workspaces of a large plan that no chunk uses now. A chunk takes one
  /// and puts it back at its end.
  std::vector<std::unique_ptr<RowWorkspace>> workspaces;

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

  /// On a slot of the pool. What takes more than slots keep is computed in
  /// workspaces of the job's own: so many threads, so many of them, made once
  /// and gone with the job.
  void ChunkOfSlot(std::int64_t chunk, ChunkScheduler& scheduler, int slot,
                   RowWorkspace& of_slot) {
    if (!large) {
      of_slot.MakeRoom(needed);
      Chunk(chunk, scheduler, slot, of_slot);
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
    Chunk(chunk, scheduler, slot, *own);
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

  /// On the thread of a caller, who has lent what it keeps.
  RowWorkspace& OfCaller(RowWorkspace& lent, RowWorkspace& own) const {
    if (large) return own;
    lent.MakeRoom(needed);
    return lent;
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
        issues.Add(chunk, std::move(found));
      }
    } catch (...) {
      Fail();
      return;
    }
    chunks_done.fetch_add(1);
  }

  void Fail() {
    failed.store(true);
    cancellation->Cancel();
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
    issues.AppendTo(report);
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
  return WithWorkspace([&](RowWorkspace& lent) {
    const std::int64_t chunk_rows =
        ChunkRows(plan, kernels_, chunk_rows_, threads());
    if (IsSmall(plan) || plan.rows() <= chunk_rows) {
      return EvaluateAtOnce(kernels_, plan, outputs, lent);
    }
    Run run(kernels_, plan, outputs, chunk_rows);
    RowWorkspace own;
    RowWorkspace& workspace = run.OfCaller(lent, own);
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
  return WithWorkspace([&](RowWorkspace& lent) {
    const std::int64_t chunk_rows =
        ChunkRows(plan, kernels_, chunk_rows_, threads());
    Run run(kernels_, plan, outputs, chunk_rows);
    RowWorkspace own;
    RowWorkspace& workspace = run.OfCaller(lent, own);
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
