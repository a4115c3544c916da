// The whole server: built, serving, drained.
#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/config/settings.h"
#include "server/lifecycle/transport.h"
#include "server/observability/metrics.h"
#include "server/services/offered_services.h"
#include "server/services/service_context.h"

namespace torqued::server {

/// Sends an arm of which the answer is known through decoding, planning, the
/// engine and its pool and encoding. Returns what is wrong, or nothing.
std::string SelfCheck(Engine& engine);

class Daemon {
 public:
  /// Throws std::exception, in one line, if it cannot serve.
  explicit Daemon(
      const Settings& settings,
      std::chrono::milliseconds between_checks = std::chrono::seconds(5));
  /// Cancels calls that still run.
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  const std::vector<std::string>& addresses() const {
    return accept_loop_->addresses();
  }
  std::int64_t calls_in_flight() const { return gate_.in_flight(); }
  /// Uses certificates and rights that have changed. From one thread.
  void Reload();
  /// Registers what has changed in the model directories, as the start does.
  /// A file that cannot be read is logged and counted. From the same thread.
  void ReloadModels() { LoadDirectories(/*starts=*/false); }

  /// Health turns NOT_SERVING, new connections are refused, then new calls are.
  /// Connections end a little after the calls in flight, so that clients have
  /// gone elsewhere, or when the grace is over or `hurry`, which may wait a
  /// little, says so.
  void Drain(const std::function<bool()>& hurry);

 private:
  std::vector<Level> Levels() const;
  void OpenRegistry();
  void LoadDirectories(bool starts);
  void CountModels();
  void Listen();
  bool IsServing() const { return started_ && !leaving_ && answers_; }
  /// Sets a condition and tells health what follows; from any thread.
  void Note(std::atomic<bool>* condition, bool is);
  std::string AskOwnHealth() const;

  const Settings settings_;
  std::mutex health_mutex_;  // so that health is told in order
  std::atomic<bool> started_{false}, leaving_{false}, answers_{true};
  std::int64_t models_ = 0, broken_ = 0;  // at the start
  std::unique_ptr<RightsFile> rights_;    // null: everybody may do everything
  std::unique_ptr<Registry> registry_;
  std::atomic<std::int64_t> model_failures_{0};
  Engine engine_;
  Admission admission_;
  CallGate gate_;
  std::unique_ptr<ServiceContext> context_;
  std::vector<OfferedService> services_;
  std::unique_ptr<Certificates> certificates_;  // null: no TLS
  std::unique_ptr<grpc::Server> server_;
  // Goes before the server, to which it hands connections.
  std::unique_ptr<AcceptLoop> accept_loop_;
  std::jthread watchdog_;
  std::shared_ptr<void> metrics_server_;
};

}  // namespace torqued::server
