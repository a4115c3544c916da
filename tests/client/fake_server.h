// A gRPC server in this process whose answers the test decides.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"
#include "torqued/v1/server_info.grpc.pb.h"
#include "torqued/v1/trajectory.grpc.pb.h"

namespace torqued::client {

class FakeServer {
 public:
  template <class Request, class Reply>
  using Handler =
      std::function<grpc::Status(grpc::ServerContext&, const Request&, Reply&)>;

  /// On a loopback port of its own, or on that of one before it: no other
  /// process is given it.
  explicit FakeServer(int port = 0);
  ~FakeServer();

  std::string address() const;
  int port() const { return port_; }

  template <class Request, class Reply>
  using StreamHandler = std::function<grpc::Status(
      grpc::ServerContext&, grpc::ServerReaderWriter<Reply, Request>&)>;

  // Unset: UNIMPLEMENTED. Set before the first call.
  Handler<v1::ComputeRequest, v1::ComputeReply> compute;
  Handler<v1::RegisterModelRequest, v1::RegisterModelReply> register_model;
  Handler<v1::ListModelsRequest, v1::ListModelsReply> list_models;
  StreamHandler<v1::CheckTrajectoryRequest, v1::CheckTrajectoryReply>
      check_trajectory;
  /// Unset: an empty reply, for whoever connects.
  Handler<v1::GetServerInfoRequest, v1::GetServerInfoReply> get_server_info;

 private:
  class Dynamics;
  class Registry;
  class Trajectories;
  class ServerInfo;

  int port_ = 0;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Trajectories> trajectories_;
  std::unique_ptr<ServerInfo> server_info_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace torqued::client
