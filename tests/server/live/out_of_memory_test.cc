// Calls that memory runs out for end with an error of their own, and the
// server goes on.
#include <gtest/gtest.h>

#include <string>

#include "tests/server/live/live_services.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::FailingAllocations;
using testing_support::MakeRandomRobot;

constexpr std::size_t kMegabyte = 1 << 20;

class OutOfMemoryTest : public ::testing::Test {
 protected:
  /// The call is an internal error while memory is short, and then succeeds.
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
  constexpr int kDof = 600;  // a workspace of more than a megabyte
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
  constexpr int kDof = 600;
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

}  // namespace
}  // namespace torqued::server
