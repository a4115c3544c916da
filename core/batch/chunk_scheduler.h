// Fair sharing of the cores between jobs of very different size.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace torqued {

/// Polled between chunks. Safe to use from any thread.
class CancellationToken {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
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
    /// the calling thread for the time of the call. Must not throw.
    std::function<void(std::int64_t chunk, int slot)> run;
    /// Called exactly once, after the last chunk that was started; may run on
    /// a pool thread, or in Submit when there are no chunks.
    std::function<void()> done;
    /// Chunks not yet started are dropped once it is cancelled; may be null.
    std::shared_ptr<const CancellationToken> cancellation;
  };

  explicit ChunkScheduler(int threads);
  /// Waits for all jobs.
  ~ChunkScheduler();
  ChunkScheduler(const ChunkScheduler&) = delete;
  ChunkScheduler& operator=(const ChunkScheduler&) = delete;

  /// Throws std::bad_alloc; the job is forgotten then, without `done`.
  void Submit(Job job);
  /// Runs a plain function on the pool: one chunk.
  void Submit(std::function<void()> work);

  int threads() const { return threads_; }
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
