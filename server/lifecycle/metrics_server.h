// An address for Prometheus and for probes over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace torqued::server {

/// Answers GET /metrics, /healthz and /readyz until it goes.
class MetricsServer {
 public:
  struct Answers {
    std::function<std::string()> metrics;
    /// 200 or 503: the process answers itself; it takes calls.
    std::function<bool()> healthy, ready;
  };

  /// "HOST:PORT"; port 0: a free one. Or why it cannot listen.
  static std::variant<std::unique_ptr<MetricsServer>, std::string> Start(
      const std::string& address, Answers answers);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// With the port in use.
  const std::string& address() const { return address_; }

 private:
  struct Impl;

  explicit MetricsServer(Answers answers);

  Answers answers_;
  std::string address_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torqued::server
