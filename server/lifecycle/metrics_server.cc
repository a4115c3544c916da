#include "server/lifecycle/metrics_server.h"

#include <CivetServer.h>

#include <utility>
#include <vector>

namespace torqued::server {
namespace {

class Page final : public CivetHandler {
 public:
  explicit Page(std::function<std::pair<int, std::string>()> answer)
      : answer_(std::move(answer)) {}

  bool handleGet(CivetServer* /*server*/, mg_connection* connection) override {
    const auto [status, text] = answer_();
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: text/plain; version=0.0.4\r\n"
              "Content-Length: %zu\r\n\r\n",
              status, status == 200 ? "OK" : "Service Unavailable",
              text.size());
    mg_write(connection, text.data(), text.size());
    return true;
  }

 private:
  std::function<std::pair<int, std::string>()> answer_;
};

std::pair<int, std::string> YesOrNo(bool yes) {
  return yes ? std::pair(200, std::string("yes\n"))
             : std::pair(503, std::string("no\n"));
}

}  // namespace

struct MetricsServer::Impl {
  Impl(const Answers& answers, const std::string& address)
      : metrics([&] { return std::pair(200, answers.metrics()); }),
        healthz([&] { return YesOrNo(answers.healthy()); }),
        readyz([&] { return YesOrNo(answers.ready()); }),
        // Requests that are not sent to their end hold a thread for 2 s.
        server(std::vector<std::string>{"listening_ports", address,
                                        "num_threads", "8",
                                        "request_timeout_ms", "2000"}) {
    server.addHandler("/metrics", metrics);
    server.addHandler("/healthz", healthz);
    server.addHandler("/readyz", readyz);
  }

  Page metrics, healthz, readyz;
  CivetServer server;  // ends its threads before the pages go
};

MetricsServer::MetricsServer(Answers answers) : answers_(std::move(answers)) {}

MetricsServer::~MetricsServer() = default;

std::variant<std::unique_ptr<MetricsServer>, std::string> MetricsServer::Start(
    const std::string& address, Answers answers) {
  std::unique_ptr<MetricsServer> made(new MetricsServer(std::move(answers)));
  try {
    made->impl_ = std::make_unique<Impl>(made->answers_, address);
  } catch (const CivetException&) {
    return "cannot listen on " + address;
  }
  made->address_ =
      address.substr(0, address.rfind(':') + 1) +
      std::to_string(made->impl_->server.getListeningPorts().at(0));
  return made;
}

}  // namespace torqued::server
