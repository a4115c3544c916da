#include "server/lifecycle/health_client.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <future>
#include <vector>

namespace torqued::server {
namespace {

/// HealthCheckResponse { status: SERVING } on the wire: field 1, varint 1.
constexpr std::string_view kServing = "\x08\x01";

std::string Flatten(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

std::string CheckHealth(const std::string& address,
                        std::chrono::milliseconds timeout) {
  // The messages are small enough to do without generated code: an empty
  // request asks for the whole server.
  grpc::GenericStub stub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  const grpc::Slice nothing("");
  const grpc::ByteBuffer request(&nothing, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> promise;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(),
                 &request, &response, [&promise](grpc::Status status) {
                   promise.set_value(std::move(status));
                 });
  const grpc::Status status = promise.get_future().get();
  if (!status.ok()) return address + ": " + status.error_message();
  if (Flatten(response) != kServing) return address + ": not serving";
  return {};
}

}  // namespace torqued::server
