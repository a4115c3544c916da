// grpc.health.v1, as far as a client needs it.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "client/cpp/retry.h"

namespace grpc {
class Channel;
}

namespace torqued::client {

enum class Health : std::uint8_t {
  kServing,
  kNotServing,  // up, but not ready or draining
  kUnknown,     // the server does not offer the health service
};

struct HealthReport {
  Health health = Health::kUnknown;
  std::chrono::nanoseconds round_trip{0};
};

/// Asks once. Throws Error when the server cannot be reached.
HealthReport CheckHealth(const std::shared_ptr<grpc::Channel>& channel,
                         Clock::time_point deadline);

}  // namespace torqued::client
