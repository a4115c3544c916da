// Fair sharing of the cores between jobs of very different size.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace torqued {

/// Polled between chunks. Safe to use from any thread.
class CancellationToken {
 public:
  CancellationToken() = default;
  /// Cancelled with `whole`, but not the other way round.
  explicit CancellationToken(std::shared_ptr<const CancellationToken> whole)
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

/// Runs jobs as sequences of chunks over a pool of threads. Jobs take turns:
/// whenever a thread is free, the job that waits longest starts one chunk and
/// goes behind the others. So the first chunk of a new job waits for one chunk
/// of every job under way at most, however long those are.
class ChunkScheduler {
 public:
  struct Job {
    std::int64_t chunks = 0;
    /// Called once per chunk, concurrently; `slot` in [0, slots()) belongs to
    /// the calling thread for the time of the call; kCaller is that of Run.
    /// Must not throw.
    std::function<void(std::int64_t chunk, int slot)> run;
    /// Called exactly once, after the last chunk that was started; may run on
    /// a pool thread, or in Submit when there are no chunks or no memory to
    /// hand them over.
    std::function<void()> done;
    /// Chunks not yet started are dropped once it is cancelled; may be null.
    std::shared_ptr<const CancellationToken> cancellation;
  };

  /// Throws std::runtime_error where the system has no thread for it.
  explicit ChunkScheduler(int threads);
  /// Waits for all jobs.
  ~ChunkScheduler();
  ChunkScheduler(const ChunkScheduler&) = delete;
  ChunkScheduler& operator=(const ChunkScheduler&) = delete;

  /// Returns at once, unless the pool fails, for want of memory most likely:
  /// the calling thread then stands in for it, for all jobs that wait. Throws
  /// std::bad_alloc; nothing of the job was called then.
  void Submit(Job job);
  /// Runs a plain function on the pool: one chunk.
  void Submit(std::function<void()> work);
  /// Returns when the job is done. The calling thread takes part, so that the
  /// job waits for no other, and calls on one thread of the pool less than
  /// there are: on none where there is one. Not to be called from a thread of
  /// the pool. Throws std::bad_alloc; nothing was run then.
  void Run(Job job);

  /// The slot of whoever calls Run.
  static constexpr int kCaller = -1;

  int threads() const { return threads_; }
  /// One for each thread of the pool, and the last for who stands in for it.
  int slots() const { return threads_ + 1; }
  /// Jobs that are not done.
  std::int64_t jobs() const;
  /// Chunks of all jobs so far.
  std::int64_t chunks_started() const;

 private:
  struct Impl;
  int threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torqued
