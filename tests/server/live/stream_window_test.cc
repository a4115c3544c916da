// How far a stream reads ahead, counted in chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "server/services/evaluate_stream.h"
#include "tests/server/live/live_services.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::MakeRandomRobot;

constexpr int kDof = 6;
constexpr int kChunks = 40;
constexpr int kRows = 1000;  // too many to compute where they arrive

class StreamWindowTest : public ::testing::Test {
 protected:
  StreamWindowTest() {
    services_.Register("arm", MakeRandomRobot(1, {.dof = kDof}).urdf);
  }

  void SendAll() {
    v1::EvaluateRequest message;
    message.mutable_start()->set_model("arm");
    message.mutable_start()->add_quantities(v1::QUANTITY_MASS_MATRIX);
    stream_->Write(message);
    message.clear_start();
    v1::Array& q = *message.mutable_chunk()->mutable_q();
    q.set_columns(kDof);
    q.mutable_f64()->resize(std::size_t{kRows} * kDof * 8);
    for (int k = 0; k < kChunks; ++k) stream_->Write(message);
    stream_->WritesDone();
  }

  /// The most jobs at a time, until there have been no more for a while.
  std::int64_t MostJobs() {
    std::int64_t most = 0;
    auto last = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - last < std::chrono::seconds(1)) {
      if (const std::int64_t jobs = services_.scheduler().jobs(); jobs > most) {
        most = jobs;
        last = std::chrono::steady_clock::now();
      }
      std::this_thread::yield();
    }
    return most;
  }

  LiveServices services_{{.engine = {.threads = 1}}};
  std::unique_ptr<v1::Dynamics::Stub> stub_ = services_.Connect();
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::EvaluateRequest, v1::EvaluateReply>>
      stream_ = stub_->Evaluate(&context_);
};

TEST_F(StreamWindowTest, NotMoreChunksThanTheWindowAreReadAhead) {
  constexpr auto kWindow = static_cast<std::int64_t>(EvaluateStream::kWindow);
  std::promise<void> release;
  services_.scheduler().Submit(
      [released = release.get_future().share()] { released.wait(); });
  // All of them fit into what the transport holds.
  std::thread sender([this] { SendAll(); });
  EXPECT_EQ(MostJobs(), 1 + kWindow);
  release.set_value();
  v1::EvaluateReply reply;
  std::uint64_t rows = 0;
  while (stream_->Read(&reply)) {
    EXPECT_EQ(reply.first_row(), rows);
    rows += reply.rows();
  }
  sender.join();
  EXPECT_TRUE(stream_->Finish().ok());
  EXPECT_EQ(rows, std::uint64_t{kChunks} * kRows);
}

TEST_F(StreamWindowTest, AStreamCancelledInFullFlightLeavesNothing) {
  std::promise<void> release;
  services_.scheduler().Submit(
      [released = release.get_future().share()] { released.wait(); });
  std::thread sender([this] { SendAll(); });
  while (services_.scheduler().jobs() < 5) std::this_thread::yield();
  context_.TryCancel();
  sender.join();
  EXPECT_EQ(stream_->Finish().error_code(), grpc::StatusCode::CANCELLED);
  // The client knows before the server. Calls on the same connection arrive
  // after the cancellation.
  for (int k = 0; k < 20; ++k) {
    v1::MassMatrixRequest request;
    request.set_model("arm");
    request.mutable_q()->set_columns(kDof);
    request.mutable_q()->mutable_f64()->resize(std::size_t{kDof} * 8);
    v1::MassMatrixReply reply;
    grpc::ClientContext context;
    EXPECT_TRUE(stub_->MassMatrix(&context, request, &reply).ok());
  }
  release.set_value();
  while (services_.gate().in_flight() > 0 || services_.scheduler().jobs() > 0) {
    std::this_thread::yield();
  }
  // What was read was not computed, but for what the server began before it
  // noticed; and no more was read.
  EXPECT_LT(services_.scheduler().chunks_started(), kChunks / 2);
  EXPECT_TRUE(std::holds_alternative<Admission::Ticket>(
      services_.admission().Admit({16'000'000, std::int64_t{1} << 30})));
}

}  // namespace
}  // namespace torqued::server
