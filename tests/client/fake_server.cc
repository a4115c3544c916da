#include "tests/client/fake_server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <cstdlib>

namespace torqued::client {
namespace {

// Taken until this process ends, by a socket that does not listen.
int HeldPort() {
  const int holder = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0) {
    std::abort();
  }
  sockaddr_in held{};
  held.sin_family = AF_INET;
  held.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const address = reinterpret_cast<sockaddr*>(&held);
  socklen_t size = sizeof(held);
  if (bind(holder, address, size) != 0 ||
      getsockname(holder, address, &size) != 0) {
    std::abort();
  }
  return ntohs(held.sin_port);
}

}  // namespace

class FakeServer::Dynamics : public v1::Dynamics::Service {
 public:
  explicit Dynamics(FakeServer& owner) : owner_(owner) {}
  grpc::Status Compute(grpc::ServerContext* context,
                       const v1::ComputeRequest* request,
                       v1::ComputeReply* reply) override {
    if (!owner_.compute) return Service::Compute(context, request, reply);
    return owner_.compute(*context, *request, *reply);
  }

 private:
  FakeServer& owner_;
};

class FakeServer::Registry : public v1::ModelRegistry::Service {
 public:
  explicit Registry(FakeServer& owner) : owner_(owner) {}
  grpc::Status RegisterModel(grpc::ServerContext* context,
                             const v1::RegisterModelRequest* request,
                             v1::RegisterModelReply* reply) override {
    if (!owner_.register_model) {
      return Service::RegisterModel(context, request, reply);
    }
    return owner_.register_model(*context, *request, *reply);
  }
  grpc::Status ListModels(grpc::ServerContext* context,
                          const v1::ListModelsRequest* request,
                          v1::ListModelsReply* reply) override {
    if (!owner_.list_models) {
      return Service::ListModels(context, request, reply);
    }
    return owner_.list_models(*context, *request, *reply);
  }

 private:
  FakeServer& owner_;
};

class FakeServer::Trajectories : public v1::Trajectories::Service {
 public:
  explicit Trajectories(FakeServer& owner) : owner_(owner) {}
  grpc::Status CheckTrajectory(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::CheckTrajectoryReply,
                               v1::CheckTrajectoryRequest>* stream) override {
    if (!owner_.check_trajectory) {
      return Service::CheckTrajectory(context, stream);
    }
    return owner_.check_trajectory(*context, *stream);
  }

 private:
  FakeServer& owner_;
};

class FakeServer::ServerInfo : public v1::ServerInfo::Service {
 public:
  explicit ServerInfo(FakeServer& owner) : owner_(owner) {}
  grpc::Status GetServerInfo(grpc::ServerContext* context,
                             const v1::GetServerInfoRequest* request,
                             v1::GetServerInfoReply* reply) override {
    if (!owner_.get_server_info) return grpc::Status::OK;
    return owner_.get_server_info(*context, *request, *reply);
  }

 private:
  FakeServer& owner_;
};

FakeServer::FakeServer(int port)
    : port_(port > 0 ? port : HeldPort()),
      dynamics_(std::make_unique<Dynamics>(*this)),
      registry_(std::make_unique<Registry>(*this)),
      trajectories_(std::make_unique<Trajectories>(*this)),
      server_info_(std::make_unique<ServerInfo>(*this)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  builder.RegisterService(dynamics_.get());
  builder.RegisterService(registry_.get());
  builder.RegisterService(trajectories_.get());
  builder.RegisterService(server_info_.get());
  server_ = builder.BuildAndStart();
}

FakeServer::~FakeServer() {
  server_->Shutdown(std::chrono::system_clock::now());
}

std::string FakeServer::address() const {
  return "127.0.0.1:" + std::to_string(port_);
}

}  // namespace torqued::client
