// The services behind a real gRPC server on a free port, with their engine in
// the test's hands.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "server/services/offered_services.h"
#include "tests/server/temp_dir.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"

namespace torqued::server {

class LiveServices {
 public:
  struct Options {
    Engine::Options engine;
    Admission::Load inflight{std::int64_t{1} << 30, 1000};
    std::size_t cached_source_bytes = 256u << 20;
    std::chrono::milliseconds write_timeout = std::chrono::minutes(5);
  };

  explicit LiveServices(const Options& options);
  ~LiveServices();
  LiveServices(const LiveServices&) = delete;
  LiveServices& operator=(const LiveServices&) = delete;

  /// Registers a URDF; the model as the server has it.
  std::shared_ptr<const Model> Register(const std::string& name,
                                        const std::string& urdf);

  /// New connections.
  std::unique_ptr<v1::Dynamics::Stub> Connect() const;
  std::unique_ptr<v1::ModelRegistry::Stub> ConnectToRegistry() const;
  std::shared_ptr<grpc::Channel> Channel() const;
  /// From another address of this machine, over one connection.
  std::shared_ptr<grpc::Channel> ChannelFrom(const char* host) const;

  Pool& scheduler() { return engine_.pool(); }
  Pool& background() { return context_.background; }
  Admission& admission() { return admission_; }
  CallGate& gate() { return gate_; }
  ServiceContext& context() { return context_; }

 private:
  TempDir directory_;
  Registry registry_;
  Engine engine_;
  Admission admission_;
  CallGate gate_;
  ServiceContext context_;
  const std::vector<OfferedService> services_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace torqued::server
