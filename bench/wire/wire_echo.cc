// The transport alone: a service of the same shape as torqued.v1.Dynamics, by
// the same kind of API and with the same settings of allocator and transport,
// whose replies are as large as those of inverse dynamics and cost nothing to
// compute.
//
// Usage: wire_echo ADDRESS BYTES_OF_THE_ECHO
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "server/config/settings.h"
#include "server/lifecycle/transport.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued {
namespace {

class Stream final
    : public grpc::ServerBidiReactor<v1::EvaluateRequest, v1::EvaluateReply> {
 public:
  Stream() { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    if (!request_.has_chunk()) return StartRead(&request_);
    v1::Array& q = *request_.mutable_chunk()->mutable_q();
    v1::Array& tau = *reply_.mutable_results()->mutable_tau();
    tau.set_columns(q.columns());
    tau.mutable_f64()->swap(*q.mutable_f64());
    reply_.set_rows(tau.f64().size() / 8 / tau.columns());
    reply_.mutable_timing()->mutable_queue()->set_nanos(100'000);
    reply_.mutable_timing()->mutable_compute()->set_nanos(100'000);
    StartWrite(&reply_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::CANCELLED);
    StartRead(&request_);
  }
  void OnDone() override { delete this; }

 private:
  v1::EvaluateRequest request_;
  v1::EvaluateReply reply_;
};

class Echo final : public v1::Dynamics::CallbackService {
 public:
  explicit Echo(int echo_bytes)
      : padding_(static_cast<std::size_t>(echo_bytes), 'x') {}

  grpc::ServerUnaryReactor* Compute(grpc::CallbackServerContext* context,
                                    const v1::ComputeRequest* request,
                                    v1::ComputeReply* reply) override {
    reply->set_rows(1);
    *reply->mutable_results()->mutable_tau() = request->q();
    reply->mutable_echo()->set_revision(padding_);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
  grpc::ServerBidiReactor<v1::EvaluateRequest, v1::EvaluateReply>* Evaluate(
      grpc::CallbackServerContext* /*context*/) override {
    return new Stream;
  }

 private:
  const std::string padding_;
};

}  // namespace
}  // namespace torqued

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  torqued::server::TuneMalloc();
  torqued::Echo echo(std::atoi(argv[2]));
  grpc::ServerBuilder builder;
  int port = 0;
  // As a server with 4 GiB of memory.
  torqued::server::ConfigureTransport(
      torqued::server::DefaultSettings({4LL << 30, "RAM"}), &builder);
  builder.AddListeningPort(argv[1], grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&echo);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  const std::string address = argv[1];
  std::printf("%s\n", address.starts_with("unix:")
                          ? argv[1]
                          : ("127.0.0.1:" + std::to_string(port)).c_str());
  std::fflush(stdout);
  server->Wait();
}
