#include "client/cpp/client.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "client/cpp/async_batch.h"
#include "client/cpp/channel.h"
#include "client/cpp/retry.h"
#include "client/cpp/wire.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"
#include "torqued/v1/server_info.grpc.pb.h"
#include "torqued/v1/trajectory.grpc.pb.h"

namespace torqued::client {
namespace {

using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;
using Registry = v1::ModelRegistry::Stub;

template <class Stub, class Request, class Reply>
using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&,
                                      Reply*);

// Never, if the clock does not reach that far.
Clock::time_point After(std::chrono::milliseconds timeout) {
  const Clock::time_point now = Clock::now();
  const auto most = std::chrono::floor<std::chrono::milliseconds>(
      RetrySchedule::kForever - now);
  return timeout < most ? now + timeout : RetrySchedule::kForever;
}

void FillSamples(const TrajectorySamples& samples, Eigen::Index first,
                 Eigen::Index count, v1::TrajectorySamples* message) {
  message->Clear();
  const auto total = static_cast<Eigen::Index>(samples.time.size());
  const auto add = [&](const Batch& table, const char* name, auto array) {
    if (table.size() == 0) return;
    if (table.rows() != total) {
      throw Error(grpc::StatusCode::INVALID_ARGUMENT,
                  std::string(name) + " has " + std::to_string(table.rows()) +
                      " rows, but there are " + std::to_string(total) +
                      " samples",
                  {v1::Reason_Name(v1::WRONG_ROW_COUNT), {}, {}, {}});
    }
    EncodeRows(table, first, count, (message->*array)());
  };
  using Message = v1::TrajectorySamples;
  add(samples.q, "q", &Message::mutable_q);
  add(samples.v, "v", &Message::mutable_v);
  add(samples.a, "a", &Message::mutable_a);
  const Batch& wrench = samples.tip_wrench_on_environment;
  if (wrench.rows() == 1) {
    EncodeRows(wrench.replicate(count, 1), 0, count,
               message->mutable_tip_wrench_on_environment());
  } else {
    add(wrench, "tip_wrench_on_environment",
        &Message::mutable_tip_wrench_on_environment);
  }
  v1::Array& time = *message->mutable_time();
  time.set_columns(1);
  time.set_f64(samples.time.data() + first,
               static_cast<std::size_t>(count) * sizeof(double));
}

void TakeRows(const v1::TrajectoryRows& rows, Eigen::Index total,
              TrajectoryCheck* check) {
  const auto take = [&](const v1::Array& array, Batch* to) {
    if (array.columns() == 0) return;
    DecodeRows(array, static_cast<Eigen::Index>(rows.first_sample()),
               std::ssize(array.f64()) / (8 * Eigen::Index{array.columns()}),
               total, to);
  };
#define TORQUED_TRAJECTORY_TABLE(name) take(rows.name(), &check->name);
#include "torqued/v1/tables.inc"
}

/// One call of CheckTrajectory. Throws Error (WRONG_ROW_COUNT) if tables differ
/// in their rows. Sends messages of about `message_bytes`.
grpc::Status CheckOnce(v1::Trajectories::Stub& stub,
                       grpc::ClientContext& context,
                       const v1::CheckTrajectoryStart& start,
                       const TrajectorySamples& samples,
                       std::int64_t message_bytes, const Progress& progress,
                       TrajectoryCheck* check) {
  *check = {};
  const auto total = static_cast<Eigen::Index>(samples.time.size());
  const auto columns =
      1 + samples.q.cols() + samples.v.cols() + samples.a.cols() + 6;
  const Eigen::Index at_a_time = std::max<Eigen::Index>(
      1, message_bytes / (columns * Eigen::Index{sizeof(double)}));
  const auto stream = stub.CheckTrajectory(&context);

  v1::CheckTrajectoryRequest request;
  *request.mutable_start() = start;
  request.mutable_start()->mutable_options()->set_encoding(v1::ENCODING_F64);
  bool open = stream->Write(request);
  request.Clear();
  // The server says nothing before it has all of them, unless it refuses.
  for (Eigen::Index first = 0; open && first < total; first += at_a_time) {
    FillSamples(samples, first, std::min(at_a_time, total - first),
                request.mutable_samples());
    open = stream->Write(request);
  }
  stream->WritesDone();

  v1::CheckTrajectoryReply reply;
  while (stream->Read(&reply)) {
    if (reply.has_progress()) {
      progress(static_cast<std::int64_t>(reply.progress().samples_done()),
               static_cast<std::int64_t>(reply.progress().samples()));
    } else if (reply.has_verdict()) {
      check->verdict.Swap(reply.mutable_verdict());
    } else if (reply.has_rows()) {
      TakeRows(reply.rows(), total, check);
    }
  }
  grpc::Status status = stream->Finish();
  if (status.ok()) progress(total, total);
  return status;
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

  grpc::Status Try(const Attempt& attempt, Clock::time_point deadline,
                   bool wait_for_ready = false) const {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    context.set_wait_for_ready(wait_for_ready);
    if (!authorization.empty()) {
      context.AddMetadata("authorization", authorization);
    }
    return attempt(context);
  }

  void Call(const Attempt& attempt, Clock::time_point deadline,
            Effect effect = Effect::kNone) const {
    RetrySchedule schedule(deadline, options.waiting, effect);
    for (bool again = false;; again = effect == Effect::kChanges) {
      // A change is repeated only after DRAINING: a lost or refused connection
      // would fail it. GetServerInfo may be repeated, and finds a server. The
      // change waits for its connection as well.
      if (again) {
        v1::GetServerInfoReply reply;
        Call(
            [&](grpc::ClientContext& context) {
              return info->GetServerInfo(&context, {}, &reply);
            },
            deadline);
      }
      const grpc::Status status = Try(attempt, deadline, again);
      if (status.ok()) return;
      const Error error = DecodeError(status);
      const auto delay = options.retry ? schedule.NextDelay(error, Clock::now())
                                       : std::nullopt;
      if (!delay) throw error;
      std::this_thread::sleep_for(*delay);
    }
  }

  template <class Stub, class Request, class Reply>
  Reply Ask(const std::unique_ptr<Stub>& stub,
            Method<Stub, Request, Reply> method, const Request& request,
            Effect effect = Effect::kNone) const {
    Reply reply;
    Call(
        [&](grpc::ClientContext& context) {
          return (stub.get()->*method)(&context, request, &reply);
        },
        DeadlineOf(), effect);
    return reply;
  }

  std::shared_ptr<AsyncBatch> Start(
      const std::string& model, Quantities quantities,
      std::shared_ptr<const States> states,
      std::shared_ptr<const ComputeOptions> compute, EvaluationDone done = {}) {
    const Clock::time_point end = DeadlineOf(compute->deadline);
    auto batch = std::make_shared<AsyncBatch>(
        BatchJob{*dynamics,
                 authorization,
                 limits,
                 in_flight,
                 model,
                 {quantities.begin(), quantities.end()},
                 std::move(states),
                 std::move(compute),
                 end,
                 options,
                 std::move(done)});
    batch->Start();
    return batch;
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

  const Clock::time_point give_up =
      After(std::min(options.wait_for_server, options.deadline));
  while (true) {
    v1::GetServerInfoReply reply;
    const grpc::Status status = connection->Try(
        [&](grpc::ClientContext& context) {
          return connection->info->GetServerInfo(&context, {}, &reply);
        },
        connection->DeadlineOf());
    connection->limits = LimitsOf(reply, connection->options.max_message_bytes,
                                  connection->options.chunk_rows);
    const Error error = DecodeError(status);
    // A server of ours knows the call, and gives a reason if it refuses it.
    if (status.ok() || !error.details().reason.empty()) {
      return Client(std::move(connection));
    }
    const bool silent = error.code() == grpc::StatusCode::UNAVAILABLE ||
                        error.code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    if (!silent || Clock::now() >= give_up) {
      const std::string cause = error.what();
      throw Error(
          error.code(),
          (silent ? "no connection to " : "no torqued server answers at ") +
              connection->address + ": " +
              (cause.empty() ? ToString(error.code()) : cause));
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
  const grpc::internal::RpcMethod method("/grpc.health.v1.Health/Check",
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  const grpc::Status status = connection_->Try(
      [&](grpc::ClientContext& context) {
        return grpc::internal::BlockingUnaryCall(
            connection_->channel.get(), method, &context, request, &reply);
      },
      connection_->DeadlineOf());
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
  // Not copied, for the caller waits.
  const std::shared_ptr<void> nothing;
  return PendingEvaluation(
             connection_->Start(
                 model, quantities,
                 std::shared_ptr<const States>(nothing, &states),
                 std::shared_ptr<const ComputeOptions>(nothing, &options)))
      .Get();
}

PendingEvaluation Client::ComputeAsync(const std::string& model,
                                       Quantities quantities, States states,
                                       ComputeOptions options) const {
  return PendingEvaluation(connection_->Start(
      model, quantities, std::make_shared<States>(std::move(states)),
      std::make_shared<ComputeOptions>(std::move(options))));
}

Cancellation Client::ComputeAsync(const std::string& model,
                                  Quantities quantities, States states,
                                  ComputeOptions options,
                                  EvaluationDone done) const {
  return Cancellation(connection_->Start(
      model, quantities, std::make_shared<States>(std::move(states)),
      std::make_shared<ComputeOptions>(std::move(options)), std::move(done)));
}

TrajectoryCheck Client::CheckTrajectory(
    const v1::CheckTrajectoryStart& start, const TrajectorySamples& samples,
    const Progress& progress,
    std::optional<std::chrono::milliseconds> deadline) const {
  TrajectoryCheck check;
  // A repeated call begins again, the progress does not.
  std::int64_t told = 0;
  const Progress forward = [&](std::int64_t done, std::int64_t total) {
    if (progress && done > told) progress(told = done, total);
  };
  connection_->Call(
      [&](grpc::ClientContext& context) {
        return CheckOnce(*connection_->trajectories, context, start, samples,
                         connection_->limits.payload_bytes, forward, &check);
      },
      connection_->DeadlineOf(deadline));
  return check;
}

}  // namespace torqued::client
