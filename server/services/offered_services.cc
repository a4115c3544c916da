#include "server/services/offered_services.h"

#include <string>

#include "core/lanes/targets.h"
#include "server/config/settings.h"
#include "server/registry/revision.h"
#include "server/services/check_stream.h"
#include "server/services/dynamics_call.h"
#include "server/services/evaluate_stream.h"
#include "server/services/registry_call.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"
#include "torqued/v1/server_info.grpc.pb.h"
#include "torqued/v1/trajectory.grpc.pb.h"

namespace torqued::server {
namespace {

using grpc::ByteBuffer;
using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;

using Stream = grpc::ServerBidiReactor<ByteBuffer, ByteBuffer>;

// All methods take their messages as bytes. A call parses its request itself:
// what it comes to is admitted first, and bytes that are no message are refused
// with a reason. A reply is put together from parts that many replies share.

using DynamicsMethods = v1::Dynamics::WithRawCallbackMethod_InverseDynamics<
    v1::Dynamics::WithRawCallbackMethod_MassMatrix<
        v1::Dynamics::WithRawCallbackMethod_ForwardDynamics<
            v1::Dynamics::WithRawCallbackMethod_OperationalSpace<
                v1::Dynamics::WithRawCallbackMethod_Compute<
                    v1::Dynamics::WithRawCallbackMethod_Evaluate<
                        v1::Dynamics::Service>>>>>>;

class DynamicsService final : public DynamicsMethods {
 public:
  explicit DynamicsService(ServiceContext& context) : context_(context) {}

  ServerUnaryReactor* InverseDynamics(CallbackServerContext* call,
                                      const ByteBuffer* request,
                                      ByteBuffer* reply) override {
    return UnaryCall::Start<
        DynamicsCall<v1::InverseDynamicsRequest, v1::InverseDynamicsReply>>(
        {call, context_, "InverseDynamics", request, reply});
  }
  ServerUnaryReactor* MassMatrix(CallbackServerContext* call,
                                 const ByteBuffer* request,
                                 ByteBuffer* reply) override {
    return UnaryCall::Start<
        DynamicsCall<v1::MassMatrixRequest, v1::MassMatrixReply>>(
        {call, context_, "MassMatrix", request, reply});
  }
  ServerUnaryReactor* ForwardDynamics(CallbackServerContext* call,
                                      const ByteBuffer* request,
                                      ByteBuffer* reply) override {
    return UnaryCall::Start<
        DynamicsCall<v1::ForwardDynamicsRequest, v1::ForwardDynamicsReply>>(
        {call, context_, "ForwardDynamics", request, reply});
  }
  ServerUnaryReactor* OperationalSpace(CallbackServerContext* call,
                                       const ByteBuffer* request,
                                       ByteBuffer* reply) override {
    return UnaryCall::Start<
        DynamicsCall<v1::OperationalSpaceRequest, v1::OperationalSpaceReply>>(
        {call, context_, "OperationalSpace", request, reply});
  }
  ServerUnaryReactor* Compute(CallbackServerContext* call,
                              const ByteBuffer* request,
                              ByteBuffer* reply) override {
    return UnaryCall::Start<DynamicsCall<v1::ComputeRequest, v1::ComputeReply>>(
        {call, context_, "Compute", request, reply});
  }
  Stream* Evaluate(CallbackServerContext* call) override {
    return StreamCall::Start(std::make_shared<EvaluateStream>(call, context_));
  }

 private:
  ServiceContext& context_;
};

class TrajectoryService final
    : public v1::Trajectories::WithRawCallbackMethod_CheckTrajectory<
          v1::Trajectories::Service> {
 public:
  explicit TrajectoryService(ServiceContext& context) : context_(context) {}

  Stream* CheckTrajectory(CallbackServerContext* call) override {
    return StreamCall::Start(std::make_shared<CheckStream>(call, context_));
  }

 private:
  ServiceContext& context_;
};

using ModelRegistryMethods =
    v1::ModelRegistry::WithRawCallbackMethod_RegisterModel<
        v1::ModelRegistry::WithRawCallbackMethod_ValidateModel<
            v1::ModelRegistry::WithRawCallbackMethod_GetModel<
                v1::ModelRegistry::WithRawCallbackMethod_ListModels<
                    v1::ModelRegistry::WithRawCallbackMethod_DeleteModel<
                        v1::ModelRegistry::Service>>>>>;

class ModelRegistryService final : public ModelRegistryMethods {
 public:
  explicit ModelRegistryService(ServiceContext& context) : context_(context) {}

  ServerUnaryReactor* RegisterModel(CallbackServerContext* call,
                                    const ByteBuffer* request,
                                    ByteBuffer* reply) override {
    return UnaryCall::Start<
        RegistryCall<v1::RegisterModelRequest, v1::RegisterModelReply>>(
        {call, context_, "RegisterModel", request, reply},
        &v1::RegisterModelRequest::name);
  }
  ServerUnaryReactor* ValidateModel(CallbackServerContext* call,
                                    const ByteBuffer* request,
                                    ByteBuffer* reply) override {
    return UnaryCall::Start<
        RegistryCall<v1::ValidateModelRequest, v1::ValidateModelReply>>(
        {call, context_, "ValidateModel", request, reply});
  }
  ServerUnaryReactor* GetModel(CallbackServerContext* call,
                               const ByteBuffer* request,
                               ByteBuffer* reply) override {
    return UnaryCall::Start<
        RegistryCall<v1::GetModelRequest, v1::GetModelReply>>(
        {call, context_, "GetModel", request, reply},
        &v1::GetModelRequest::model);
  }
  ServerUnaryReactor* ListModels(CallbackServerContext* call,
                                 const ByteBuffer* request,
                                 ByteBuffer* reply) override {
    return UnaryCall::Start<
        RegistryCall<v1::ListModelsRequest, v1::ListModelsReply>>(
        {call, context_, "ListModels", request, reply});
  }
  ServerUnaryReactor* DeleteModel(CallbackServerContext* call,
                                  const ByteBuffer* request,
                                  ByteBuffer* reply) override {
    return UnaryCall::Start<
        RegistryCall<v1::DeleteModelRequest, v1::DeleteModelReply>>(
        {call, context_, "DeleteModel", request, reply},
        &v1::DeleteModelRequest::name);
  }

 private:
  ServiceContext& context_;
};

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
  explicit ServerInfoCall(const Incoming& incoming) : UnaryCall(incoming) {}

 private:
  ~ServerInfoCall() override = default;

  void Run() override {
    // Nothing is kept of it: also a server that has no room answers.
    v1::GetServerInfoRequest request;
    if (auto error = Parse(request_bytes_, &request)) {
      return Fail(std::move(*error));
    }
    v1::GetServerInfoReply reply;
    Fill(context_, &reply);
    SerializeMessage(reply, reply_bytes_);
    Succeed();
  }
};

class ServerInfoService final
    : public v1::ServerInfo::WithRawCallbackMethod_GetServerInfo<
          v1::ServerInfo::Service> {
 public:
  explicit ServerInfoService(ServiceContext& context) : context_(context) {}

  ServerUnaryReactor* GetServerInfo(CallbackServerContext* call,
                                    const ByteBuffer* request,
                                    ByteBuffer* reply) override {
    return UnaryCall::Start<ServerInfoCall>(
        {call, context_, "GetServerInfo", request, reply});
  }

 private:
  ServiceContext& context_;
};

}  // namespace

OfferedServices::OfferedServices(ServiceContext& context) {
  Offer<v1::Dynamics, DynamicsService>(context);
  Offer<v1::Trajectories, TrajectoryService>(context);
  Offer<v1::ModelRegistry, ModelRegistryService>(context);
  Offer<v1::ServerInfo, ServerInfoService>(context);
}

template <class Contract, class Service>
void OfferedServices::Offer(ServiceContext& context) {
  services_.push_back(std::make_unique<Service>(context));
  names_.emplace_back(Contract::service_full_name());
}

void OfferedServices::RegisterWith(grpc::ServerBuilder* builder) const {
  for (const auto& service : services_) builder->RegisterService(service.get());
}

}  // namespace torqued::server
