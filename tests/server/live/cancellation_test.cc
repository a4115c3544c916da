// What is still computed once nobody waits for it, counted in chunks.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/server/live/live_services.h"
#include "tests/support/await.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::MakeRandomRobot;

constexpr int kDof = 6;
constexpr int kChunkRows = 64;
constexpr int kChunks = 100;  // of the engine, in each message

void SetRows(int rows, v1::Array* q) {
  q->set_columns(kDof);
  q->mutable_f64()->resize(static_cast<std::size_t>(rows) * kDof * 8);
}

/// A client's call of much work.
class Work {
 public:
  virtual ~Work() = default;
  /// Jobs that it becomes.
  virtual std::int64_t jobs() const = 0;
  virtual void Begin() = 0;
  /// Waits for the end.
  virtual grpc::Status Finish() = 0;

  grpc::ClientContext context;
};

class UnaryWork final : public Work {
 public:
  explicit UnaryWork(v1::Dynamics::Stub& stub) : stub_(stub) {
    request_.set_model("arm");
    SetRows(kChunks * kChunkRows, request_.mutable_q());
  }
  std::int64_t jobs() const override { return 1; }
  void Begin() override {
    stub_.async()->MassMatrix(
        &context, &request_, &reply_,
        [this](const grpc::Status& status) { done_.set_value(status); });
  }
  grpc::Status Finish() override { return Await(done_.get_future()); }

 private:
  v1::Dynamics::Stub& stub_;
  v1::MassMatrixRequest request_;
  v1::MassMatrixReply reply_;
  std::promise<grpc::Status> done_;
};

class StreamWork final : public Work {
 public:
  explicit StreamWork(v1::Dynamics::Stub& stub) : stub_(stub) {}
  std::int64_t jobs() const override { return 3; }
  void Begin() override {
    stream_ = stub_.Evaluate(&context);
    v1::EvaluateRequest message;
    message.mutable_start()->set_model("arm");
    message.mutable_start()->add_quantities(v1::QUANTITY_MASS_MATRIX);
    stream_->Write(message);
    SetRows(kChunks * kChunkRows, message.mutable_chunk()->mutable_q());
    message.clear_start();
    for (std::int64_t k = 0; k < jobs(); ++k) stream_->Write(message);
  }
  grpc::Status Finish() override { return stream_->Finish(); }

 private:
  v1::Dynamics::Stub& stub_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::EvaluateRequest, v1::EvaluateReply>>
      stream_;
};

enum class Shape : std::uint8_t { kUnary, kStream };

class CancellationTest : public ::testing::TestWithParam<Shape> {
 protected:
  CancellationTest() {
    services_.Register("arm", MakeRandomRobot(1, {.dof = kDof}).urdf);
    Hold();
  }
  ~CancellationTest() override { release_.set_value(); }

  std::unique_ptr<Work> NewWork() {
    if (GetParam() == Shape::kUnary) return std::make_unique<UnaryWork>(*stub_);
    return std::make_unique<StreamWork>(*stub_);
  }

  /// Begins it, and computes one chunk of it.
  void BeginToCompute(Work& work) {
    work.Begin();
    Await([&] { return JobsOfWork() >= work.jobs(); });
    TakeOneTurn();
  }

  /// How many more chunks of the work are computed, one in each turn.
  std::int64_t ChunksToTheEnd() {
    const std::int64_t before = services_.scheduler().chunks_started();
    std::int64_t turns = 0;
    for (; JobsOfWork() > 0; ++turns) {
      LetTheServerKnow();
      TakeOneTurn();
    }
    return services_.scheduler().chunks_started() - before - turns;
  }

 private:
  /// Occupies the only thread, from its turn on until it is released.
  std::future<void> Hold() {
    release_ = std::promise<void>();
    auto held = std::make_shared<std::promise<void>>();
    auto begun = held->get_future();
    services_.scheduler().Submit(
        [held, released = release_.get_future().share()] {
          held->set_value();
          released.wait();
        });
    return begun;
  }

  void TakeOneTurn() {
    std::promise<void> release = std::move(release_);
    std::future<void> next = Hold();
    release.set_value();
    Await(next);
  }

  /// Besides what holds the thread.
  std::int64_t JobsOfWork() { return services_.scheduler().jobs() - 1; }

  /// The client knows of the end before the server does. Calls on the same
  /// connection arrive after the cancellation.
  void LetTheServerKnow() {
    for (int k = 0; k < 50; ++k) {
      v1::MassMatrixRequest request;
      request.set_model("arm");
      SetRows(1, request.mutable_q());
      v1::MassMatrixReply reply;
      grpc::ClientContext context;
      EXPECT_TRUE(stub_->MassMatrix(&context, request, &reply).ok());
    }
  }

  LiveServices services_{{.engine = {.threads = 1, .chunk_rows = kChunkRows}}};
  std::unique_ptr<v1::Dynamics::Stub> stub_ = services_.Connect();
  std::promise<void> release_;
};

/// Of chunks that start before the server knows, one or two turns at most.
std::int64_t Unnoticed(const Work& work) { return 2 * work.jobs(); }

TEST_P(CancellationTest, WhatTheClientCancelsComputesNoFurtherChunk) {
  const auto work = NewWork();
  BeginToCompute(*work);
  work->context.TryCancel();
  EXPECT_EQ(work->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_LE(ChunksToTheEnd(), Unnoticed(*work));
}

TEST_P(CancellationTest, WhatIsPastItsDeadlineComputesNoFurtherChunk) {
  const auto work = NewWork();
  work->context.set_deadline(std::chrono::system_clock::now() +
                             std::chrono::seconds(2));
  BeginToCompute(*work);
  EXPECT_EQ(work->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_LE(ChunksToTheEnd(), Unnoticed(*work));
}

TEST_P(CancellationTest, WhatIsWaitedForComputesAllOfThem) {
  const auto work = NewWork();
  BeginToCompute(*work);
  EXPECT_EQ(ChunksToTheEnd(), work->jobs() * kChunks - 1);
  work->context.TryCancel();
  work->Finish();
}

INSTANTIATE_TEST_SUITE_P(Shapes, CancellationTest,
                         ::testing::Values(Shape::kUnary, Shape::kStream),
                         [](const auto& shape) {
                           return shape.param == Shape::kUnary ? "Unary"
                                                               : "Stream";
                         });

}  // namespace
}  // namespace torqued::server
