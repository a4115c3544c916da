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
#include "server/lifecycle/certificates.h"
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
  /// Throws std::exception, in one line, if it cannot serve. A watchdog asks it
  /// for its health so often.
  explicit Daemon(
      const Settings& settings,
      std::chrono::milliseconds between_checks = std::chrono::seconds(5));
  /// Cancels what is still under way.
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Where it listens, with the ports that were free.
  const std::vector<std::string>& addresses() const {
    return accept_loop_->addresses();
  }
  std::int64_t calls_in_flight() const { return gate_.in_flight(); }
  /// Whether the watchdog is content; from any thread.
  bool answers();

  /// Uses certificates and rights that have changed. From one thread.
  void Reload();
  /// Registers what has changed in the model directories, as the start does.
  /// What cannot be read is logged and counted. From the same thread.
  void ReloadModels() { LoadDirectories(/*starts=*/false); }

  /// Health turns NOT_SERVING, nobody can connect any more, then new calls are
  /// refused. Connections end a little after the calls in flight, so that
  /// clients have gone elsewhere, or when the grace is over or `hurry`, which
  /// may wait a little, says so.
  void Drain(const std::function<bool()>& hurry);

 private:
  /// What health follows from.
  struct Condition {
    bool started = false;  // before and after, health is told nothing
    bool leaving = false;
    bool answers = true;

    bool serving() const { return started && !leaving && answers; }
  };

  /// Whether health is SERVING.
  bool IsServing();
  std::vector<Level> Levels();
  void OpenRegistry();
  void LoadDirectories(bool starts);
  void CountModels();
  void Listen();
  /// Sets a condition and tells health what follows; from any thread.
  void Note(bool Condition::* what, bool is);
  /// Asks every address for its health; what is wrong.
  std::string AskOwnHealth() const;
  void StopListening();
  void LogStart();

  const Settings settings_;
  std::mutex health_mutex_;
  Condition condition_;                 // guarded by health_mutex_
  std::unique_ptr<RightsFile> rights_;  // null: everybody may do everything
  std::unique_ptr<Registry> registry_;
  std::int64_t models_ = 0, broken_ = 0;  // at the start
  std::atomic<std::int64_t> model_failures_{0};
  Engine engine_;
  Admission admission_;
  CallGate gate_;
  std::unique_ptr<ServiceContext> context_;
  std::unique_ptr<OfferedServices> services_;
  std::unique_ptr<Certificates> certificates_;  // null: no TLS
  std::unique_ptr<grpc::Server> server_;
  // Goes before the server, to which it hands connections.
  std::unique_ptr<AcceptLoop> accept_loop_;
  std::jthread watchdog_;
  std::shared_ptr<void> metrics_server_;
};

}  // namespace torqued::server
