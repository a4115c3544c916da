// Models that calls ask for.
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
#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"

namespace torqued::server {

/// What it takes to read and parse a stored source of so many bytes: measured
/// of ordinary sources. A longer one than is accepted is not parsed.
std::int64_t BytesToLoad(std::int64_t source_bytes);

/// Memory to load the model is admitted first and given back at the end.
OrError<ModelEntry> ResolveModel(Registry& registry, std::string_view reference,
                                 Reservation* room);

/// Runs the work of one call for a reference at a time. The others wait without
/// a thread and run after it, when they find the model in the cache.
/// Thread-safe.
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
