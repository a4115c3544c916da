// Calls that memory runs out for end with an error of their own, and the
// server goes on.
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>
#include <new>
#include <string>
#include <thread>

#include "server/services/call_record.h"
#include "server/wire/message_bytes.h"
#include "tests/server/live/live_services.h"
#include "tests/support/await.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::FailingAllocation;
using testing_support::FailingAllocations;
using testing_support::MakeRandomRobot;

constexpr std::size_t kMegabyte = 1 << 20;

class OutOfMemoryTest : public ::testing::Test {
 protected:
  /// The call fails as an internal error while memory is short and succeeds
  /// afterwards.
  template <class Call>
  void ExpectFault(std::size_t scarce_bytes, const Call& call) {
    {
      const FailingAllocations failing(scarce_bytes);
      const grpc::Status status = call();
      EXPECT_GT(failing.failures(), 0);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL)
          << status.error_message();
    }
    const grpc::Status status = call();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  void Register(int dof, const std::string& padding = {}) {
    services_.Register("robot",
                       MakeRandomRobot(1, {.dof = dof}).urdf + padding);
  }

  template <class Request>
  static Request States(int dof, int rows) {
    Request request;
    request.set_model("robot");
    request.mutable_q()->set_columns(static_cast<std::uint32_t>(dof));
    request.mutable_q()->mutable_f64()->resize(
        static_cast<std::size_t>(rows) * static_cast<std::size_t>(dof) * 8);
    return request;
  }

  LiveServices services_{{.engine = {.threads = 1}}};
  std::unique_ptr<v1::Dynamics::Stub> dynamics_ = services_.Connect();
};

TEST_F(OutOfMemoryTest, NoRoomForTheReply) {
  constexpr int kDof = 6;
  Register(kDof);
  // 3 MB of states, six times as much of matrices.
  const auto request = States<v1::MassMatrixRequest>(kDof, 65'536);
  ExpectFault(8 * kMegabyte, [&] {
    grpc::ClientContext context;
    v1::MassMatrixReply reply;
    return dynamics_->MassMatrix(&context, request, &reply);
  });
}

TEST_F(OutOfMemoryTest, NoRoomToCompute) {
  constexpr int kDof = 400;  // a workspace of more than a megabyte
  Register(kDof);
  const auto request = States<v1::InverseDynamicsRequest>(kDof, 30);
  ExpectFault(kMegabyte, [&] {
    grpc::ClientContext context;
    v1::InverseDynamicsReply reply;
    return dynamics_->InverseDynamics(&context, request, &reply);
  });
}

/// A stream of one chunk.
template <class Request>
grpc::Status Stream(v1::Dynamics::Stub& dynamics, v1::Quantity quantity,
                    const Request& states) {
  grpc::ClientContext context;
  const auto stream = dynamics.Evaluate(&context);
  v1::EvaluateRequest message;
  message.mutable_start()->set_model(states.model());
  message.mutable_start()->add_quantities(quantity);
  stream->Write(message);
  message.clear_start();
  *message.mutable_chunk()->mutable_q() = states.q();
  stream->Write(message);
  stream->WritesDone();
  v1::EvaluateReply reply;
  while (stream->Read(&reply)) {
  }
  return stream->Finish();
}

TEST_F(OutOfMemoryTest, NoRoomForTheReplyToAChunk) {
  constexpr int kDof = 6;
  Register(kDof);
  const auto request = States<v1::MassMatrixRequest>(kDof, 65'536);
  ExpectFault(8 * kMegabyte, [&] {
    return Stream(*dynamics_, v1::QUANTITY_MASS_MATRIX, request);
  });
}

TEST_F(OutOfMemoryTest, NoRoomToComputeAChunk) {
  constexpr int kDof = 400;
  Register(kDof);
  const auto request = States<v1::InverseDynamicsRequest>(kDof, 30);
  ExpectFault(kMegabyte, [&] {
    return Stream(*dynamics_, v1::QUANTITY_INVERSE_DYNAMICS, request);
  });
}

TEST_F(OutOfMemoryTest, NoRoomForASource) {
  const auto models = services_.ConnectToRegistry();
  v1::RegisterModelRequest request;
  request.set_name("robot");
  request.set_source(MakeRandomRobot(1, {.dof = 2}).urdf + "<!--" +
                     std::string(4 * kMegabyte, ' ') + "-->");
  ExpectFault(2 * kMegabyte, [&] {
    grpc::ClientContext context;
    v1::RegisterModelReply reply;
    return models->RegisterModel(&context, request, &reply);
  });
}

TEST(CallRecordTest, ACallForWhichThereIsNoMemoryIsNotInFlight) {
  CallGate gate;
  int failures = 0;
  for (bool failed = true; failed; failures += failed ? 1 : 0) {
    grpc::CallbackServerContext context;
    const FailingAllocation failing(failures);
    try {
      const CallRecord record(&context, gate, "/a/b");
      EXPECT_EQ(gate.in_flight(), 1);
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(failing.failed());
    }
    failed = failing.failed();
    EXPECT_EQ(gate.in_flight(), 0) << "without the allocation " << failures;
  }
  EXPECT_GT(failures, 1);
}

TEST_F(OutOfMemoryTest, ASourceIsSentWithoutACopy) {
  Register(2, "<!--" + std::string(4 * kMegabyte, ' ') + "-->");
  v1::GetModelRequest request;
  request.set_model("robot");
  request.set_include_source(true);
  grpc::ByteBuffer asked;
  SerializeMessage(request, &asked);
  grpc::ByteBuffer answer;
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(
      services_.Channel());
  grpc::ClientContext context;
  std::promise<grpc::Status> ended;
  {
    const FailingAllocations failing(kMegabyte);
    stub.UnaryCall(
        &context, "/torqued.v1.ModelRegistry/GetModel", {}, &asked, &answer,
        [&](const grpc::Status& status) { ended.set_value(status); });
    const grpc::Status status = Await(ended.get_future());
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(failing.failures(), 0);
  }
  v1::GetModelReply reply;
  ASSERT_TRUE(ParseMessage(&answer, &reply));
  EXPECT_EQ(reply.model().name(), "robot");
  EXPECT_GT(reply.source().size(), 4 * kMegabyte);
  EXPECT_TRUE(reply.source().ends_with("-->"));
}

}  // namespace
}  // namespace torqued::server
