// How far a stream reads ahead, counted in chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "tests/server/live/live_services.h"
#include "tests/support/await.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::MakeRandomRobot;

// Chunks that take too long to compute where they arrive, and of which the
// transport takes in one more than is read.
constexpr int kDof = 32;
constexpr int kChunks = 40;
constexpr int kRows = 220;

/// Memory for so many chunks in flight of one client, which has half. A chunk
/// takes three times its states and twice its results.
constexpr Admission::Load ForChunks(double chunks) {
  constexpr double kBytes = kRows * 8 * (3 * kDof + 2 * kDof * kDof);
  return {static_cast<std::int64_t>(2 * chunks * kBytes), 2};
}

/// The code and the metadata that a stream ended with.
struct Failure {
  explicit Failure(const grpc::Status& status) : code(status.error_code()) {
    v1::Status details;
    EXPECT_TRUE(details.ParseFromString(status.error_details()));
    EXPECT_GE(details.details_size(), 1);
    if (details.details_size() == 0) return;
    EXPECT_TRUE(info.ParseFromString(details.details(0).value()));
  }
  std::string Metadata(const std::string& key) const {
    const auto found = info.metadata().find(key);
    return found == info.metadata().end() ? "" : found->second;
  }

  grpc::StatusCode code;
  v1::ErrorInfo info;
};

class StreamWindowTest : public ::testing::Test {
 protected:
  explicit StreamWindowTest(
      Admission::Load inflight = LiveServices::Options().inflight,
      std::chrono::milliseconds write_timeout = std::chrono::minutes(5))
      : services_({.engine = {.threads = 1},
                   .inflight = inflight,
                   .write_timeout = write_timeout}) {
    services_.Register("arm", MakeRandomRobot(1, {.dof = kDof}).urdf);
  }

  void Start() {
    v1::EvaluateRequest message;
    message.mutable_start()->set_model("arm");
    message.mutable_start()->add_quantities(v1::QUANTITY_MASS_MATRIX);
    stream_->Write(message);
  }
  void Send(int rows, int times = 1) {
    v1::EvaluateRequest message;
    v1::Array& q = *message.mutable_chunk()->mutable_q();
    q.set_columns(kDof);
    q.mutable_f64()->resize(static_cast<std::size_t>(rows) * kDof * 8);
    for (int k = 0; k < times; ++k) stream_->Write(message);
  }
  void SendAll() {
    Start();
    Send(kRows, kChunks);
    stream_->WritesDone();
  }

  /// Reads to the end and checks the order; the rows.
  std::uint64_t ReadAll() {
    v1::EvaluateReply reply;
    std::uint64_t rows = 0;
    while (stream_->Read(&reply)) {
      EXPECT_EQ(reply.first_row(), rows);
      rows += reply.rows();
    }
    return rows;
  }

  /// Occupies the only computing thread until released.
  std::promise<void> Hold() {
    std::promise<void> release;
    services_.scheduler().Submit(
        [released = release.get_future().share()] { released.wait(); });
    return release;
  }

  /// So many jobs come, and never more at a time.
  void ExpectJobs(std::int64_t most) {
    Await([&] { return services_.scheduler().jobs() >= most; });
    for (int k = 0; k < 1000; ++k) {
      ASSERT_LE(services_.scheduler().jobs(), most);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  /// Computes, once the thread is free, everything that SendAll sends.
  void ExpectAllIsAnswered(std::promise<void>* release, std::thread* sender) {
    release->set_value();
    EXPECT_EQ(ReadAll(), std::uint64_t{kChunks} * kRows);
    sender->join();
    EXPECT_TRUE(stream_->Finish().ok());
  }

  /// Nothing of any call is left, and all rows and bytes may be taken again.
  void ExpectNothingIsLeft() {
    Await([this] {
      return services_.gate().in_flight() == 0 &&
             services_.scheduler().jobs() == 0;
    });
    EXPECT_EQ(services_.admission().held(), Admission::Load());
  }

  LiveServices services_;
  std::unique_ptr<v1::Dynamics::Stub> stub_ = services_.Connect();
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::EvaluateRequest, v1::EvaluateReply>>
      stream_ = stub_->Evaluate(&context_);
};

class UnreadStreamTest : public StreamWindowTest {
 protected:
  UnreadStreamTest()
      : StreamWindowTest(LiveServices::Options().inflight,
                         std::chrono::seconds(2)) {}
};

TEST_F(UnreadStreamTest, EndsAfterTheTimeoutOfAMessage) {
  std::thread sender([this] { SendAll(); });
  Await([this] { return services_.gate().in_flight() == 1; });
  ExpectNothingIsLeft();
  sender.join();
  ReadAll();
  EXPECT_EQ(stream_->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(UnreadStreamTest, WhoTakesItsRepliesMeetsNoTimeout) {
  v1::EvaluateReply reply;
  Start();
  for (const int pause : {0, 2500}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    Send(1);
    ASSERT_TRUE(stream_->Read(&reply));
  }
  stream_->WritesDone();
  EXPECT_FALSE(stream_->Read(&reply));
  EXPECT_TRUE(stream_->Finish().ok());
}

TEST_F(StreamWindowTest, NotMoreChunksThanTheWindowAreReadAhead) {
  constexpr std::int64_t kWindow = 8;  // as docs/operations.md tells it
  std::promise<void> release = Hold();
  std::thread sender([this] { SendAll(); });
  ExpectJobs(1 + kWindow);
  ExpectAllIsAnswered(&release, &sender);
}

TEST_F(StreamWindowTest, AStreamCancelledInFullFlightLeavesNothing) {
  std::promise<void> release = Hold();
  std::thread sender([this] { SendAll(); });
  Await([&] { return services_.scheduler().jobs() >= 5; });
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
  ExpectNothingIsLeft();
  // What was read was not computed, but for what the server began before it
  // noticed; and no more was read.
  EXPECT_LT(services_.scheduler().chunks_started(), kChunks / 2);
}

/// Streams whose chunks find no room beside each other.
class NarrowStreamTest : public StreamWindowTest,
                         public ::testing::WithParamInterface<Admission::Load> {
 protected:
  NarrowStreamTest() : StreamWindowTest(GetParam()) {}
};

TEST_P(NarrowStreamTest, ItsChunksWaitForThoseBefore) {
  std::promise<void> release = Hold();
  std::thread sender([this] { SendAll(); });
  ExpectJobs(1 + 1);  // who holds the thread, and a chunk
  ExpectAllIsAnswered(&release, &sender);
  ExpectNothingIsLeft();
}

TEST_P(NarrowStreamTest, OneThatIsCancelledWhileItWaitsLeavesNothing) {
  std::promise<void> release = Hold();
  std::thread sender([this] { SendAll(); });
  ExpectJobs(1 + 1);
  context_.TryCancel();
  sender.join();
  EXPECT_EQ(stream_->Finish().error_code(), grpc::StatusCode::CANCELLED);
  release.set_value();
  ExpectNothingIsLeft();
}

TEST_P(NarrowStreamTest, ADrainDoesNotLeaveOneWaiting) {
  std::promise<void> release = Hold();
  Start();
  Send(kRows, 3);
  ExpectJobs(1 + 1);
  services_.gate().Close();
  release.set_value();
  const std::uint64_t rows = ReadAll();
  const Failure failure(stream_->Finish());
  EXPECT_EQ(failure.code, grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(failure.info.reason(), "DRAINING");
  EXPECT_EQ(rows, 2u * kRows) << "the one computed, and the one that waited";
  EXPECT_EQ(failure.Metadata("next_row"), std::to_string(rows));
}

// A second chunk is refused for its results, and for its states.
INSTANTIATE_TEST_SUITE_P(Limits, NarrowStreamTest,
                         ::testing::Values(ForChunks(1.9), ForChunks(1.03)),
                         [](const auto& limits) {
                           return limits.index == 0 ? "OfResults" : "OfStates";
                         });

class WideStreamTest : public StreamWindowTest {
 protected:
  WideStreamTest() : StreamWindowTest(ForChunks(4.3)) {}

  /// Of all clients together there is room for so many chunks less.
  struct HeldChunks : Reservation {
    HeldChunks(LiveServices& services, double chunks)
        : Reservation(services.admission()) {
      EXPECT_FALSE(Grow(ForChunks(chunks / 2).bytes));
    }
  };
};

TEST_F(WideStreamTest, WhatItReadsAheadLeavesOthersHalfOfTheRoom) {
  std::promise<void> release = Hold();
  std::thread sender([this] { SendAll(); });
  ExpectJobs(1 + 4);
  {
    const HeldChunks others(services_, 4);
  }
  ExpectAllIsAnswered(&release, &sender);
}

TEST_F(WideStreamTest, AChunkIsRefusedOnceOnlyOthersAreInItsWay) {
  std::promise<void> release = Hold();
  Start();
  Send(kRows);
  Await([&] { return services_.scheduler().jobs() >= 1 + 1; });
  const HeldChunks others(services_, 6.4);
  // More than there is room for, with and without the first chunk.
  Send(kRows * 5 / 2);
  stream_->WritesDone();
  ExpectJobs(1 + 1);
  release.set_value();
  EXPECT_EQ(ReadAll(), std::uint64_t{kRows}) << "the first is answered";
  const Failure failure(stream_->Finish());
  EXPECT_EQ(failure.code, grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(failure.info.reason(), "OVERLOADED");
  EXPECT_EQ(failure.Metadata("chunk"), "1");
  EXPECT_EQ(failure.Metadata("next_row"), std::to_string(kRows));
}

TEST_F(WideStreamTest, AChunkThatOthersMakeWaitIsAdmittedBehindItsOwn) {
  std::promise<void> release = Hold();
  Start();
  Send(kRows);
  Await([&] { return services_.scheduler().jobs() >= 1 + 1; });
  const HeldChunks others(services_, 6.4);
  Send(2 * kRows);
  stream_->WritesDone();
  ExpectJobs(1 + 1);
  release.set_value();
  EXPECT_EQ(ReadAll(), 3u * kRows);
  EXPECT_TRUE(stream_->Finish().ok());
}

TEST_F(WideStreamTest, AChunkThatNeverFitsIsRefusedAsTooLarge) {
  std::promise<void> release = Hold();
  Start();
  Send(kRows);
  Send(8 * kRows + 1);
  stream_->WritesDone();
  release.set_value();
  EXPECT_EQ(ReadAll(), std::uint64_t{kRows});
  const Failure failure(stream_->Finish());
  EXPECT_EQ(failure.info.reason(), "REQUEST_TOO_LARGE");
  EXPECT_EQ(failure.Metadata("chunk"), "1");
}

}  // namespace
}  // namespace torqued::server
