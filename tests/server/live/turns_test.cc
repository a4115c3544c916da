// Who waits for whom, counted in chunks.
#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/live/live_services.h"
#include "tests/support/await.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::MakeRandomRobot;

constexpr int kChunkRows = 1024;  // too many for the calling thread
constexpr int kDof = 6;

v1::MassMatrixRequest Masses(const std::string& model, int rows) {
  v1::MassMatrixRequest request;
  request.set_model(model);
  request.mutable_q()->set_columns(kDof);
  request.mutable_q()->mutable_f64()->resize(static_cast<std::size_t>(rows) *
                                             kDof * 8);
  return request;
}

/// A call under way.
class Call {
 public:
  Call(LiveServices& services, const std::string& model, int rows)
      : stub_(services.Connect()), request_(Masses(model, rows)) {
    stub_->async()->MassMatrix(
        &context_, &request_, &reply_,
        [this](const grpc::Status& status) { done_.set_value(status); });
  }
  /// Each of these waits for the answer, once.
  std::int64_t Rows() {
    const grpc::Status status = Await(done_.get_future());
    if (!status.ok()) ADD_FAILURE() << status.error_message();
    return status.ok() ? static_cast<std::int64_t>(reply_.rows()) : -1;
  }
  grpc::StatusCode Code() { return Await(done_.get_future()).error_code(); }

 private:
  std::unique_ptr<v1::Dynamics::Stub> stub_;
  v1::MassMatrixRequest request_;
  v1::MassMatrixReply reply_;
  grpc::ClientContext context_;
  std::promise<grpc::Status> done_;
};

class TurnsTest : public ::testing::Test {
 protected:
  TurnsTest() {
    services_.Register("cold", MakeRandomRobot(2, {.dof = kDof}).urdf);
    // Of which there is room for one.
    services_.Register("warm", MakeRandomRobot(1, {.dof = kDof}).urdf);
  }

  /// Keeps the only thread until the future is ready.
  void Hold(const std::shared_future<void>& released) {
    services_.scheduler().Submit([released] { released.wait(); });
  }
  void AwaitJobs(std::int64_t jobs) {
    Await([&] { return services_.scheduler().jobs() >= jobs; });
  }

  LiveServices services_{{.engine = {.threads = 1, .chunk_rows = kChunkRows},
                          .cached_source_bytes = 1}};
};

TEST_F(TurnsTest, ACallWhoseModelIsStillToBeMadeWaitsForNoChunk) {
  std::promise<void> end;
  Hold(end.get_future().share());
  AwaitJobs(1);
  EXPECT_EQ(Call(services_, "cold", 1).Rows(), 1);
  EXPECT_LE(services_.scheduler().chunks_started(), 1);
  end.set_value();
}

TEST_F(TurnsTest, ACallWaitsForNoModelThatIsMadeForAnother) {
  std::promise<void> release;
  services_.background().Submit(
      [released = release.get_future().share()] { released.wait(); });
  Call cold(services_, "cold", 1);
  Await([&] { return services_.background().jobs() >= 2; });
  EXPECT_EQ(Call(services_, "warm", 10 * kChunkRows).Rows(), 10 * kChunkRows);
  EXPECT_EQ(services_.background().jobs(), 2);
  release.set_value();
  EXPECT_EQ(cold.Rows(), 1);
}

/// Three calls of one host, each on its connection, and one of another, behind
/// what holds the only thread, which is held again after a turn of each host.
TEST_F(TurnsTest, AModelIsMadeAfterOneForEachOtherHostNotForEachConnection) {
  std::promise<void> begin, end;
  const auto hold = [this](std::shared_future<void> released) {
    services_.background().Submit(
        [released = std::move(released)] { released.wait(); });
  };
  hold(begin.get_future().share());
  std::vector<std::future<grpc::Status>> calls;
  for (const char* host :
       {"127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2"}) {
    const std::int64_t before = services_.background().jobs();
    calls.push_back(std::async(std::launch::async, [this, host] {
      const auto stub = v1::ModelRegistry::NewStub(services_.ChannelFrom(host));
      grpc::ClientContext context;
      v1::GetModelRequest request;
      request.set_model("cold");
      v1::GetModelReply reply;
      return stub->GetModel(&context, request, &reply);
    }));
    Await([&] { return services_.background().jobs() != before; });
  }
  hold(end.get_future().share());
  Await([&] { return services_.background().jobs() >= 6; });

  begin.set_value();
  EXPECT_TRUE(Await(calls.back()).ok());
  // The two that held the thread, one call of each host.
  EXPECT_LE(services_.background().chunks_started(), 4);
  end.set_value();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(Await(calls[i]).ok());
}

TEST(Waiting, ACallThatWaitsForItsModelIsAdmittedBefore) {
  LiveServices services({.engine = {.threads = 1},
                         .inflight = {.bytes = 1'600'000},
                         .cached_source_bytes = 1});
  services.Register("cold", MakeRandomRobot(2, {.dof = kDof}).urdf);
  services.Register("warm", MakeRandomRobot(1, {.dof = kDof}).urdf);
  std::promise<void> release;
  services.background().Submit(
      [released = release.get_future().share()] { released.wait(); });

  // The model cannot be loaded now. The requests take 32'896 and 752'896 bytes,
  // each of which would fit alone.
  Reservation others(services.admission());
  ASSERT_FALSE(others.Grow(830'000));
  Call fits(services, "cold", 200);
  Await([&] { return services.background().jobs() >= 2; });
  EXPECT_EQ(Call(services, "cold", 5200).Code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  release.set_value();
  EXPECT_EQ(fits.Rows(), 200);
}

}  // namespace
}  // namespace torqued::server
