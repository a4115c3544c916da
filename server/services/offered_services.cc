#include "server/services/offered_services.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/support/server_callback.h>

#include <string>
#include <utility>

#include "core/engine/evaluation_plan.h"
#include "server/config/settings.h"
#include "server/registry/revision.h"
#include "server/services/dynamics_call.h"
#include "server/services/registry_calls.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"
#include "torqued/v1/server_info.grpc.pb.h"
#include "torqued/v1/trajectory.grpc.pb.h"

namespace torqued::server {
namespace {

using grpc::ByteBuffer;
using grpc::CallbackServerContext;

/// A service whose methods take messages as bytes, as those of the generated
/// WithRawCallbackMethod_ classes do, without an override for each. So a call
/// admits its request before it parses it, tells bytes that are no message from
/// the end of a stream, and puts its reply together from parts that many share.
template <class Contract>
class Methods final : public Contract::Service {
 public:
  explicit Methods(ServiceContext& context) : context_(context) {}

  static const char* name() { return Contract::service_full_name(); }

  /// `method` lives for ever. Of the stub's method only the type counts.
  template <template <class, class> class Call, class Request, class Reply>
  void Unary(const char* method,
             grpc::Status (Contract::StubInterface::*)(grpc::ClientContext*,
                                                       const Request&,
                                                       Reply*)) {
    Set(method,
        new grpc::internal::CallbackUnaryHandler<ByteBuffer, ByteBuffer>(
            [&context = context_, method](CallbackServerContext* call,
                                          const ByteBuffer* request,
                                          ByteBuffer* reply) {
              return UnaryCall::Start(new Call<Request, Reply>(
                  call, context, method, request, reply));
            }));
  }
  void Stream(const char* method, decltype(NewCheckStream)* make) {
    Set(method, new grpc::internal::CallbackBidiHandler<ByteBuffer, ByteBuffer>(
                    [&context = context_, make](CallbackServerContext* call) {
                      return StreamCall::Start(make(call, context));
                    }));
  }

 private:
  void Set(const char* method, grpc::internal::MethodHandler* handler) {
    const auto* pool = google::protobuf::DescriptorPool::generated_pool();
    const auto* service = pool->FindServiceByName(name());
    this->MarkMethodRawCallback(service->FindMethodByName(method)->index(),
                                handler);
  }

  ServiceContext& context_;
};

template <class Request, class Reply>
class ServerInfoCall final : public UnaryCall {
  using UnaryCall::UnaryCall;

  std::optional<Error> Run() override {
    // Nothing is kept of it: also a server that has no room answers.
    Request request;
    if (auto error = Parse(request_bytes_, &request)) return error;
    const Engine& engine = context_.engine;
    const Admission::Load& limit = context_.admission.limit();
    // Settings keep these below 2^31.
    const auto narrow = [](std::int64_t number) {
      return static_cast<std::uint32_t>(number);
    };
    Reply reply;
    reply.set_server_version(std::string(Version()));
    reply.set_target(std::string(engine.target()));
    for (const SimdKernels* kernels : Targets()) {
      v1::Target* target = reply.add_targets();
      target->set_name(kernels->target);
      target->set_lanes_double(narrow(kernels->lanes_f64));
      target->set_lanes_single(narrow(kernels->lanes_f32));
    }
    reply.set_threads(narrow(engine.threads()));
    reply.set_max_rows(narrow(context_.limits.max_rows));
    reply.set_max_message_bytes(narrow(context_.limits.max_message_bytes));
    reply.set_max_inflight_bytes(limit.bytes);
    reply.set_max_inflight_streams(limit.streams);
    reply.set_memory_bytes(context_.memory_bytes);
    reply.set_max_arriving_bytes(context_.max_arriving_bytes);
    reply.set_revision_layout(std::string(kRevisionLayout));
    SerializeMessage(reply, reply_bytes_);
    Succeed();
    return std::nullopt;
  }
};

}  // namespace

std::vector<OfferedService> OfferServices(ServiceContext& context) {
  std::vector<OfferedService> services;
  const auto offer = [&services](auto service) {
    services.push_back({service->name(), std::move(service)});
  };
  using Dynamics = v1::Dynamics::StubInterface;
  auto dynamics = std::make_unique<Methods<v1::Dynamics>>(context);
  dynamics->Unary<DynamicsCall>("InverseDynamics", &Dynamics::InverseDynamics);
  dynamics->Unary<DynamicsCall>("MassMatrix", &Dynamics::MassMatrix);
  dynamics->Unary<DynamicsCall>("ForwardDynamics", &Dynamics::ForwardDynamics);
  dynamics->Unary<DynamicsCall>("OperationalSpace",
                                &Dynamics::OperationalSpace);
  dynamics->Unary<DynamicsCall>("Compute", &Dynamics::Compute);
  dynamics->Stream("Evaluate", NewEvaluateStream);
  offer(std::move(dynamics));

  auto trajectories = std::make_unique<Methods<v1::Trajectories>>(context);
  trajectories->Stream("CheckTrajectory", NewCheckStream);
  offer(std::move(trajectories));

  using Models = v1::ModelRegistry::StubInterface;
  auto models = std::make_unique<Methods<v1::ModelRegistry>>(context);
  models->Unary<RegistryCall>("RegisterModel", &Models::RegisterModel);
  models->Unary<RegistryCall>("ValidateModel", &Models::ValidateModel);
  models->Unary<RegistryCall>("GetModel", &Models::GetModel);
  models->Unary<RegistryCall>("ListModels", &Models::ListModels);
  models->Unary<RegistryCall>("DeleteModel", &Models::DeleteModel);
  offer(std::move(models));

  using Info = v1::ServerInfo::StubInterface;
  auto info = std::make_unique<Methods<v1::ServerInfo>>(context);
  info->Unary<ServerInfoCall>("GetServerInfo", &Info::GetServerInfo);
  offer(std::move(info));
  return services;
}

}  // namespace torqued::server
