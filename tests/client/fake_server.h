// A gRPC server in this process whose answers the test decides.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/cpp/error.h"
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

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }

  // Unset: an empty reply. Set before the first call.
  Handler<v1::ComputeRequest, v1::ComputeReply> compute;
  Handler<v1::RegisterModelRequest, v1::RegisterModelReply> register_model;
  Handler<v1::ListModelsRequest, v1::ListModelsReply> list_models;
  Handler<v1::GetServerInfoRequest, v1::GetServerInfoReply> get_server_info;
  std::function<grpc::Status(
      grpc::ServerContext&,
      grpc::ServerReaderWriter<v1::CheckTrajectoryReply,
                               v1::CheckTrajectoryRequest>&)>
      check_trajectory;

 private:
  struct Services;

  int port_ = 0;
  std::unique_ptr<Services> services_;
  std::unique_ptr<grpc::Server> server_;
};

/// tau = q.
grpc::Status AnswerWithQ(grpc::ServerContext& context,
                         const v1::ComputeRequest& request,
                         v1::ComputeReply& reply);

/// A failure with the details that the service gives. No delay: none is asked
/// for.
grpc::Status Failure(grpc::StatusCode code, const std::string& reason,
                     std::chrono::milliseconds retry_delay = {},
                     const std::map<std::string, std::string>& metadata = {});

/// Returns when the client has given up, which the test waits for.
grpc::Status Hang(grpc::ServerContext& context);

/// What a call throws, or code OK.
template <class Call>
Error ErrorOf(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {grpc::StatusCode::OK, "no error"};
}

}  // namespace torqued::client
