// Loads of models that calls wait for.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/batch/chunk_scheduler.h"

namespace torqued::server {

/// Runs the work of one call for a reference at a time. The others wait without
/// a thread and run after it, when they find the model in the cache: a model
/// that takes long to load keeps one thread of the pool, however many calls
/// wait for it. Thread-safe.
class ModelLoads {
 public:
  explicit ModelLoads(ChunkScheduler& pool) : pool_(pool) {}

  /// `work` must not throw. `host` as ChunkScheduler takes it.
  void Run(std::string_view reference, std::uint64_t host,
           std::function<void()> work);

 private:
  using Waiting = std::vector<std::pair<std::uint64_t, std::function<void()>>>;

  void Submit(std::uint64_t host, const std::function<void()>& work);

  ChunkScheduler& pool_;
  std::mutex mutex_;
  std::unordered_map<std::string, Waiting> loading_;  // by reference
};

}  // namespace torqued::server
