// What the server counts, for Prometheus, and probes over HTTP. No label is
// chosen by a client. Everything is of the process, and thread-safe.
#pragma once

#include <grpcpp/support/status_code_enum.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
/// Version and instruction set of the server.
void SetBuild(std::string_view version, std::string_view target);

/// A gauge that is read when the counters are.
struct Level {
  const char* name;
  const char* help;
  std::int64_t value;
};

struct Probes {
  std::function<std::vector<Level>()> levels;
  /// 200 or 503: the process answers itself; it takes calls.
  std::function<bool()> healthy, ready;
};

/// Answers GET /metrics, /healthz and /readyz at "HOST:PORT" (0: a free one)
/// until what is returned goes. `bound` receives the address with the port in
/// use. Throws std::runtime_error.
std::shared_ptr<void> ServeMetrics(const std::string& address, Probes probes,
                                   std::string* bound);

}  // namespace torqued::server
