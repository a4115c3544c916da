#include "client/cpp/client.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include "client/cpp/async_batch.h"
#include "client/cpp/channel.h"
#include "client/cpp/check_call.h"
#include "client/cpp/retry.h"
#include "client/cpp/wire.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"
#include "torqued/v1/server_info.grpc.pb.h"

namespace torqued::client {
namespace {

using Registry = v1::ModelRegistry::Stub;

template <class Stub, class Request, class Reply>
using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&,
                                      Reply*);

// What answered knows nothing of a call that every server of ours knows, or it
// speaks HTTP and no gRPC.
bool IsOfAnotherServer(const Error& error) {
  if (!error.details().reason.empty()) return false;
  const bool vague = error.code() == grpc::StatusCode::INTERNAL ||
                     error.code() == grpc::StatusCode::UNKNOWN;
  return error.code() == grpc::StatusCode::UNIMPLEMENTED ||
         (vague &&
          std::string_view(error.what()).find("http2 header with status") !=
              std::string_view::npos);
}

// Never, if the clock does not reach that far.
Clock::time_point After(std::chrono::milliseconds timeout) {
  const Clock::time_point now = Clock::now();
  const auto most = std::chrono::floor<std::chrono::milliseconds>(
      RetrySchedule::kForever - now);
  return timeout < most ? now + timeout : RetrySchedule::kForever;
}

}  // namespace

struct Client::Connection {
  std::string address;
  ConnectOptions options;
  std::shared_ptr<grpc::Channel> channel;
  std::string authorization;
  BatchLimits limits;
  std::unique_ptr<Registry> registry;
  std::unique_ptr<v1::Dynamics::Stub> dynamics;
  std::unique_ptr<v1::Trajectories::Stub> trajectories;
  std::unique_ptr<v1::ServerInfo::Stub> info;
  // The first to go, for its calls need the others.
  CallsInFlight in_flight;

  Clock::time_point DeadlineOf(
      std::optional<std::chrono::milliseconds> call = {}) const {
    return After(call.value_or(options.deadline));
  }
  void Authorize(grpc::ClientContext& context) const {
    if (authorization.empty()) return;
    context.AddMetadata("authorization", authorization);
  }

  template <class Stub, class Request, class Reply>
  void Call(Stub& stub, Method<Stub, Request, Reply> method, Effect effect,
            const Request& request, Reply* reply,
            Clock::time_point deadline) const {
    CallUntilDone(
        [&](grpc::ClientContext& context, bool again) {
          if (again && effect == Effect::kChanges) {
            FindServer(deadline);
            // A refused connection would be final.
            context.set_wait_for_ready(true);
          }
          reply->Clear();
          Authorize(context);
          return (stub.*method)(&context, request, reply);
        },
        deadline, ScheduleUntil(deadline, effect));
  }

  // Returns when a server answers. A call that changes something is repeated
  // only after DRAINING, so a lost or refused connection would fail its repeat.
  // GetServerInfo changes nothing and may be repeated: it goes before the
  // repeat and makes the connection.
  void FindServer(Clock::time_point deadline) const {
    v1::GetServerInfoReply reply;
    try {
      Call(*info, &v1::ServerInfo::Stub::GetServerInfo, Effect::kNone,
           v1::GetServerInfoRequest(), &reply, deadline);
    } catch (const Error& error) {
      // Any other word of the server shows that it is there.
      if (MayTryAgain(error, Effect::kNone) ||
          error.code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
        throw;
      }
    }
  }

  template <class Stub, class Request, class Reply>
  Reply Ask(const std::unique_ptr<Stub>& stub,
            Method<Stub, Request, Reply> method, const Request& request,
            Effect effect = Effect::kNone) const {
    Reply reply;
    Call(*stub, method, effect, request, &reply, DeadlineOf());
    return reply;
  }

  std::optional<RetrySchedule> ScheduleUntil(
      Clock::time_point end, Effect effect = Effect::kNone) const {
    if (!options.retry) return std::nullopt;
    return RetrySchedule(end, options.waiting, effect);
  }

  /// `keeper`: null if the caller waits for the batch.
  std::shared_ptr<AsyncBatch> Start(
      const std::string& model, Quantities quantities,
      std::shared_ptr<const States> states,
      std::shared_ptr<const ComputeOptions> compute, EvaluationDone done = {},
      CallsInFlight* keeper = nullptr) const {
    const Clock::time_point end = DeadlineOf(compute->deadline);
    const auto batch = std::make_shared<AsyncBatch>(
        BatchJob{*dynamics,
                 authorization,
                 limits,
                 keeper,
                 model,
                 {quantities.begin(), quantities.end()},
                 std::move(states),
                 std::move(compute),
                 end,
                 ScheduleUntil(end),
                 std::move(done)});
    batch->Start();
    return batch;
  }

  std::shared_ptr<AsyncBatch> StartKept(const std::string& model,
                                        Quantities quantities, States states,
                                        ComputeOptions compute,
                                        EvaluationDone done) {
    return Start(model, quantities, std::make_shared<States>(std::move(states)),
                 std::make_shared<ComputeOptions>(std::move(compute)),
                 std::move(done), &in_flight);
  }
};

Client::Client(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Client Client::Connect(const std::string& address,
                       const ConnectOptions& options) {
  auto connection = std::make_unique<Connection>();
  connection->address = WithDefaultPort(address);
  connection->options = options;
  if (options.max_message_bytes == -1) {
    connection->options.max_message_bytes = std::numeric_limits<int>::max();
  }
  connection->channel = OpenChannel(connection->address, connection->options);
  connection->authorization = AuthorizationFor(connection->address, options);
  connection->registry = v1::ModelRegistry::NewStub(connection->channel);
  connection->dynamics = v1::Dynamics::NewStub(connection->channel);
  connection->trajectories = v1::Trajectories::NewStub(connection->channel);
  connection->info = v1::ServerInfo::NewStub(connection->channel);

  const Clock::time_point start = Clock::now();
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(connection->DeadlineOf());
    connection->Authorize(context);
    v1::GetServerInfoReply reply;
    const grpc::Status status =
        connection->info->GetServerInfo(&context, {}, &reply);
    connection->limits = LimitsOf(reply, connection->options.max_message_bytes,
                                  connection->options.chunk_rows);
    if (status.ok()) return Client(std::move(connection));
    const Error error = DecodeError(status);
    if (IsOfAnotherServer(error)) {
      const std::string_view cause = error.what();
      throw Error(
          error.code(),
          "no torqued server answers at " + connection->address + ": " +
              (cause.empty() ? ToString(error.code()) : std::string(cause)));
    }
    // Any other word of the server shows that it is there.
    if (!error.details().reason.empty() ||
        (error.code() != grpc::StatusCode::UNAVAILABLE &&
         error.code() != grpc::StatusCode::DEADLINE_EXCEEDED)) {
      return Client(std::move(connection));
    }
    if (Clock::now() >=
        start + std::min(options.wait_for_server, options.deadline)) {
      throw Error(error.code(), "no connection to " + connection->address +
                                    ": " + error.what());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

const std::string& Client::address() const { return connection_->address; }

Health Client::CheckHealth() const {
  // On the wire these two are HealthCheckRequest for the server as a whole and
  // HealthCheckResponse, whose generated code the library does not have.
  const google::protobuf::Empty request;
  google::protobuf::Int32Value reply;
  constexpr int kServing = 1;
  grpc::ClientContext context;
  context.set_deadline(connection_->DeadlineOf());
  connection_->Authorize(context);
  const grpc::internal::RpcMethod method("/grpc.health.v1.Health/Check",
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  const grpc::Status status = grpc::internal::BlockingUnaryCall(
      connection_->channel.get(), method, &context, request, &reply);
  if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
    return Health::kUnknown;
  }
  if (!status.ok()) throw DecodeError(status);
  return reply.value() == kServing ? Health::kServing : Health::kNotServing;
}

v1::GetServerInfoReply Client::GetServerInfo() const {
  return connection_->Ask(connection_->info,
                          &v1::ServerInfo::Stub::GetServerInfo,
                          v1::GetServerInfoRequest());
}

v1::RegisterModelReply Client::RegisterModel(
    const v1::RegisterModelRequest& request) const {
  return connection_->Ask(connection_->registry, &Registry::RegisterModel,
                          request, Effect::kChanges);
}

v1::ValidateModelReply Client::ValidateModel(
    const v1::ValidateModelRequest& request) const {
  return connection_->Ask(connection_->registry, &Registry::ValidateModel,
                          request);
}

v1::GetModelReply Client::GetModel(const std::string& model,
                                   bool include_source) const {
  v1::GetModelRequest request;
  request.set_model(model);
  request.set_include_source(include_source);
  return connection_->Ask(connection_->registry, &Registry::GetModel, request);
}

std::vector<v1::ModelSummary> Client::ListModels() const {
  std::vector<v1::ModelSummary> models;
  v1::ListModelsRequest request;
  request.set_page_size(1000);
  do {
    const v1::ListModelsReply page =
        connection_->Ask(connection_->registry, &Registry::ListModels, request);
    models.insert(models.end(), page.models().begin(), page.models().end());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return models;
}

void Client::DeleteModel(
    const std::string& name,
    const std::optional<std::string>& expected_current) const {
  v1::DeleteModelRequest request;
  request.set_name(name);
  if (expected_current) request.set_expected_current(*expected_current);
  connection_->Ask(connection_->registry, &Registry::DeleteModel, request,
                   Effect::kChanges);
}

Evaluation Client::Compute(const std::string& model, Quantities quantities,
                           const States& states,
                           const ComputeOptions& options) const {
  const std::int64_t rows = CountStates(states);
  if (rows <= 1 ||
      rows <= RowsPerCall(quantities, states, options, connection_->limits)) {
    // Without the way through gRPC's threads and back.
    v1::ComputeRequest request = MakeRequest(model, quantities, options);
    AddRows(states, options, {0, rows}, &request);
    v1::ComputeReply reply;
    connection_->Call(*connection_->dynamics, &v1::Dynamics::Stub::Compute,
                      Effect::kNone, request, &reply,
                      connection_->DeadlineOf(options.deadline));
    if (rows <= kMaxListedRows || ListsAll(reply)) {
      return JoinOne(reply, quantities, options, rows);
    }
  }
  // Not copied, for the caller waits.
  const std::shared_ptr<void> nothing;
  const auto batch = connection_->Start(
      model, quantities, std::shared_ptr<const States>(nothing, &states),
      std::shared_ptr<const ComputeOptions>(nothing, &options));
  batch->Wait();
  return batch->TakeResult();
}

PendingEvaluation Client::ComputeAsync(const std::string& model,
                                       Quantities quantities, States states,
                                       ComputeOptions options) const {
  return PendingEvaluation(connection_->StartKept(
      model, quantities, std::move(states), std::move(options), {}));
}

Cancellation Client::ComputeAsync(const std::string& model,
                                  Quantities quantities, States states,
                                  ComputeOptions options,
                                  EvaluationDone done) const {
  return Cancellation(
      connection_->StartKept(model, quantities, std::move(states),
                             std::move(options), std::move(done)));
}

TrajectoryCheck Client::CheckTrajectory(
    const v1::CheckTrajectoryStart& start, const TrajectorySamples& samples,
    const Progress& progress,
    std::optional<std::chrono::milliseconds> deadline) const {
  const std::int64_t message_bytes = std::min<std::int64_t>(
      kGoodMessageBytes, connection_->options.max_message_bytes / 2);
  const Clock::time_point end = connection_->DeadlineOf(deadline);
  TrajectoryCheck check;
  // A repeated call begins again, the progress does not.
  std::int64_t told = 0;
  const Progress forward = [&](std::int64_t done, std::int64_t total) {
    if (progress && done > told) progress(told = done, total);
  };
  CallUntilDone(
      [&](grpc::ClientContext& context, bool) {
        connection_->Authorize(context);
        return CheckOnce(*connection_->trajectories, context, start, samples,
                         message_bytes, forward, &check);
      },
      end, connection_->ScheduleUntil(end));
  return check;
}

}  // namespace torqued::client
