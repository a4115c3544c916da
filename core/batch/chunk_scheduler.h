// Fair sharing of the cores between jobs of very different size.
#pragma once

#include <atomic>
#include <chrono>
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

/// Runs jobs as sequences of chunks over a pool of threads. Turns go round the
/// groups of jobs first, and round the jobs of each group: whenever a thread is
/// free, the group that waits longest starts one chunk of that job of its own
/// which waits longest; both go behind the others. So the first chunk of a new
/// job waits for one chunk of every other group, and of every job of its own,
/// at most, however many jobs the others have and however long those are.
///
/// Jobs of long chunks have turns of their own. Their chunks give way between
/// their pieces: before a thread goes on it starts one chunk of every group,
/// and more of them for as long as the piece took. A thread has at most one
/// long chunk under way, so the first chunk of a new job of long chunks waits
/// for the end of one on some thread, and for one of every other group with
/// such jobs.
///
/// Several schedulers in one process each have their own threads.
class ChunkScheduler {
 public:
  struct Job {
    std::int64_t chunks = 0;
    /// Called once per chunk, concurrently; `slot` in [0, slots()) belongs to
    /// the calling thread for the time of the call; kCaller is that of Run.
    /// Long chunks get slots up to threads(). Must not throw.
    std::function<void(std::int64_t chunk, int slot)> run;
    /// Called exactly once, after the last chunk that was started; may run on
    /// a pool thread, or in Submit when there are no chunks or no memory to
    /// hand them over.
    std::function<void()> done;
    /// Chunks not yet started are dropped once it is cancelled; may be null.
    std::shared_ptr<const CancellationToken> cancellation;
    /// Whose job it is.
    std::uint64_t group = 0;
    /// Whether its chunks take long: these call GiveWay.
    bool long_chunks = false;
    /// The most of its chunks that run at a time; 0: as many as there are
    /// threads. Submit heeds it, Run does not.
    std::int64_t most_running = 0;
  };

  /// Throws std::runtime_error where the system has no thread for it.
  explicit ChunkScheduler(int threads);
  /// Waits for all jobs. Not to be called from a thread of the pool.
  ~ChunkScheduler();
  ChunkScheduler(const ChunkScheduler&) = delete;
  ChunkScheduler& operator=(const ChunkScheduler&) = delete;

  /// Returns at once, unless the pool fails, for want of memory most likely:
  /// the calling thread then stands in for it, for all jobs that wait. Throws
  /// std::bad_alloc; nothing of the job was called then.
  void Submit(Job job);
  /// Runs a plain function on the pool: one chunk.
  void Submit(std::function<void()> work, std::uint64_t group = 0);
  /// Returns when the job is done. The calling thread takes part, so that the
  /// job waits for no other, and calls on one thread of the pool less than
  /// there are: on none where there is one. Not to be called from a thread of
  /// the pool. Throws std::bad_alloc; nothing was run then.
  void Run(Job job);

  /// From inside a chunk of a job of long chunks, on its slot, after a piece
  /// that took so long: the calling thread runs one chunk of every group that
  /// waits, and further ones until they have taken as long, but none of a job
  /// of long chunks. Returns early once the chunk's own job is cancelled.
  /// With kCaller nothing is run, and the pause is counted.
  void GiveWay(int slot, std::chrono::nanoseconds piece,
               const CancellationToken& own);

  /// The slot of whoever calls Run.
  static constexpr int kCaller = -1;

  int threads() const { return threads_; }
  /// Those of the pool's threads, that of who stands in for them, and as many
  /// again for what runs while long chunks give way.
  int slots() const { return 2 * (threads_ + 1); }
  /// Jobs that are not done.
  std::int64_t jobs() const;
  /// Chunks of all jobs so far.
  std::int64_t chunks_started() const;
  /// How often chunks gave way so far.
  std::int64_t pauses() const;

 private:
  struct Impl;
  int threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torqued
