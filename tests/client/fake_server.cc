#include "tests/client/fake_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <thread>

#include "torqued/v1/errors.pb.h"

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

template <class Handler, class Request, class Reply>
grpc::Status Answer(const Handler& handler, grpc::ServerContext* context,
                    const Request* request, Reply* reply) {
  return handler ? handler(*context, *request, *reply) : grpc::Status::OK;
}

}  // namespace

struct FakeServer::Services final : v1::Dynamics::Service,
                                    v1::ModelRegistry::Service,
                                    v1::Trajectories::Service,
                                    v1::ServerInfo::Service {
  explicit Services(FakeServer& owner) : owner(owner) {}

  grpc::Status Compute(grpc::ServerContext* context,
                       const v1::ComputeRequest* request,
                       v1::ComputeReply* reply) override {
    return Answer(owner.compute, context, request, reply);
  }
  grpc::Status RegisterModel(grpc::ServerContext* context,
                             const v1::RegisterModelRequest* request,
                             v1::RegisterModelReply* reply) override {
    return Answer(owner.register_model, context, request, reply);
  }
  grpc::Status ListModels(grpc::ServerContext* context,
                          const v1::ListModelsRequest* request,
                          v1::ListModelsReply* reply) override {
    return Answer(owner.list_models, context, request, reply);
  }
  grpc::Status CheckTrajectory(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::CheckTrajectoryReply,
                               v1::CheckTrajectoryRequest>* stream) override {
    return owner.check_trajectory(*context, *stream);
  }
  grpc::Status GetServerInfo(grpc::ServerContext* context,
                             const v1::GetServerInfoRequest* request,
                             v1::GetServerInfoReply* reply) override {
    return Answer(owner.get_server_info, context, request, reply);
  }

  FakeServer& owner;
};

FakeServer::FakeServer(int port)
    : port_(port > 0 ? port : HeldPort()),
      services_(std::make_unique<Services>(*this)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  builder.RegisterService(static_cast<v1::Dynamics::Service*>(&*services_));
  builder.RegisterService(
      static_cast<v1::ModelRegistry::Service*>(&*services_));
  builder.RegisterService(static_cast<v1::Trajectories::Service*>(&*services_));
  builder.RegisterService(static_cast<v1::ServerInfo::Service*>(&*services_));
  server_ = builder.BuildAndStart();
}

FakeServer::~FakeServer() {
  server_->Shutdown(std::chrono::system_clock::now());
}

grpc::Status AnswerWithQ(grpc::ServerContext& /*context*/,
                         const v1::ComputeRequest& request,
                         v1::ComputeReply& reply) {
  *reply.mutable_results()->mutable_tau() = request.q();
  reply.set_rows(request.q().f64().size() / 8 / request.q().columns());
  return grpc::Status::OK;
}

grpc::Status Failure(grpc::StatusCode code, const std::string& reason,
                     std::chrono::milliseconds retry_delay,
                     const std::map<std::string, std::string>& metadata) {
  v1::Status details;
  details.set_code(code);
  v1::ErrorInfo info;
  info.set_reason(reason);
  info.mutable_metadata()->insert(metadata.begin(), metadata.end());
  google::protobuf::Any* any = details.add_details();
  any->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  any->set_value(info.SerializeAsString());
  if (retry_delay.count() > 0) {
    v1::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(retry_delay.count() / 1000);
    retry.mutable_retry_delay()->set_nanos(
        static_cast<int>(retry_delay.count() % 1000 * 1'000'000));
    any = details.add_details();
    any->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
    any->set_value(retry.SerializeAsString());
  }
  return {code, "a sentence", details.SerializeAsString()};
}

grpc::Status Hang(grpc::ServerContext& context) {
  while (!context.IsCancelled()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return grpc::Status::CANCELLED;
}

}  // namespace torqued::client
