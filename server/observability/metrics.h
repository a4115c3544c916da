// What the server counts, for Prometheus. No label is chosen by a client.
// Everything is of the process, and thread-safe.
#pragma once

#include <grpcpp/support/status_code_enum.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/batch/evaluation.h"
#include "torqued/v1/errors.pb.h"

namespace torqued::server {

/// A call has ended. REASON_UNSPECIFIED: without details of an error.
void CountCall(std::string_view method, grpc::StatusCode code,
               v1::Reason reason, std::chrono::nanoseconds took);
/// Rows were computed, after a time in the queue.
void CountRows(const QuantitySet& quantities, std::int64_t rows,
               std::chrono::nanoseconds queue);
/// The samples of a trajectory were checked.
void CountSamples(std::int64_t samples);
/// A call asked for a model, which was in memory or had to be loaded.
void CountModel(bool cached);

/// What is read when the counters are.
struct Levels {
  std::string_view version, target;
  std::int64_t inflight_bytes = 0, max_inflight_bytes = 0;
  std::int64_t inflight_streams = 0, max_inflight_streams = 0;
  std::int64_t calls = 0;
  std::int64_t connections_refused = 0;
  std::int64_t certificate_expires = 0;  // seconds since 1970; 0: no TLS
  std::int64_t certificate_failures = 0;
  std::int64_t rights_failures = 0;
  std::int64_t model_failures = 0;
  bool serving = false;
};

/// All of it in Prometheus' text format.
std::string MetricsText(const Levels& levels);

}  // namespace torqued::server
