// An address for Prometheus and for probes over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace torqued::server {

/// Answers GET /metrics, /healthz and /readyz until it goes.
struct MetricsServer {
  struct Answers {
    std::function<std::string()> metrics;
    /// 200 or 503: the process answers itself; it takes calls.
    std::function<bool()> healthy, ready;
  };

  virtual ~MetricsServer() = default;

  std::string address;  // with the port in use
};

/// "HOST:PORT"; port 0: a free one. Or why it cannot listen.
std::variant<std::unique_ptr<MetricsServer>, std::string> StartMetricsServer(
    const std::string& address, MetricsServer::Answers answers);

}  // namespace torqued::server
