#include "server/services/server_info_service.h"

#include <string>
#include <utility>
#include <variant>

#include "core/lanes/targets.h"
#include "server/registry/revision.h"
#include "server/services/receive.h"
#include "server/services/unary_call.h"
#include "server/version.h"

namespace torqued::server {
namespace {

void Fill(const ServiceContext& context, v1::GetServerInfoReply* reply) {
  reply->set_server_version(std::string(Version()));
  reply->set_target(std::string(context.engine.target()));
  for (const LaneKernels* kernels : Targets()) {
    v1::Target* target = reply->add_targets();
    target->set_name(kernels->target);
    target->set_lanes_double(static_cast<std::uint32_t>(kernels->lanes_f64));
    target->set_lanes_single(static_cast<std::uint32_t>(kernels->lanes_f32));
  }
  reply->set_threads(static_cast<std::uint32_t>(context.engine.threads()));
  // Settings keep both below 2^31.
  reply->set_max_rows(static_cast<std::uint32_t>(context.limits.max_rows));
  reply->set_max_message_bytes(
      static_cast<std::uint32_t>(context.limits.max_message_bytes));
  const Admission::Load& limit = context.admission.limit();
  reply->set_max_inflight_bytes(static_cast<std::uint64_t>(limit.bytes));
  reply->set_max_inflight_streams(static_cast<std::uint64_t>(limit.streams));
  reply->set_memory_bytes(static_cast<std::uint64_t>(context.memory.memory));
  reply->set_max_arriving_bytes(
      static_cast<std::uint64_t>(context.memory.arriving));
  reply->set_revision_layout(std::string(kRevisionLayout));
}

class ServerInfoCall final : public UnaryCall {
 public:
  ServerInfoCall(grpc::CallbackServerContext* call, ServiceContext& context,
                 grpc::ByteBuffer* request, grpc::ByteBuffer* reply)
      : UnaryCall(call, context, "GetServerInfo"),
        context_(context),
        request_(request),
        reply_(reply) {}

 private:
  ~ServerInfoCall() override = default;

  void Run() override {
    // Nothing is kept of it: also a server that has no room answers.
    v1::GetServerInfoRequest request;
    if (auto error = Parse(request_, &request)) {
      return Fail(std::move(*error));
    }
    v1::GetServerInfoReply reply;
    Fill(context_, &reply);
    SerializeMessage(reply, reply_);
    Succeed();
  }

  ServiceContext& context_;
  grpc::ByteBuffer* const request_;
  grpc::ByteBuffer* const reply_;
};

}  // namespace

grpc::ServerUnaryReactor* ServerInfoService::GetServerInfo(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  if (auto* refused = UnaryCall::RefuseEmpty(call, *request)) return refused;
  return UnaryCall::Start(
      new ServerInfoCall(call, context_, UnaryCall::OwnBytes(request), reply));
}

}  // namespace torqued::server
