#pragma once

#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>
#include <string>

#include "server/config/settings.h"

namespace torqued::server {

/// Asks grpc.health.v1 at the address for the whole server, over a connection
/// of its own.
struct HealthAnswer {
  std::string problem;  // why there is no answer; empty if there is one
  bool serving = false;
};
HealthAnswer AskHealth(
    const std::string& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const std::string& server_name, std::chrono::milliseconds timeout);

/// What is wrong at the address, or nothing if it serves.
std::string CheckHealth(const std::string& address, const ClientTls& tls,
                        std::chrono::milliseconds timeout);
/// The same of the first address in an address file.
std::string CheckHealthByFile(const std::string& file, const ClientTls& tls,
                              std::chrono::milliseconds timeout);

}  // namespace torqued::server
