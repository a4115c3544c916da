// Metrics of the server for Prometheus, and probes over HTTP. No label is
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

#include "core/engine/evaluation.h"
#include "torqued/v1/errors.pb.h"

namespace torqued::server {

/// `reason`: REASON_UNSPECIFIED without details of an error.
void CountCall(std::string_view method, grpc::StatusCode code,
               v1::Reason reason, std::chrono::nanoseconds took);
void CountRows(const QuantitySet& quantities, std::int64_t rows,
               std::chrono::nanoseconds queue);
void CountSamples(std::int64_t samples);
void CountModel(bool cached);
void SetBuild(std::string_view version, std::string_view target);

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
