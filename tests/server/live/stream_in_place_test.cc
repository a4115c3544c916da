// Which chunks of a stream are computed where they were parsed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>

#include "tests/server/live/live_services.h"
#include "tests/support/await.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

constexpr int kDof = 7;

/// A stream of a server whose only computing thread is held.
class StreamInPlaceTest : public ::testing::Test {
 protected:
  StreamInPlaceTest() {
    const auto robot = testing_support::MakeRandomRobot(
        1, {.shape = testing_support::RandomRobotOptions::Shape::kChain,
            .dof = kDof});
    services_.Register("arm", robot.urdf);
    services_.scheduler().Submit(
        [released = release_.get_future().share()] { released.wait(); });
    context_.set_deadline(std::chrono::system_clock::now() +
                          std::chrono::seconds(20));
    stream_ = stub_->Evaluate(&context_);
    message_.mutable_start()->set_model("arm");
    message_.mutable_start()->mutable_options()->set_tip_frame(robot.tip);
  }

  ~StreamInPlaceTest() override {
    if (held_) Release();
  }

  void Send(v1::Quantity quantity, int rows) {
    message_.mutable_start()->add_quantities(quantity);
    stream_->Write(message_);
    v1::Array& q = *message_.mutable_chunk()->mutable_q();
    message_.clear_start();
    q.set_columns(kDof);
    q.mutable_f64()->resize(static_cast<std::size_t>(rows) * kDof * 8);
    stream_->Write(message_);
    stream_->WritesDone();
  }

  std::uint64_t ReadAll() {
    v1::EvaluateReply reply;
    std::uint64_t rows = 0;
    while (stream_->Read(&reply)) rows += reply.rows();
    EXPECT_TRUE(stream_->Finish().ok());
    return rows;
  }

  /// The chunk waits behind what holds the thread.
  void ExpectOnThePool(std::uint64_t rows) {
    Await([this] { return services_.scheduler().jobs() == 1 + 1; });
    Release();
    EXPECT_EQ(ReadAll(), rows);
  }
  void ExpectInPlace(std::uint64_t rows) {
    EXPECT_EQ(ReadAll(), rows);
    EXPECT_EQ(services_.scheduler().jobs(), 1);
    Release();
  }

  void Release() {
    held_ = false;
    release_.set_value();
  }

  LiveServices services_{{.engine = {.threads = 1}}};
  std::unique_ptr<v1::Dynamics::Stub> stub_ = services_.Connect();
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::EvaluateRequest, v1::EvaluateReply>>
      stream_;
  v1::EvaluateRequest message_;
  std::promise<void> release_;
  bool held_ = true;
};

TEST_F(StreamInPlaceTest, AUsualChunkWaitsForNoThreadOfThePool) {
  Send(v1::QUANTITY_INVERSE_DYNAMICS, 1024);
  ExpectInPlace(1024);
}

TEST_F(StreamInPlaceTest, ALongOneDoes) {
  Send(v1::QUANTITY_INVERSE_DYNAMICS, 4096);
  ExpectOnThePool(4096);
}

TEST_F(StreamInPlaceTest, SoDoSingularValues) {
  message_.mutable_start()->mutable_operational_space()->set_sigma_min(true);
  Send(v1::QUANTITY_OPERATIONAL_SPACE, 300);
  ExpectOnThePool(300);
}

TEST_F(StreamInPlaceTest, AsManyStatesWithoutThemDoNot) {
  Send(v1::QUANTITY_OPERATIONAL_SPACE, 300);
  ExpectInPlace(300);
}

}  // namespace
}  // namespace torqued::server
