// How much of a stream is still computed once a row has failed it, counted in
// chunks of the engine.
#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <set>

#include "tests/server/live/live_services.h"
#include "tests/support/await.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::MakeRandomRobot;

constexpr int kDof = 6;
constexpr int kChunkRows = 64;
constexpr int kParts = 100;  // chunks of the engine in each of the stream
constexpr int kRows = kParts * kChunkRows;
constexpr int kChunks = 5;

class StreamFailFastTest : public ::testing::Test {
 protected:
  struct Outcome {
    std::uint64_t rows = 0;
    grpc::Status status;
    std::int64_t parts_computed = 0;
  };

  StreamFailFastTest() {
    services_.Register("arm", MakeRandomRobot(1, {.dof = kDof}).urdf);
  }

  /// A stream whose first chunks all wait for the only thread before the first
  /// part of any is computed; `bad`: chunks whose first row is.
  Outcome Run(const std::set<int>& bad, bool fail_fast) {
    std::promise<void> release;
    services_.scheduler().Submit(
        [released = release.get_future().share()] { released.wait(); });
    grpc::ClientContext context;
    const auto stream = stub_->Evaluate(&context);
    v1::EvaluateRequest message;
    message.mutable_start()->set_model("arm");
    message.mutable_start()->add_quantities(v1::QUANTITY_BIAS_FORCES);
    message.mutable_start()->mutable_options()->set_fail_fast(fail_fast);
    stream->Write(message);
    for (int k = 0; k < kChunks; ++k) {
      message.Clear();
      v1::Array& q = *message.mutable_chunk()->mutable_q();
      q.set_columns(kDof);
      q.mutable_values()->Resize(kRows * kDof, 0.0);
      if (bad.contains(k)) {
        q.set_values(0, std::numeric_limits<double>::quiet_NaN());
      }
      stream->Write(message);
    }
    stream->WritesDone();
    Await([this] { return services_.scheduler().jobs() >= 1 + kChunks; });
    const std::int64_t before = services_.scheduler().chunks_started();
    release.set_value();
    Outcome outcome;
    v1::EvaluateReply reply;
    while (stream->Read(&reply)) outcome.rows += reply.rows();
    outcome.status = stream->Finish();
    Await([&] { return services_.gate().in_flight() == 0; });
    outcome.parts_computed = services_.scheduler().chunks_started() - before;
    return outcome;
  }

  LiveServices services_{{.engine = {.threads = 1, .chunk_rows = kChunkRows}}};
  std::unique_ptr<v1::Dynamics::Stub> stub_ = services_.Connect();
};

TEST_F(StreamFailFastTest, ABadRowEndsTheComputingOfAllThatIsBehindIt) {
  const Outcome outcome = Run({0}, true);
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(outcome.rows, 0u);
  EXPECT_LE(outcome.parts_computed, 2 * kChunks);
}

TEST_F(StreamFailFastTest, ChunksBeforeItAreAnsweredWhole) {
  const Outcome outcome = Run({2}, true);
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(outcome.rows, 2u * kRows);
  EXPECT_GE(outcome.parts_computed, 2 * kParts);
  EXPECT_LE(outcome.parts_computed, 2 * kParts + 2 * kChunks);
}

TEST_F(StreamFailFastTest, TheFirstOfSeveralIsTheOneTold) {
  // The second is found while the first chunk is under way.
  const Outcome outcome = Run({1, 3}, true);
  v1::Status details;
  ASSERT_TRUE(details.ParseFromString(outcome.status.error_details()));
  v1::ErrorInfo info;
  ASSERT_TRUE(info.ParseFromString(details.details(0).value()));
  EXPECT_EQ(info.reason(), "ROW_FAILED");
  EXPECT_EQ(info.metadata().at("row"), std::to_string(kRows));
  EXPECT_EQ(info.metadata().at("chunk"), "1");
  EXPECT_EQ(info.metadata().at("next_row"), std::to_string(kRows));
}

TEST_F(StreamFailFastTest, WithoutItAllIsComputed) {
  const Outcome outcome = Run({0, 2}, false);
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.rows, std::uint64_t{kChunks} * kRows);
  EXPECT_GE(outcome.parts_computed, kChunks * kParts);
}

}  // namespace
}  // namespace torqued::server
