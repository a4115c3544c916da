#include "server/observability/metrics.h"

#include <absl/status/status.h>
#include <google/protobuf/descriptor.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <map>
#include <memory>

#include "server/wire/enums.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/model_registry.pb.h"
#include "torqued/v1/server_info.pb.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

constexpr std::size_t kCodes = grpc::StatusCode::UNAUTHENTICATED + 1;
constexpr std::size_t kReasons = v1::Reason_MAX + 1;

const Histogram::BucketBoundaries& Buckets() {
  static const Histogram::BucketBoundaries seconds = {
      1e-4,  2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01,
      0.025, 0.05,   0.1,  0.25, 0.5,    1,    10};
  return seconds;
}

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

class State {
 public:
  State() {
    for (const auto* request :
         {v1::ComputeRequest::descriptor(), v1::GetModelRequest::descriptor(),
          v1::GetServerInfoRequest::descriptor(),
          v1::CheckTrajectoryRequest::descriptor()}) {
      const auto* service = request->file()->service(0);
      for (int k = 0; k < service->method_count(); ++k) {
        const std::string& name = service->method(k)->name();
        methods_[name].seconds = &seconds_.Add({{"method", name}}, Buckets());
      }
    }
    for (int k = v1::Quantity_MIN; k <= v1::Quantity_MAX; ++k) {
      const auto quantity = ToQuantity(k);
      if (!quantity) continue;
      constexpr std::size_t kPrefix = sizeof("QUANTITY_") - 1;
      std::string name =
          v1::Quantity_Name(static_cast<v1::Quantity>(k)).substr(kPrefix);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return std::tolower(c); });
      rows_of_[static_cast<std::size_t>(*quantity)] =
          &rows_.Add({{"quantity", name}});
    }
  }

  void CountCall(std::string_view method, grpc::StatusCode code,
                 v1::Reason reason, std::chrono::nanoseconds took) {
    const auto found = methods_.find(method);
    if (found == methods_.end()) return;
    found->second.seconds->Observe(Seconds(took));
    auto& counter = found->second.ends[code][static_cast<std::size_t>(reason)];
    Counter* made = counter.load(std::memory_order_acquire);
    if (made == nullptr) {
      // Add has the same answer for everybody.
      made = &calls_.Add({{"method", found->first},
                          {"code", absl::StatusCodeToString(
                                       static_cast<absl::StatusCode>(code))},
                          {"reason", reason == v1::REASON_UNSPECIFIED
                                         ? std::string()
                                         : v1::Reason_Name(reason)}});
      counter.store(made, std::memory_order_release);
    }
    made->Increment();
  }

  void CountRows(const QuantitySet& quantities, std::int64_t rows,
                 std::chrono::nanoseconds queue) {
    queue_.Observe(Seconds(queue));
    for (std::size_t k = 0; k < rows_of_.size(); ++k) {
      if (!quantities.Has(static_cast<Quantity>(k))) continue;
      rows_of_[k]->Increment(static_cast<double>(rows));
    }
  }

  void CountSamples(std::int64_t samples) {
    samples_.Increment(static_cast<double>(samples));
  }
  void CountModel(bool cached) { (cached ? cached_ : loaded_).Increment(); }

  std::string Text(const Levels& levels) {
    build_
        .Add({{"version", std::string(levels.version)},
              {"target", std::string(levels.target)}})
        .Set(1);
    Set("torqued_inflight_bytes", "Bytes that calls in flight have admitted.",
        levels.inflight_bytes);
    Set("torqued_inflight_bytes_limit", "The setting max-inflight-bytes.",
        levels.max_inflight_bytes);
    Set("torqued_inflight_streams", "Streams in flight.",
        levels.inflight_streams);
    Set("torqued_inflight_streams_limit", "The setting max-inflight-streams.",
        levels.max_inflight_streams);
    Set("torqued_inflight_calls", "Calls in flight, streams included.",
        levels.calls);
    Set("torqued_connections_refused",
        "Connections closed at the limit of descriptors since the start.",
        levels.connections_refused);
    if (levels.certificate_expires > 0) {
      Set("torqued_certificate_expiry_timestamp_seconds",
          "End of the certificate in use, in Unix time.",
          levels.certificate_expires);
      Set("torqued_certificate_failures",
          "Reloads of certificates that were refused since the start.",
          levels.certificate_failures);
    }
    Set("torqued_rights_failures",
        "Reloads of the rights file that were refused since the start.",
        levels.rights_failures);
    Set("torqued_model_file_failures",
        "Files of the model directories that were refused since the start, at "
        "every reload anew.",
        levels.model_failures);
    Set("torqued_serving", "1 if health is SERVING.", levels.serving ? 1 : 0);
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  struct Method {
    Histogram* seconds = nullptr;
    std::array<std::array<std::atomic<Counter*>, kReasons>, kCodes> ends{};
  };

  Family<Counter>& NewCounter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  }
  Family<Histogram>& NewHistogram(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(
        registry_);
  }
  /// Register and Add have the same answer again.
  void Set(const char* name, const char* help, std::int64_t value) {
    prometheus::BuildGauge()
        .Name(name)
        .Help(help)
        .Register(registry_)
        .Add({})
        .Set(static_cast<double>(value));
  }

  prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Merge};
  Family<Counter>& calls_ = NewCounter(
      "torqued_calls_total", "Calls by method, status code and error reason.");
  Family<Histogram>& seconds_ = NewHistogram(
      "torqued_call_seconds", "Time from the arrival of a call to its end.");
  Histogram& queue_ =
      NewHistogram("torqued_queue_seconds",
                   "Time that a call or chunk waited for a computing thread.")
          .Add({}, Buckets());
  Family<Counter>& rows_ =
      NewCounter("torqued_rows_total", "Rows computed, by quantity.");
  Counter& samples_ =
      NewCounter("torqued_samples_total", "Samples of trajectories checked.")
          .Add({});
  Family<Counter>& models_ =
      NewCounter("torqued_model_lookups_total",
                 "Models that calls asked for: cached in memory, or loaded.");
  Counter& cached_ = models_.Add({{"result", "cached"}});
  Counter& loaded_ = models_.Add({{"result", "loaded"}});
  Family<Gauge>& build_ = prometheus::BuildGauge()
                              .Name("torqued_build_info")
                              .Help("Version and instruction set in use.")
                              .Register(registry_);
  std::map<std::string, Method, std::less<>> methods_;
  std::array<Counter*, kQuantityCount> rows_of_{};
};

State& TheState() {
  // Calls may end while the process exits.
  static State& state = *new State;
  return state;
}

}  // namespace

void CountCall(std::string_view method, grpc::StatusCode code,
               v1::Reason reason, std::chrono::nanoseconds took) {
  TheState().CountCall(method, code, reason, took);
}

void CountRows(const QuantitySet& quantities, std::int64_t rows,
               std::chrono::nanoseconds queue) {
  TheState().CountRows(quantities, rows, queue);
}

void CountSamples(std::int64_t samples) { TheState().CountSamples(samples); }

void CountModel(bool cached) { TheState().CountModel(cached); }

std::string MetricsText(const Levels& levels) {
  return TheState().Text(levels);
}

}  // namespace torqued::server
