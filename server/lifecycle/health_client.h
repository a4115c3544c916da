#pragma once

#include <chrono>
#include <string>

namespace torqued::server {

/// Asks grpc.health.v1 at the address for the whole server. Returns what is
/// wrong, or nothing when it serves.
std::string CheckHealth(const std::string& address,
                        std::chrono::milliseconds timeout);

}  // namespace torqued::server
