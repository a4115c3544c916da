#include "client/cpp/health.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <future>

namespace torqued::client {
namespace {

// On the wire these two are HealthCheckRequest for the server as a whole and
// HealthCheckResponse, whose generated code the library does not have.
using Request = google::protobuf::Empty;
using Response = google::protobuf::Int32Value;
constexpr int kServing = 1;

}  // namespace

HealthReport CheckHealth(const std::shared_ptr<grpc::Channel>& channel,
                         Clock::time_point deadline) {
  grpc::TemplatedGenericStub<Request, Response> stub(channel);
  grpc::ClientContext context;
  context.set_deadline(deadline);
  const Request request;
  Response reply;

  const auto start = std::chrono::steady_clock::now();
  std::promise<grpc::Status> done;
  stub.UnaryCall(
      &context, "/grpc.health.v1.Health/Check", {}, &request, &reply,
      [&done](const grpc::Status& status) { done.set_value(status); });
  const grpc::Status status = done.get_future().get();

  HealthReport report;
  report.round_trip = std::chrono::steady_clock::now() - start;
  if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) return report;
  if (!status.ok()) throw DecodeError(status);
  report.health =
      reply.value() == kServing ? Health::kServing : Health::kNotServing;
  return report;
}

}  // namespace torqued::client
