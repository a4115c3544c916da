#include "server/lifecycle/daemon.h"

#include <absl/strings/str_join.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/lanes/targets.h"
#include "server/lifecycle/health_client.h"
#include "server/lifecycle/self_check.h"
#include "server/lifecycle/supervision.h"
#include "server/lifecycle/transport.h"
#include "server/observability/logging.h"
#include "server/observability/metrics.h"
#include "server/registry/model_store.h"

namespace torqued::server {
namespace {

using Clock = std::chrono::steady_clock;

// How long new calls are still told to go elsewhere once none is in flight.
// Clients of ours that were told come back after 25 ms at the earliest.
constexpr std::chrono::milliseconds kSettling{20};

// How long the last replies may take to their clients, within the grace. What a
// client sends once its connection is shut down makes the system drop what it
// has not taken yet.
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

/// The folder of a file that is not there yet, which is empty where it is.
std::string MissingFolder(const std::string& file) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::absolute(file, error).parent_path();
  const bool missing = !error && !std::filesystem::exists(folder, error);
  return missing && !error ? folder.string() : std::string();
}

/// Half of the memory is left to what arrives, to gRPC and to the allocator.
void LogMemory(const Settings& settings) {
  const std::int64_t memory = settings.memory.bytes;
  const bool too_much = settings.max_inflight_bytes > memory / 2;
  Log(too_much ? LogLevel::kWarn : LogLevel::kInfo,
      too_much ? "max-inflight-bytes is more than half of the memory"
               : "memory",
      {{"memory_bytes", memory},
       {"memory_source", settings.memory.source},
       {"max_inflight_bytes", settings.max_inflight_bytes},
       {"max_message_bytes", settings.max_message_bytes}});
}

}  // namespace

Daemon::Daemon(const Settings& settings)
    : settings_(settings),
      engine_(Engine::Options{settings.threads, 0, settings.target}),
      admission_({settings.max_inflight_bytes, settings.max_inflight_streams}) {
}

Daemon::~Daemon() {
  if (accept_loop_ != nullptr) StopListening();
  if (server_ == nullptr) return;
  Note(&Condition::started, false);
  gate_.Close();
  server_->Shutdown(std::chrono::system_clock::now());
}

std::variant<std::unique_ptr<Daemon>, std::string> Daemon::Start(
    const Settings& settings, std::chrono::milliseconds between_checks) {
  std::unique_ptr<Daemon> daemon;
  try {
    daemon.reset(new Daemon(settings));
  } catch (const std::exception& error) {
    return std::string("--threads: ") + error.what();
  }
  LogMemory(settings);
  std::string problem = daemon->ServeMetrics();
  if (problem.empty()) problem = daemon->OpenRegistry();
  if (problem.empty()) problem = daemon->LoadModels();
  if (problem.empty()) problem = SelfCheck(daemon->engine_);
  if (problem.empty()) problem = daemon->Listen();
  if (!problem.empty()) return problem;
  daemon->Note(&Condition::started, true);
  daemon->accept_loop_->Start();
  daemon->watchdog_ = Watch(
      [&it = *daemon] { return it.AskOwnHealth(); },
      [&it = *daemon](bool answers) { it.Note(&Condition::answers, answers); },
      between_checks);
  daemon->LogStart();
  return daemon;
}

std::string Daemon::ServeMetrics() {
  if (settings_.metrics_listen.empty()) return {};
  auto started = StartMetricsServer(
      settings_.metrics_listen,
      {.metrics =
           [this] {
             const bool serving = IsServing();
             const Admission::Load held = admission_.held();
             return MetricsText(
                 {.version = Version(),
                  .target = engine_.target(),
                  .inflight_bytes = held.bytes,
                  .max_inflight_bytes = admission_.limit().bytes,
                  .inflight_streams = held.streams,
                  .max_inflight_streams = admission_.limit().streams,
                  .calls = gate_.in_flight(),
                  .connections_refused = serving ? accept_loop_->refused() : 0,
                  .certificate_expires =
                      serving && certificates_ ? certificates_->expires() : 0,
                  .certificate_failures =
                      serving && certificates_ ? certificates_->failures() : 0,
                  .rights_failures =
                      serving && rights_ ? rights_->failures() : 0,
                  .model_failures = model_failures_.load(),
                  .serving = serving});
           },
       .healthy = [this] { return answers(); },
       .ready = [this] { return IsServing(); }});
  if (auto* problem = std::get_if<std::string>(&started)) {
    return "--metrics-listen: " + *problem;
  }
  metrics_server_ =
      std::get<std::unique_ptr<MetricsServer>>(std::move(started));
  Log(LogLevel::kInfo, "serving metrics",
      {{"address", metrics_server_->address}});
  return {};
}

bool Daemon::answers() {
  const std::lock_guard lock(health_mutex_);
  return condition_.answers;
}

bool Daemon::IsServing() {
  const std::lock_guard lock(health_mutex_);
  return condition_.started && !condition_.leaving && condition_.answers;
}

std::string Daemon::OpenRegistry() {
  if (!settings_.rights.empty()) {
    auto read = RightsFile::Open(settings_.rights);
    if (auto* problem = std::get_if<std::string>(&read)) {
      return "--rights: " + *problem;
    }
    rights_ = std::get<std::unique_ptr<RightsFile>>(std::move(read));
  }
  const std::string folder = MissingFolder(settings_.store);
  auto opened = ModelStore::Open(settings_.store, settings_.max_models);
  if (auto* problem = std::get_if<std::string>(&opened)) {
    return "--store: " + std::move(*problem);
  }
  if (!folder.empty()) {
    // It may be one that nobody meant.
    Log(LogLevel::kInfo, "made the folder of the store", {{"path", folder}});
  }
  registry_ = std::make_unique<Registry>(
      std::get<std::unique_ptr<ModelStore>>(std::move(opened)),
      static_cast<std::size_t>(CachedSourceBytes(settings_)));
  try {
    context_.reset(new ServiceContext{
        *registry_, engine_, admission_, gate_,
        ComputeLimits{settings_.max_rows, settings_.max_message_bytes,
                      engine_.threads()},
        MemoryBounds{settings_.memory.bytes, ArrivalBytes(settings_)}});
    context_->rights = rights_.get();
    context_->read_only = settings_.read_only;
  } catch (const std::exception& error) {  // no threads
    return std::string("--threads: ") + error.what();
  }
  services_ = std::make_unique<OfferedServices>(*context_);
  return {};
}

std::string Daemon::LoadModels() {
  for (const auto& entry : registry_->LoadDirectories(
           settings_.models, settings_.models_validation)) {
    // A file that does not load leaves the others usable; a directory that
    // cannot be read is a mistake of configuration.
    if (entry.name.empty()) return "--models: " + entry.message;
    if (!entry.ok) ++model_failures_;
    Log(entry.ok ? LogLevel::kInfo : LogLevel::kWarn, "model file",
        {{"model", entry.name}, {"detail", entry.message}});
  }
  // Loads those of a store of an older version: no list waits for them then.
  std::string token;
  do {
    auto listed = registry_->List(0, token);
    if (const auto* error = std::get_if<RegistryError>(&listed)) {
      return "--store: " + error->message;
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
  return {};
}

std::string Daemon::Listen() {
  if (!settings_.tls.cert.empty()) {
    auto opened = Certificates::Open(settings_.tls);
    if (auto* problem = std::get_if<std::string>(&opened)) {
      return "--" + *problem;
    }
    certificates_ = std::get<std::unique_ptr<Certificates>>(std::move(opened));
  }
  auto listening = AcceptLoop::Open(settings_.listen, RaiseDescriptorLimit());
  if (const auto* problem = std::get_if<std::string>(&listening)) {
    return "--listen: " + *problem;
  }
  accept_loop_ = std::get<std::unique_ptr<AcceptLoop>>(std::move(listening));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  if (!settings_.reflection || rights_ != nullptr)
    builder.SetOption(std::make_unique<NoReflection>());
  ConfigureTransport(settings_, &builder);
  accept_loop_->RegisterWith(&builder, certificates_.get());
  services_->RegisterWith(&builder);
  server_ = builder.BuildAndStart();
  return server_ == nullptr ? "the transport does not start" : "";
}

std::string Daemon::AskOwnHealth() const {
  const std::int64_t refused = accept_loop_->refused();
  for (const std::string& address : addresses()) {
    const flags::Security security = flags::SecurityOf(address);
    const bool mtls = security == flags::Security::kMtls;
    // Without a certificate that clients may have, nobody answers.
    if (mtls && !certificates_->is_client()) continue;
    const HealthAnswer answer = AskHealth(
        address,
        security == flags::Security::kNone ? grpc::InsecureChannelCredentials()
                                           : certificates_->ForWatchdog(mtls),
        "", kHealthPatience);
    // Connections beyond the limit of descriptors are refused by intention.
    if (accept_loop_->refused() != refused) return {};
    if (!answer.problem.empty()) return answer.problem;
  }
  return {};
}

void Daemon::Reload() {
  if (certificates_ != nullptr) certificates_->Reload();
  if (rights_ != nullptr) rights_->Reload();
}

void Daemon::ReloadModels() {
  std::int64_t changed = 0, failures = 0;
  for (const auto& entry : registry_->LoadDirectories(
           settings_.models, settings_.models_validation)) {
    if (entry.changed) ++changed;
    if (!entry.ok) ++failures;
    if (entry.ok && !entry.changed) continue;
    Log(entry.ok ? LogLevel::kInfo : LogLevel::kError, "model file",
        {{"model", entry.name}, {"detail", entry.message}});
  }
  model_failures_ += failures;
  Log(LogLevel::kInfo, "reloaded",
      {{"models_changed", changed}, {"model_failures", failures}});
}

void Daemon::StopListening() {
  watchdog_ = {};
  accept_loop_->Close();
}

void Daemon::Note(bool Condition::* what, bool is) {
  const std::lock_guard lock(health_mutex_);
  condition_.*what = is;
  if (!condition_.started) return;
  const bool serving = !condition_.leaving && condition_.answers;
  auto* health = server_->GetHealthCheckService();
  for (const std::string& service : services_->names()) {
    health->SetServingStatus(service, serving);
  }
  health->SetServingStatus("", serving);
}

void Daemon::LogStart() {
  const std::string addresses = absl::StrJoin(this->addresses(), ",");
  std::vector<std::string> targets;
  for (const LaneKernels* target : Targets()) {
    targets.emplace_back(target->target);
  }
  const std::string available = absl::StrJoin(targets, ",");
  Log(LogLevel::kInfo, "serving",
      {{"version", Version()},
       {"address", addresses},
       {"threads", std::int64_t{engine_.threads()}},
       {"target", engine_.target()},
       {"available_targets", available},
       {"store", settings_.store},
       {"models", models_},
       {"broken", broken_}});
}

void Daemon::Drain(const std::function<bool()>& hurry) {
  const auto end = Clock::now() + settings_.drain_grace;
  // Whoever asks is told before the first call is refused.
  Note(&Condition::leaving, true);
  StopListening();
  gate_.Close();
  Log(LogLevel::kInfo, "draining", {{"calls", gate_.in_flight()}});
  bool hurried = false;
  const auto go_on = [&](Clock::time_point until) {
    return !hurried && Clock::now() < until && !(hurried = hurry());
  };
  // The number that was seen last: a call that is refused counts for a moment.
  std::int64_t left = 0;
  while ((left = gate_.in_flight()) > 0 && go_on(end)) {
  }
  const auto settled = Clock::now() + kSettling;
  while (left == 0 && go_on(settled)) {
  }
  const auto delivered = std::min(end, Clock::now() + kDelivery);
  while (left == 0 && accept_loop_->Unsent() && go_on(delivered)) {
  }
  // Whoever calls now is told that the connection is lost.
  accept_loop_->ShutDownConnections();
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  Log(LogLevel::kInfo, "stopped", {{"cancelled_calls", left}});
}

}  // namespace torqued::server
