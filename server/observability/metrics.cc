#include "server/observability/metrics.h"

#include <CivetServer.h>
#include <absl/status/status.h>
#include <google/protobuf/descriptor.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <stdexcept>
#include <utility>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/model_registry.pb.h"
#include "torqued/v1/server_info.pb.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;

const Histogram::BucketBoundaries kBuckets = {1e-4, 2.5e-4, 5e-4,  1e-3, 2.5e-3,
                                              5e-3, 0.01,   0.025, 0.05, 0.1,
                                              0.25, 0.5,    1,     10};

double InSeconds(std::chrono::duration<double> time) { return time.count(); }

struct State {
  struct Method {
    Histogram* seconds = nullptr;
    std::atomic<Counter*> ends[grpc::StatusCode::UNAUTHENTICATED + 1]
                              [v1::Reason_ARRAYSIZE]{};
  };

  State() {
    for (const auto* request :
         {v1::ComputeRequest::descriptor(), v1::GetModelRequest::descriptor(),
          v1::GetServerInfoRequest::descriptor(),
          v1::CheckTrajectoryRequest::descriptor()}) {
      const auto* service = request->file()->service(0);
      for (int k = 0; k < service->method_count(); ++k) {
        const std::string& name = service->method(k)->name();
        methods[name].seconds = &seconds.Add({{"method", name}}, kBuckets);
        // A rate misses the first of them unless there is a zero before.
        MakeEnds(name, grpc::INTERNAL, v1::INTERNAL_ERROR);
        MakeEnds(name, grpc::UNAVAILABLE, v1::STORE_UNAVAILABLE);
        MakeEnds(name, grpc::RESOURCE_EXHAUSTED, v1::OVERLOADED);
      }
    }
    for (int k = 0; k < kQuantityCount; ++k) {
      rows_of[static_cast<std::size_t>(k)].shown = &rows.Add(
          {{"quantity", std::string(ToString(static_cast<Quantity>(k)))}});
    }
  }

  // Add and Register have the same answer again.
  Counter& MakeEnds(const std::string& method, grpc::StatusCode code,
                    v1::Reason reason) {
    return calls.Add({{"method", method},
                      {"code", absl::StatusCodeToString(
                                   static_cast<absl::StatusCode>(code))},
                      {"reason", reason == 0 ? "" : v1::Reason_Name(reason)}});
  }

  template <class Metric>
  Family<Metric>& New(prometheus::detail::Builder<Metric> builder,
                      const char* name, const char* help) {
    return builder.Name(name).Help(help).Register(registry);
  }

  prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
  Family<Counter>& calls =
      New(prometheus::BuildCounter(), "torqued_calls_total",
          "Calls by method, status code and error reason.");
  Family<Histogram>& seconds =
      New(prometheus::BuildHistogram(), "torqued_call_seconds",
          "Time from the arrival of a call to its end.");
  Histogram& queue =
      New(prometheus::BuildHistogram(), "torqued_queue_seconds",
          "Time that a call or chunk waited for a computing thread.")
          .Add({}, kBuckets);
  Family<Counter>& rows = New(prometheus::BuildCounter(), "torqued_rows_total",
                              "Rows computed, by quantity.");
  Counter& samples = New(prometheus::BuildCounter(), "torqued_samples_total",
                         "Samples of trajectories checked.")
                         .Add({});
  Family<Counter>& models =
      New(prometheus::BuildCounter(), "torqued_model_lookups_total",
          "Models that calls asked for: cached in memory, or loaded.");
  Counter& cached = models.Add({{"result", "cached"}});
  Counter& loaded = models.Add({{"result", "loaded"}});
  std::map<std::string, Method, std::less<>> methods;
  // A Counter is too slow for as many as a call may ask for.
  struct Rows {
    std::atomic<std::int64_t> count;  // since the last scrape
    Counter* shown = nullptr;
  };
  std::array<Rows, kQuantityCount> rows_of{};
};

State& TheState() {
  // Calls may end while the process exits.
  static State& state = *new State;
  return state;
}

class MetricsServer final : public CivetHandler {
 public:
  MetricsServer(const std::string& address, Probes probes)
      : probes_(std::move(probes)),
        // Requests that are not sent to their end hold a thread for 2 s.
        server_(std::vector<std::string>{"listening_ports", address,
                                         "num_threads", "64",
                                         "request_timeout_ms", "2000"}) {
    for (const char* page : {"/metrics", "/healthz", "/readyz"}) {
      server_.addHandler(page, this);
    }
  }

  int port() { return server_.getListeningPorts().at(0); }

  bool handleGet(CivetServer* /*server*/, mg_connection* connection) override {
    const std::string_view page = mg_get_request_info(connection)->local_uri;
    const bool good = page == "/healthz" ? probes_.healthy()
                                         : page != "/readyz" || probes_.ready();
    const std::string text = page == "/metrics" ? Metrics()
                             : good             ? "yes\n"
                                                : "no\n";
    mg_printf(connection,
              "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\n"
              "Content-Length: %zu\r\n\r\n",
              good ? "200 OK" : "503 Service Unavailable", text.size());
    mg_write(connection, text.data(), text.size());
    return true;
  }

 private:
  std::string Metrics() const {
    for (auto& [count, shown] : TheState().rows_of) {
      shown->Increment(static_cast<double>(count.exchange(0)));
    }
    for (const Level& level : probes_.levels()) {
      TheState()
          .New(prometheus::BuildGauge(), level.name, level.help)
          .Add({})
          .Set(static_cast<double>(level.value));
    }
    return prometheus::TextSerializer().Serialize(
        TheState().registry.Collect());
  }

  const Probes probes_;
  CivetServer server_;  // ends its threads before the rest goes
};

}  // namespace

void CountCall(std::string_view method, grpc::StatusCode code,
               v1::Reason reason, std::chrono::nanoseconds took) {
  const auto found = TheState().methods.find(method);
  if (found == TheState().methods.end()) return;
  found->second.seconds->Observe(InSeconds(took));
  auto& counter = found->second.ends[code][reason];
  Counter* made = counter.load(std::memory_order_acquire);
  if (made == nullptr) {
    made = &TheState().MakeEnds(found->first, code, reason);
    counter.store(made, std::memory_order_release);
  }
  made->Increment();
}

void CountRows(const QuantitySet& quantities, std::int64_t rows,
               std::chrono::nanoseconds queue) {
  TheState().queue.Observe(InSeconds(queue));
  for (QuantityBits left = quantities.bits(); left != 0; left &= left - 1) {
    TheState().rows_of[std::countr_zero(left)].count += rows;
  }
}

void CountSamples(std::int64_t samples) {
  TheState().samples.Increment(static_cast<double>(samples));
}

void CountModel(bool cached) {
  (cached ? TheState().cached : TheState().loaded).Increment();
}

void SetBuild(std::string_view version, std::string_view target) {
  TheState()
      .New(prometheus::BuildGauge(), "torqued_build_info",
           "Version and instruction set in use.")
      .Add({{"version", std::string(version)}, {"target", std::string(target)}})
      .Set(1);
}

std::shared_ptr<void> ServeMetrics(const std::string& address, Probes probes,
                                   std::string* bound) {
  try {
    auto made = std::make_shared<MetricsServer>(address, std::move(probes));
    *bound = address.substr(0, address.rfind(':') + 1) +
             std::to_string(made->port());
    return made;
  } catch (const CivetException&) {
    throw std::runtime_error("cannot listen on " + address);
  }
}

}  // namespace torqued::server
