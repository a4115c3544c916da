// Evaluates plans: blocks of states over a pool of threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "torqued/core/engine/evaluation.h"

namespace torqued {

class Pool;

/// Polled between chunks. Safe to use from any thread.
class CancellationToken {
 public:
  /// Cancelled with `whole`, but not the other way round. Null: alone.
  explicit CancellationToken(
      std::shared_ptr<const CancellationToken> whole = nullptr)
      : whole_(std::move(whole)) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) ||
           (whole_ != nullptr && whole_->cancelled());
  }

 private:
  std::atomic<bool> cancelled_{false};
  std::shared_ptr<const CancellationToken> whole_;
};

/// How an evaluation went. Outputs of rows that are not OK are NaN where they
/// are undefined.
struct EvaluationReport {
  static constexpr int kMaxListed = 1000;

  /// Ascending rows; the first kMaxListed.
  std::vector<RowIssue> issues;
  std::int64_t rows_not_ok = 0;
  /// Rows may be missing: the evaluation was given up before the end.
  bool cancelled = false;
  /// Rows may be missing: memory ran out.
  bool failed = false;
  std::chrono::nanoseconds queue{0};
  std::chrono::nanoseconds compute{0};
};

/// Options of one evaluation.
struct JobOptions {
  /// Ends the evaluation after the chunks that are running. Null: not
  /// cancelled.
  std::shared_ptr<const CancellationToken> cancellation;
  /// Ends it likewise after a row that is not OK.
  bool stop_at_first = false;
  /// That compute it at a time; 0 or less: all.
  int max_threads = 0;
  /// Turns go round the groups of jobs first.
  std::uint64_t group = 0;
};

/// Thread-safe. The answer for a row does not depend on its neighbours, on the
/// number of threads or on how the rows are cut into chunks: bitwise.
class Engine {
 public:
  struct Options {
    /// Threads that compute for one caller; 0: all cores that are available.
    int threads = 0;
    /// Rows per chunk; 0: as many as take 0.1 ms.
    int chunk_rows = 0;
    /// Null: the widest that this machine can run.
    const SimdKernels* target = nullptr;
  };
  using Done = std::function<void(EvaluationReport)>;

  /// Throws std::system_error if the system has no thread left.
  explicit Engine(const Options& options);
  Engine() : Engine(Options{}) {}
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Returns with the result. The calling thread computes too, in place of one
  /// of the pool: a small plan, all plans of an engine of one thread, and what
  /// has one thread at most, are its alone. Others must not be evaluated on a
  /// thread of the pool.
  EvaluationReport Evaluate(const EvaluationPlan& plan,
                            const EvaluationOutputs& outputs,
                            const JobOptions& options = {});

  /// Returns at once; `done` is called exactly once, on a pool thread, or
  /// before this returns if there are no rows. Throws std::bad_alloc; nothing
  /// was called then. The memory of inputs and outputs must live until `done`.
  void Submit(std::shared_ptr<const EvaluationPlan> plan,
              const EvaluationOutputs& outputs, Done done,
              const JobOptions& options = {});

  /// True when a hand-over to the pool would cost more than the computing.
  static bool IsSmall(const EvaluationPlan& plan);

  int threads() const;
  /// The instruction set in use.
  std::string_view target() const;
  /// Internal.
  Pool& pool();
  const SimdKernels& kernels() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torqued
