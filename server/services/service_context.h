#pragma once

#include <chrono>
#include <cstdint>

#include "core/batch/engine.h"
#include "server/config/rights.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"
#include "server/services/call_gate.h"
#include "server/services/model_loads.h"
#include "server/services/prepared_query.h"
#include "server/services/state_batch.h"

namespace torqued::server {

/// What the server tells of its memory, bytes.
struct MemoryBounds {
  std::int64_t memory = 0;  // that the process may use
  std::int64_t arriving = 0;
};

/// What the calls of the services work with; outlives them.
struct ServiceContext {
  Registry& registry;
  Engine& engine;
  Admission& admission;
  CallGate& gate;
  ComputeLimits limits;
  MemoryBounds memory = {};
  /// How long a message of a stream may wait for its client; then the call
  /// ends.
  std::chrono::milliseconds write_timeout = std::chrono::minutes(5);
  const RightsFile* rights = nullptr;  // null: everybody may do everything
  bool read_only = false;
  QueryCache queries = {};
  /// What cannot be cut into short chunks, on threads of its own beside those
  /// of the engine, as many: models that are read and made, registrations,
  /// steps of checks. These take long, so turns go round the hosts, however
  /// many connections each has. Goes first, with what runs on it.
  ChunkScheduler background{engine.threads()};
  ModelLoads loads{background};
};

}  // namespace torqued::server
