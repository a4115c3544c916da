// Requests and streams of torqued.v1.Dynamics, from the wire to the reply.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "fuzz_inputs.pb.h"
#include "server/services/state_batch.h"
#include "server/wire/message_bytes.h"
#include "tests/fuzz/array_numbers.h"
#include "tests/fuzz/fuzz_robots.h"
#include "tests/fuzz/message_input.h"
#include "tests/fuzz/refusal.h"
#include "tests/fuzz/require.h"
#include "tests/server/state_batches.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::fuzz {
namespace {

using namespace torqued::server;  // NOLINT(google-build-using-namespace)

struct Server {
  ComputeLimits limits;
  Admission admission;
};

Server& ServerOf(bool narrow) {
  static Server wide{{1000, 1 << 20}, Admission({1 << 30})};
  static Server small{{3, 4096}, Admission({600})};
  return narrow ? small : wide;
}

Engine& TheEngine() {
  static Engine engine(Engine::Options{.threads = 1});
  return engine;
}

/// Row codes by row, where all rows that are not OK are listed.
std::vector<v1::RowCode> CodesOf(const v1::ComputeReply& reply) {
  std::vector<v1::RowCode> codes(reply.rows(), v1::ROW_CODE_UNSPECIFIED);
  std::int64_t before = -1;
  for (const v1::RowStatus& status : reply.row_status()) {
    const auto row = static_cast<std::int64_t>(status.row());
    FUZZ_REQUIRE(row > before && row < static_cast<std::int64_t>(codes.size()),
                 status.message());
    FUZZ_REQUIRE(status.code() != v1::ROW_CODE_UNSPECIFIED, status.message());
    FUZZ_REQUIRE(!status.field().empty() && !status.message().empty(),
                 status.message());
    codes[status.row()] = status.code();
    before = row;
  }
  return codes;
}

void CheckArray(const v1::Array& array, const EvaluationPlan& plan,
                Output output, const std::vector<v1::RowCode>& codes) {
  const std::string_view name = ToString(output);
  const auto columns = static_cast<std::size_t>(plan.columns(output));
  FUZZ_REQUIRE(array.columns() == columns, name);
  const Numbers numbers = NumbersOf(array);
  FUZZ_REQUIRE(numbers.values.size() == codes.size() * columns, name);
  for (std::size_t k = 0; k < numbers.values.size(); ++k) {
    const v1::RowCode code = codes[k / columns];
    const double number = numbers.values[k];
    if (code == v1::ROW_CODE_INVALID_INPUT) {
      FUZZ_REQUIRE(std::isnan(number), name);
    } else if (code == v1::ROW_CODE_UNSPECIFIED ||
               code == v1::ROW_CODE_SINGULAR_TASK_SPACE ||
               code == v1::ROW_CODE_WEAK_TASK_SPACE) {
      FUZZ_REQUIRE(std::isfinite(number), name);
    }
  }
}

void CheckReply(const v1::ComputeReply& reply, const EvaluationPlan& plan,
                const ComputeLimits& limits) {
  FUZZ_REQUIRE(reply.rows() == static_cast<std::uint64_t>(plan.rows()), "rows");
  FUZZ_REQUIRE(reply.ByteSizeLong() <=
                   static_cast<std::size_t>(limits.max_message_bytes),
               "a reply over the limit");
  FUZZ_REQUIRE(reply.echo().joint_names_size() == plan.model().nv(), "echo");
  const std::vector<v1::RowCode> codes = CodesOf(reply);
  FUZZ_REQUIRE(reply.rows_not_ok() >=
                   static_cast<std::uint64_t>(reply.row_status_size()),
               "rows_not_ok");
  if (reply.rows_not_ok() !=
      static_cast<std::uint64_t>(reply.row_status_size())) {
    return;
  }
  const v1::Results& results = reply.results();
  const struct {
    Output output;
    bool present;
    const v1::Array& array;
  } arrays[] = {
      {Output::kTau, results.has_tau(), results.tau()},
      {Output::kMassMatrix, results.has_mass_matrix(), results.mass_matrix()},
      {Output::kAcceleration, results.has_a(), results.a()},
      {Output::kBias, results.has_bias(), results.bias()},
      {Output::kPose, results.has_pose(), results.pose()},
      {Output::kJacobian, results.has_jacobian(), results.jacobian()},
      {Output::kJacobianDrift, results.has_jacobian_drift(),
       results.jacobian_drift()},
      {Output::kLambda, results.has_lambda(), results.lambda()},
      {Output::kEta, results.has_eta(), results.eta()}};
  for (const auto& item : arrays) {
    FUZZ_REQUIRE(item.present == plan.Produces(item.output),
                 ToString(item.output));
    if (item.present) CheckArray(item.array, plan, item.output, codes);
  }
  if (!plan.Produces(Output::kLambda)) return;
  const bool sigma_min = reply.echo().operational_space().sigma_min();
  const int rows = static_cast<int>(codes.size());
  FUZZ_REQUIRE(results.rank_size() == rows && results.rule_size() == rows &&
                   results.sigma_min_size() == (sigma_min ? rows : 0),
               "diagnostics");
  for (int k = 0; k < rows; ++k) {
    const v1::RowCode code = codes[static_cast<std::size_t>(k)];
    FUZZ_REQUIRE(v1::TaskRule_IsValid(results.rule(k)) && results.rule(k) != 0,
                 "rule");
    if (code == v1::ROW_CODE_UNSPECIFIED) {
      FUZZ_REQUIRE(results.rule(k) == v1::TASK_RULE_FULL_RANK, "rule");
      FUZZ_REQUIRE(!sigma_min || std::isfinite(results.sigma_min(k)),
                   "sigma_min");
    }
  }
}

template <class Reply, class Request>
void Answer(const Request& sent, const ModelEntry& entry, Server& server) {
  Request request;
  if (!ThroughTheWire(sent, &request)) return;
  v1::ComputeReply reply;
  auto prepared = PrepareAlone(FieldsOf(request), entry, TheEngine().kernels(),
                               server.limits, server.admission, &reply);
  if (const auto* error = std::get_if<Error>(&prepared)) {
    return CheckRefusal(*error, request);
  }
  auto& batch = *std::get<std::unique_ptr<BatchAlone>>(prepared);
  const EvaluationReport report =
      TheEngine().Evaluate(*batch.plan(), batch.outputs());
  FUZZ_REQUIRE(!report.failed && !report.cancelled, "evaluation");
  if (const auto error = batch.Finish(report, 0, &reply)) {
    FUZZ_REQUIRE(error->reason == v1::ROW_FAILED, error->message);
    return CheckRefusal(*error, request);
  }
  *reply.mutable_echo() = EchoOf(batch);
  CheckReply(reply, *batch.plan(), server.limits);
  // What the method itself returns is part of that, and valid on the wire.
  const std::string echo = reply.echo().SerializeAsString();
  reply.clear_echo();
  Reply own, received;
  if constexpr (std::is_same_v<Reply, v1::ComputeReply>) {
    own.Swap(&reply);
  } else {
    MoveReply(&reply, &own);
  }
  FUZZ_REQUIRE(own.rows() == static_cast<std::uint64_t>(batch.plan()->rows()),
               "rows");
  grpc::ByteBuffer bytes;
  SerializeReply(own, {Reply::kEchoFieldNumber, batch.echo()}, &bytes);
  FUZZ_REQUIRE(
      grpc::SerializationTraits<Reply>::Deserialize(&bytes, &received).ok(),
      "a reply that nobody can read");
  FUZZ_REQUIRE(received.echo().SerializeAsString() == echo, "another echo");
}

/// The chunk of a request in a batch that may have held others before; an error
/// names fields of the request.
std::optional<Error> ComputeChunk(StateBatch& batch,
                                  const v1::EvaluateRequest& request,
                                  std::int64_t echo_bytes, Server& server,
                                  v1::EvaluateReply* reply) {
  Reservation room(server.admission);
  auto error = batch.Bind(FieldsOf(request.chunk()));
  if (!error) {
    error =
        batch.Admit(static_cast<std::size_t>(echo_bytes), server.limits, &room);
  }
  if (!error) {
    const EvaluationReport report =
        TheEngine().Evaluate(*batch.plan(), batch.outputs());
    FUZZ_REQUIRE(!report.failed && !report.cancelled, "evaluation");
    error = batch.Finish(report, reply->first_row(), reply);
  }
  if (!error) return std::nullopt;
  for (Violation& violation : error->violations) {
    const bool option = violation.field.starts_with("options.");
    violation.field.insert(0, option ? "start." : "chunk.");
  }
  return error;
}

/// As the reply to a call of its own.
v1::ComputeReply AsComputed(const v1::EvaluateReply& reply,
                            const v1::Echo& echo) {
  v1::ComputeReply computed;
  computed.set_rows(reply.rows());
  computed.set_rows_not_ok(reply.rows_not_ok());
  *computed.mutable_results() = reply.results();
  *computed.mutable_echo() = echo;
  for (const v1::RowStatus& status : reply.row_status()) {
    FUZZ_REQUIRE(status.row() >= reply.first_row(), "a row of another chunk");
    *computed.add_row_status() = status;
    computed.mutable_row_status()->rbegin()->set_row(status.row() -
                                                     reply.first_row());
  }
  return computed;
}

/// Chunk after chunk with the same memory, each beside a batch of its own.
void Answer(const EvaluateInput& sent, const ModelEntry& entry,
            Server& server) {
  EvaluateInput input;
  if (!ThroughTheWire(sent, &input)) return;
  v1::EvaluateRequest request;
  *request.mutable_start() = input.start();
  auto created =
      PrepareQuery(FieldsOf(input.start()), entry, TheEngine().kernels());
  if (auto* error = std::get_if<Error>(&created)) {
    return CheckRefusal(*error, input.start());
  }
  const QueryPtr query = std::get<QueryPtr>(created);
  v1::Echo echo;
  FUZZ_REQUIRE(echo.ParseFromString(query->echo_with_wrench), "echo");
  auto echo_bytes = static_cast<std::int64_t>(query->echo_with_wrench.size());

  v1::EvaluateReply reply;
  StateBatch kept(query, reply.mutable_results());
  std::uint64_t rows = 0;
  for (const v1::EvaluateChunk& chunk : input.chunks()) {
    *request.mutable_chunk() = chunk;
    v1::EvaluateReply alone;
    StateBatch fresh(query, alone.mutable_results());
    reply.set_first_row(rows);
    alone.set_first_row(rows);
    const auto error = ComputeChunk(kept, request, echo_bytes, server, &reply);
    const auto same = ComputeChunk(fresh, request, echo_bytes, server, &alone);
    FUZZ_REQUIRE(server.admission.held() == Admission::Load(),
                 "what was admitted is not given back");
    FUZZ_REQUIRE(error.has_value() == same.has_value(), "what came before");
    if (error) {
      FUZZ_REQUIRE(error->message == same->message, error->message);
      return CheckRefusal(*error, request);
    }
    FUZZ_REQUIRE(reply.SerializeAsString() == alone.SerializeAsString(),
                 "what came before");
    FUZZ_REQUIRE(static_cast<std::int64_t>(reply.ByteSizeLong()) + echo_bytes <=
                     server.limits.max_message_bytes,
                 "a reply over the limit");
    CheckReply(AsComputed(reply, echo), *kept.plan(), server.limits);
    rows += reply.rows();
    echo_bytes = 0;
  }
}

void Answer(const ComputeInput& input) {
  const ModelEntry& entry = FuzzRobot(input.robot());
  Server& server = ServerOf(input.narrow());
  switch (input.request_case()) {
    case ComputeInput::kCompute:
      return Answer<v1::ComputeReply>(input.compute(), entry, server);
    case ComputeInput::kInverseDynamics:
      return Answer<v1::InverseDynamicsReply>(input.inverse_dynamics(), entry,
                                              server);
    case ComputeInput::kMassMatrix:
      return Answer<v1::MassMatrixReply>(input.mass_matrix(), entry, server);
    case ComputeInput::kForwardDynamics:
      return Answer<v1::ForwardDynamicsReply>(input.forward_dynamics(), entry,
                                              server);
    case ComputeInput::kOperationalSpace:
      return Answer<v1::OperationalSpaceReply>(input.operational_space(), entry,
                                               server);
    case ComputeInput::kEvaluate:
      return Answer(input.evaluate(), entry, server);
    case ComputeInput::REQUEST_NOT_SET:
      return;
  }
}

}  // namespace

std::unique_ptr<google::protobuf::Message> NewInput() {
  return std::make_unique<ComputeInput>();
}

std::span<const std::string> Words() { return FuzzRobotNames(); }

}  // namespace torqued::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  torqued::fuzz::ComputeInput input;
  if (!torqued::fuzz::ParseInput(torqued::fuzz::Text(data, size), &input)) {
    return -1;
  }
  torqued::fuzz::Answer(input);
  return 0;
}
