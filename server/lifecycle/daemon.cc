#include "server/lifecycle/daemon.h"

#include <absl/strings/str_join.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "core/engine/evaluation_plan.h"
#include "server/lifecycle/supervision.h"
#include "server/observability/logging.h"
#include "server/registry/model_store.h"

namespace torqued::server {
namespace {

using Clock = std::chrono::steady_clock;

// New calls are still told to go elsewhere once none is in flight. Clients of
// ours that were told come back after 25 ms at the earliest.
constexpr std::chrono::milliseconds kSettling{20};
// For the last replies, within the grace: what a client sends once its
// connection is shut down makes the system drop what it has not taken yet.
constexpr std::chrono::seconds kDelivery{2};
// Longer than a thread that has work waits for a core.
constexpr std::chrono::seconds kHealthPatience{5};
// Broken models beyond these are counted, not named.
constexpr std::int64_t kMostNamed = 5;

/// Leaves out reflection, which its library adds to every server.
class NoReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments* /*arguments*/) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>*
                         plugins) override {
    std::erase_if(*plugins, [](const auto& plugin) {
      return plugin->name() == "proto_server_reflection";
    });
  }
};

void NameTarget(std::string* out, const SimdKernels* target) {
  out->append(target->target);
}

/// What `make` makes; of what it throws, the setting that leads to it.
template <class Make>
auto By(const char* flag, const Make& make) {
  try {
    return make();
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(flag) + ": " + error.what());
  }
}

}  // namespace

Daemon::Daemon(const Settings& settings,
               std::chrono::milliseconds between_checks)
    : settings_(settings),
      engine_(
          By("--threads",
             [&] { return Engine({settings.threads, 0, settings.target}); })),
      admission_({settings.max_inflight_bytes, settings.max_inflight_streams}) {
  const std::int64_t memory = settings.memory.bytes;
  const bool fits = settings.max_inflight_bytes <= memory / 2;
  Log(fits ? LogLevel::kInfo : LogLevel::kWarn,
      fits ? "memory" : "max-inflight-bytes is more than half of the memory",
      {{"memory_bytes", memory},
       {"memory_source", settings.memory.source},
       {"max_inflight_bytes", settings.max_inflight_bytes},
       {"max_message_bytes", settings.max_message_bytes}});
  if (!settings.metrics_listen.empty()) {
    SetBuild(Version(), engine_.target());
    std::string bound;
    metrics_server_ = By("--metrics-listen", [&] {
      return ServeMetrics(settings.metrics_listen,
                          {.levels = [this] { return Levels(); },
                           .healthy = [this] { return answers_.load(); },
                           .ready = [this] { return IsServing(); }},
                          &bound);
    });
    Log(LogLevel::kInfo, "serving metrics", {{"address", bound}});
  }
  OpenRegistry();
  LoadDirectories(/*starts=*/true);
  CountModels();
  const std::string problem = SelfCheck(engine_);
  Require(problem.empty(), problem);
  Listen();
  Note(&started_, true);
  accept_loop_->Start();
  watchdog_ =
      Watch([this] { return AskOwnHealth(); },
            [this](bool answers) { Note(&answers_, answers); }, between_checks);
  Log(LogLevel::kInfo, "serving",
      {{"version", Version()},
       {"address", absl::StrJoin(addresses(), ",")},
       {"threads", std::int64_t{engine_.threads()}},
       {"target", engine_.target()},
       {"available_targets", absl::StrJoin(Targets(), ",", NameTarget)},
       {"store", settings.store},
       {"models", models_},
       {"broken", broken_}});
}

Daemon::~Daemon() {
  watchdog_ = {};
  accept_loop_->Close();
  gate_.Close();
  server_->Shutdown(std::chrono::system_clock::now());
}

std::vector<Level> Daemon::Levels() const {
  const bool serving = IsServing();
  const Admission::Load held = admission_.held(), most = admission_.limit();
  std::vector<Level> levels{
      {"torqued_inflight_bytes", "Bytes that calls in flight have admitted.",
       held.bytes},
      {"torqued_inflight_bytes_limit", "The setting max-inflight-bytes.",
       most.bytes},
      {"torqued_inflight_streams", "Streams in flight.", held.streams},
      {"torqued_inflight_streams_limit", "The setting max-inflight-streams.",
       most.streams},
      {"torqued_inflight_calls", "Calls in flight, streams included.",
       gate_.in_flight()},
      {"torqued_connections_refused",
       "Connections closed at the limit of descriptors since the start.",
       serving ? accept_loop_->refused() : 0},
      {"torqued_rights_failures",
       "Reloads of the rights file that were refused since the start.",
       serving && rights_ ? rights_->failures() : 0},
      {"torqued_model_file_failures",
       "Files of the model directories that were refused since the start, "
       "again at each reload.",
       model_failures_.load()},
      {"torqued_serving", "1 if health is SERVING.", serving ? 1 : 0}};
  if (serving && certificates_) {
    levels.push_back({"torqued_certificate_expiry_timestamp_seconds",
                      "End of the certificate in use, in Unix time.",
                      certificates_->expires()});
    levels.push_back(
        {"torqued_certificate_failures",
         "Reloads of certificates that were refused since the start.",
         certificates_->failures()});
  }
  return levels;
}

void Daemon::OpenRegistry() {
  if (!settings_.rights.empty()) {
    rights_ = By("--rights", [&] {
      return std::make_unique<RightsFile>(settings_.rights);
    });
  }
  registry_ = By("--store", [&] {
    return std::make_unique<Registry>(
        std::make_unique<ModelStore>(settings_.store, settings_.max_models),
        static_cast<std::size_t>(CachedSourceBytes(settings_)));
  });
  context_.reset(By("--threads", [&] {
    return new ServiceContext{
        .registry = *registry_,
        .engine = engine_,
        .admission = admission_,
        .gate = gate_,
        .limits = {settings_.max_rows, settings_.max_message_bytes,
                   engine_.threads()},
        .memory_bytes = settings_.memory.bytes,
        .max_arriving_bytes = ArrivalBytes(settings_),
        .rights = rights_.get(),
        .read_only = settings_.read_only};
  }));
  services_ = OfferServices(*context_);
}

void Daemon::LoadDirectories(bool starts) {
  std::int64_t changed = 0, failures = 0;
  for (const auto& entry : registry_->LoadDirectories(
           settings_.models, settings_.models_validation)) {
    // A directory that cannot be read is a mistake of configuration.
    Require(!starts || !entry.name.empty(), "--models: " + entry.message);
    if (entry.changed) ++changed;
    if (!entry.ok) ++failures;
    if (entry.ok && !entry.changed && !starts) continue;
    Log(entry.ok ? LogLevel::kInfo : LogLevel::kWarn, "model file",
        {{"model", entry.name}, {"detail", entry.message}});
  }
  model_failures_ += failures;
  if (starts) return;
  Log(LogLevel::kInfo, "reloaded",
      {{"models_changed", changed}, {"model_failures", failures}});
}

void Daemon::CountModels() {
  // Loads those of a store of an older version: no list waits for them then.
  std::string token;
  do {
    auto listed = registry_->List(0, token);
    if (const auto* error = std::get_if<RegistryError>(&listed)) {
      throw std::runtime_error("--store: " + error->message);
    }
    auto& page = std::get<ModelPage>(listed);
    for (const ListedModel& model : page.models) {
      ++models_;
      const std::string& problem = model.summary.problem;
      if (problem.empty() || ++broken_ > kMostNamed) continue;
      Log(LogLevel::kWarn, "broken model",
          {{"model", model.name}, {"detail", problem}});
    }
    token = std::move(page.next_page_token);
  } while (!token.empty());
}

void Daemon::Listen() {
  if (!settings_.tls.cert.empty()) {
    certificates_ = std::make_unique<Certificates>(settings_.tls);
  }
  accept_loop_ = By("--listen", [&] {
    return std::make_unique<AcceptLoop>(settings_.listen,
                                        RaiseDescriptorLimit());
  });
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  if (!settings_.reflection || rights_ != nullptr) {
    builder.SetOption(std::make_unique<NoReflection>());
  }
  ConfigureTransport(settings_, &builder);
  accept_loop_->RegisterWith(&builder, certificates_.get());
  for (const auto& [unused, service] : services_) {
    builder.RegisterService(service.get());
  }
  server_ = builder.BuildAndStart();
  Require(server_ != nullptr, "the transport does not start");
}

std::string Daemon::AskOwnHealth() const {
  const std::int64_t refused = accept_loop_->refused();
  for (const std::string& address : accept_loop_->own_addresses()) {
    const bool mtls = flags::SecurityOf(address) == flags::Security::kMtls;
    const std::string own = mtls ? certificates_->own() : "";
    // Without a certificate that clients may have, nobody answers.
    if (mtls && own.empty()) continue;
    std::string problem =
        CheckHealth(address, {"", "", "", "", false, own}, kHealthPatience,
                    /*must_serve=*/false);
    // Connections beyond the limit of descriptors are refused by intention.
    if (accept_loop_->refused() != refused) return {};
    if (!problem.empty()) return problem;
  }
  return {};
}

void Daemon::Reload() {
  if (certificates_ != nullptr) certificates_->Reload();
  if (rights_ != nullptr) rights_->Reload();
}

void Daemon::Note(std::atomic<bool>* condition, bool is) {
  const std::lock_guard lock(health_mutex_);
  *condition = is;
  auto* health = server_->GetHealthCheckService();
  for (const auto& [service, unused] : services_) {
    health->SetServingStatus(service, IsServing());
  }
  health->SetServingStatus("", IsServing());
}

void Daemon::Drain(const std::function<bool()>& hurry) {
  const auto end = Clock::now() + settings_.drain_grace;
  Note(&leaving_, true);
  watchdog_ = {};
  accept_loop_->Close();
  gate_.Close();
  Log(LogLevel::kInfo, "draining", {{"calls", gate_.in_flight()}});
  // The number that was seen last: a call that is refused counts for a moment.
  std::int64_t left = 0;
  bool hurried = false;
  const auto wait = [&](Clock::time_point until, const auto& pending) {
    while (!hurried && pending() && Clock::now() < until) hurried = hurry();
  };
  wait(end, [&] { return (left = gate_.in_flight()) > 0; });
  wait(Clock::now() + kSettling, [&] { return left == 0; });
  wait(std::min(end, Clock::now() + kDelivery),
       [&] { return left == 0 && accept_loop_->Unsent(); });
  accept_loop_->ShutDownConnections();
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  Log(LogLevel::kInfo, "stopped", {{"cancelled_calls", left}});
}

}  // namespace torqued::server
