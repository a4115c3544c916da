#include "client/cpp/client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include "client/cpp/async_batch.h"
#include "client/cpp/calls_in_flight.h"
#include "client/cpp/channel.h"
#include "client/cpp/check_call.h"
#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"
#include "client/cpp/retry.h"
#include "client/cpp/rows.h"
#include "client/cpp/server_address.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"
#include "torqued/v1/server_info.grpc.pb.h"

namespace torqued::client {
namespace {

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
  BatchLimits limits;
  std::shared_ptr<RetryBudget> budget = std::make_shared<RetryBudget>();
  std::unique_ptr<v1::ModelRegistry::Stub> registry;
  std::unique_ptr<v1::Dynamics::Stub> dynamics;
  std::unique_ptr<v1::Trajectories::Stub> trajectories;
  std::unique_ptr<v1::ServerInfo::Stub> info;
  // The first to go, for its calls need the others.
  CallsInFlight in_flight;

  Clock::time_point Deadline() const { return After(options.deadline); }

  template <class Stub, class Request, class Reply>
  void Call(Stub& stub, Method<Stub, Request, Reply> method, Effect effect,
            const Request& request, Reply* reply,
            Clock::time_point deadline) const {
    bool again = false;
    CallUntilDone(
        [&](grpc::ClientContext& context) {
          if (std::exchange(again, true) && effect == Effect::kChanges) {
            FindServer(deadline);
          }
          reply->Clear();
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

  template <class Request, class Reply>
  Reply CallRegistry(Method<v1::ModelRegistry::Stub, Request, Reply> method,
                     Effect effect, const Request& request) const {
    Reply reply;
    Call(*registry, method, effect, request, &reply, Deadline());
    return reply;
  }

  Clock::time_point DeadlineOf(const ComputeOptions& compute) const {
    return After(compute.deadline.value_or(options.deadline));
  }
  RetryPolicy Policy() const { return {options.waiting, budget}; }
  std::optional<RetrySchedule> ScheduleUntil(
      Clock::time_point end, Effect effect = Effect::kNone) const {
    if (!options.retry) return std::nullopt;
    return RetrySchedule(end, Policy(), effect);
  }

  AsyncConnection OfCalls(CallsInFlight* keeper) const {
    return {*dynamics, keeper, limits};
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
  connection->registry = v1::ModelRegistry::NewStub(connection->channel);
  connection->dynamics = v1::Dynamics::NewStub(connection->channel);
  connection->trajectories = v1::Trajectories::NewStub(connection->channel);
  connection->info = v1::ServerInfo::NewStub(connection->channel);

  const Clock::time_point start = Clock::now();
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(After(options.deadline));
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

HealthReport Client::CheckHealth() const {
  return client::CheckHealth(connection_->channel, connection_->Deadline());
}

v1::GetServerInfoReply Client::GetServerInfo() const {
  v1::GetServerInfoReply reply;
  connection_->Call(*connection_->info, &v1::ServerInfo::Stub::GetServerInfo,
                    Effect::kNone, v1::GetServerInfoRequest(), &reply,
                    connection_->Deadline());
  return reply;
}

v1::RegisterModelReply Client::RegisterModel(
    const v1::RegisterModelRequest& request) const {
  return connection_->CallRegistry(&v1::ModelRegistry::Stub::RegisterModel,
                                   Effect::kChanges, request);
}

v1::ValidateModelReply Client::ValidateModel(
    const v1::ValidateModelRequest& request) const {
  return connection_->CallRegistry(&v1::ModelRegistry::Stub::ValidateModel,
                                   Effect::kNone, request);
}

v1::GetModelReply Client::GetModel(const std::string& model,
                                   bool include_source) const {
  v1::GetModelRequest request;
  request.set_model(model);
  request.set_include_source(include_source);
  return connection_->CallRegistry(&v1::ModelRegistry::Stub::GetModel,
                                   Effect::kNone, request);
}

std::vector<v1::ModelSummary> Client::ListModels() const {
  std::vector<v1::ModelSummary> models;
  v1::ListModelsRequest request;
  request.set_page_size(1000);
  do {
    const v1::ListModelsReply page = connection_->CallRegistry(
        &v1::ModelRegistry::Stub::ListModels, Effect::kNone, request);
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
  connection_->CallRegistry(&v1::ModelRegistry::Stub::DeleteModel,
                            Effect::kChanges, request);
}

Evaluation Client::Compute(const std::string& model,
                           std::span<const v1::Quantity> quantities,
                           const States& states,
                           const ComputeOptions& options) const {
  const Clock::time_point end = connection_->DeadlineOf(options);
  const std::int64_t rows = CountStates(states);
  if (rows <= RowsPerCall(quantities, states, options, connection_->limits)) {
    // Without the way through gRPC's threads and back.
    v1::ComputeRequest request = MakeRequest(model, quantities, options);
    AddRows(states, options, {0, rows}, &request);
    v1::ComputeReply reply;
    connection_->Call(*connection_->dynamics, &v1::Dynamics::Stub::Compute,
                      Effect::kNone, request, &reply, end);
    if (rows <= kMaxListedRows || ListsAll(reply)) {
      return JoinOne(reply, quantities, options, rows);
    }
  }
  const auto batch = std::make_shared<AsyncBatch>(
      connection_->OfCalls(nullptr), model,
      std::vector(quantities.begin(), quantities.end()), states, options,
      nullptr, end, connection_->ScheduleUntil(end), nullptr);
  batch->Start();
  batch->Wait();
  return batch->TakeResult();
}

std::shared_ptr<AsyncBatch> Client::NewBatch(
    const std::string& model, std::span<const v1::Quantity> quantities,
    States states, ComputeOptions options, EvaluationDone done) const {
  Connection& connection = *connection_;
  const Clock::time_point end = connection.DeadlineOf(options);
  const auto inputs = std::make_shared<const BatchInputs>(
      BatchInputs{std::move(states), std::move(options)});
  return std::make_shared<AsyncBatch>(
      connection.OfCalls(&connection.in_flight), model,
      std::vector(quantities.begin(), quantities.end()), inputs->states,
      inputs->options, inputs, end, connection.ScheduleUntil(end),
      std::move(done));
}

PendingEvaluation Client::ComputeAsync(const std::string& model,
                                       std::span<const v1::Quantity> quantities,
                                       States states,
                                       ComputeOptions options) const {
  const auto batch =
      NewBatch(model, quantities, std::move(states), std::move(options), {});
  batch->Start();
  return PendingEvaluation(batch);
}

Cancellation Client::ComputeAsync(const std::string& model,
                                  std::span<const v1::Quantity> quantities,
                                  States states, ComputeOptions options,
                                  EvaluationDone done) const {
  const auto batch = NewBatch(model, quantities, std::move(states),
                              std::move(options), std::move(done));
  batch->Start();
  return Cancellation(batch);
}

TrajectoryCheck Client::CheckTrajectory(
    const v1::CheckTrajectoryStart& start, const TrajectorySamples& samples,
    const Progress& progress,
    std::optional<std::chrono::milliseconds> deadline) const {
  const ConnectOptions& options = connection_->options;
  const std::int64_t message_bytes =
      std::min<std::int64_t>(kGoodMessageBytes, options.max_message_bytes / 2);
  const Clock::time_point end = After(deadline.value_or(options.deadline));
  TrajectoryCheck check;
  CallUntilDone(
      [&](grpc::ClientContext& context) {
        return CheckOnce(*connection_->trajectories, context, start, samples,
                         message_bytes, progress, &check);
      },
      end, connection_->ScheduleUntil(end));
  return check;
}

}  // namespace torqued::client
