#pragma once

#include <chrono>
#include <string>

namespace torqued::server {

/// Asks grpc.health.v1 at the address for the whole server, over a connection
/// of its own.
struct HealthAnswer {
  std::string problem;  // why there is no answer; empty if there is one
  bool serving = false;
};
HealthAnswer AskHealth(const std::string& address,
                       std::chrono::milliseconds timeout);

/// What is wrong at the address, or nothing if it serves.
std::string CheckHealth(const std::string& address,
                        std::chrono::milliseconds timeout);

}  // namespace torqued::server
