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

struct Civet final : MetricsServer {
  Civet(const std::string& at, Answers to)
      : answers(std::move(to)),
        // Requests that are not sent to their end hold a thread for 2 s.
        server(std::vector<std::string>{"listening_ports", at, "num_threads",
                                        "8", "request_timeout_ms", "2000"}) {
    server.addHandler("/metrics", metrics);
    server.addHandler("/healthz", healthz);
    server.addHandler("/readyz", readyz);
    address = at.substr(0, at.rfind(':') + 1) +
              std::to_string(server.getListeningPorts().at(0));
  }

  const Answers answers;
  Page metrics{[this] { return std::pair(200, answers.metrics()); }};
  Page healthz{[this] { return YesOrNo(answers.healthy()); }};
  Page readyz{[this] { return YesOrNo(answers.ready()); }};
  CivetServer server;  // ends its threads before the pages go
};

}  // namespace

std::variant<std::unique_ptr<MetricsServer>, std::string> StartMetricsServer(
    const std::string& address, MetricsServer::Answers answers) {
  try {
    return std::make_unique<Civet>(address, std::move(answers));
  } catch (const CivetException&) {
    return "cannot listen on " + address;
  }
}

}  // namespace torqued::server
