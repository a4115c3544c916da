// grpc.health.v1.Health: which services serve.
#pragma once

#include <grpcpp/health_check_service_interface.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/services/service_context.h"

namespace torqued::server {

using HealthMethods = grpc::health::v1::Health::WithRawCallbackMethod_Check<
    grpc::health::v1::Health::WithRawCallbackMethod_Watch<
        grpc::health::v1::Health::Service>>;

/// In the place of gRPC's own service. Thread-safe.
class HealthService final : public HealthMethods {
 public:
  using Status = grpc::health::v1::HealthCheckResponse::ServingStatus;

  /// What a call that waits for changes is counted as, beside its name: a
  /// stream, and what gRPC and we keep of it.
  static constexpr std::int64_t kWatchBytes = std::int64_t{16} << 10;

  /// A call that waits for changes.
  class Watcher {
   public:
    /// Statuses come in any order; that of the highest number counts.
    virtual void Tell(Status status, std::uint64_t number) = 0;

   protected:
    ~Watcher() = default;
  };

  /// Where a watcher is remembered.
  using Place = std::multimap<std::string, std::weak_ptr<Watcher>>::iterator;

  /// The server as a whole is known from the start, and does not serve.
  explicit HealthService(ServiceContext& context) : context_(context) {
    statuses_[""] = grpc::health::v1::HealthCheckResponse::NOT_SERVING;
  }

  void Set(const std::string& service, bool serving);
  /// Of all services that were named before, and of the server.
  void SetAll(bool serving);

  /// Tells the status now and its changes until it is forgotten.
  Place Remember(const std::string& service,
                 const std::shared_ptr<Watcher>& watcher);
  void Forget(Place place);

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* call,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* reply) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(
      grpc::CallbackServerContext* call,
      const grpc::ByteBuffer* request) override;

  /// What a grpc::Server takes for its service of health; this outlives it.
  std::unique_ptr<grpc::HealthCheckServiceInterface> ForServer();

 private:
  struct News {
    std::shared_ptr<Watcher> watcher;
    Status status;
    std::uint64_t number;
  };

  /// Under the lock.
  void Change(const std::string& service, bool serving,
              std::vector<News>* news);
  static void Tell(const std::vector<News>& news);

  ServiceContext& context_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t changes_ = 0;
  std::map<std::string, Status> statuses_;
  std::multimap<std::string, std::weak_ptr<Watcher>> watchers_;
};

}  // namespace torqued::server
