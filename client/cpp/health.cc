#include "client/cpp/health.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <future>
#include <vector>

namespace torqued::client {
namespace {

// HealthCheckResponse.ServingStatus, the message's only field; the values of
// the public protocol grpc/health/v1/health.proto.
constexpr int kStatusField = 1;
constexpr std::uint64_t kServing = 1;

std::uint64_t ServingStatus(const grpc::ByteBuffer& reply) {
  std::vector<grpc::Slice> slices;
  if (!reply.Dump(&slices).ok()) return 0;
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }

  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream input(
      reinterpret_cast<const std::uint8_t*>(bytes.data()),
      static_cast<int>(bytes.size()));
  std::uint64_t status = 0;
  while (const std::uint32_t tag = input.ReadTag()) {
    if (tag == WireFormatLite::MakeTag(kStatusField,
                                       WireFormatLite::WIRETYPE_VARINT)) {
      if (!input.ReadVarint64(&status)) return 0;
    } else if (!WireFormatLite::SkipField(&input, tag)) {
      return 0;
    }
  }
  return status;
}

}  // namespace

HealthReport CheckHealth(const std::shared_ptr<grpc::Channel>& channel,
                         Clock::time_point deadline) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(deadline);
  // An empty request asks for the server as a whole.
  const grpc::Slice no_bytes;
  const grpc::ByteBuffer request(&no_bytes, 1);
  grpc::ByteBuffer reply;

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
      ServingStatus(reply) == kServing ? Health::kServing : Health::kNotServing;
  return report;
}

}  // namespace torqued::client
