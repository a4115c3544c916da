// What a message takes is admitted before it is parsed, and what a stream keeps
// for the next one is admitted, too.
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "tests/server/live/live_services.h"
#include "tests/server/robots.h"
#include "tests/support/await.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

/// A text in field 1 that is not UTF-8, which only protobuf's parser notices.
const std::string kNoText = "\x0A\x02\xC3\x28";
/// A start whose model is such a text.
const std::string kNoStart = "\x0A\x04" + kNoText;

/// Whether the condition holds soon.
template <class Condition>
bool Becomes(const Condition& condition) {
  const auto give_up =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Whether nothing of it is held soon, be it as little as a share.
bool BecomesFree(const Admission& admission) {
  return Becomes([&] { return admission.held() == Admission::Load(); });
}

class AdmissionOrderTest : public ::testing::TestWithParam<const char*> {
 protected:
  grpc::StatusCode Ask(const std::string& method, const std::string& bytes) {
    const grpc::Slice slice(bytes);
    grpc::ByteBuffer asked(&slice, 1);
    grpc::ByteBuffer answer;
    grpc::ClientContext context;
    std::promise<grpc::Status> ended;
    stub_.UnaryCall(
        &context, method, {}, &asked, &answer,
        [&](const grpc::Status& status) { ended.set_value(status); });
    return Await(ended.get_future()).error_code();
  }

  LiveServices services_{{.engine = {.threads = 1}}};
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub_{
      services_.Channel()};
};

TEST_P(AdmissionOrderTest, AMessageIsAdmittedBeforeItIsParsed) {
  const std::string method = std::string("/torqued.v1.") + GetParam();
  const std::string& bytes = method.ends_with("Evaluate") ? kNoStart : kNoText;
  {
    Reservation all(services_.admission());
    ASSERT_FALSE(all.Grow(services_.admission().limit().bytes));
    EXPECT_EQ(Ask(method, bytes), grpc::StatusCode::RESOURCE_EXHAUSTED);
  }
  EXPECT_EQ(Ask(method, bytes), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(BecomesFree(services_.admission()));
}

INSTANTIATE_TEST_SUITE_P(
    Methods, AdmissionOrderTest,
    ::testing::Values("Dynamics/Compute", "Dynamics/MassMatrix",
                      "Dynamics/Evaluate", "ModelRegistry/RegisterModel",
                      "ModelRegistry/GetModel", "ModelRegistry/DeleteModel"),
    [](const auto& test) {
      const std::string method = test.param;
      return method.substr(method.find('/') + 1);
    });

class IdleStreamTest : public ::testing::Test {
 protected:
  struct Stream {
    explicit Stream(v1::Dynamics::Stub& stub) : call(stub.Evaluate(&context)) {}
    grpc::ClientContext context;
    std::unique_ptr<
        grpc::ClientReaderWriter<v1::EvaluateRequest, v1::EvaluateReply>>
        call;
  };

  IdleStreamTest() { services_.Register("three", kThreeJoints); }

  /// One that has answered a chunk of half a megabyte and waits.
  std::unique_ptr<Stream> Idle() {
    auto stream = std::make_unique<Stream>(*dynamics_);
    v1::EvaluateRequest start;
    start.mutable_start()->set_model("three");
    start.mutable_start()->add_quantities(v1::QUANTITY_GRAVITY_FORCES);
    stream->call->Write(start);
    Answer(*stream);
    return stream;
  }
  static void Answer(Stream& stream) {
    constexpr std::size_t kRows = 10'000;
    v1::EvaluateRequest message;
    message.mutable_chunk()->mutable_q()->set_columns(3);
    message.mutable_chunk()->mutable_q()->mutable_f64()->resize(kRows * 3 * 8);
    stream.call->Write(message);
    v1::EvaluateReply reply;
    ASSERT_TRUE(stream.call->Read(&reply));
    EXPECT_EQ(reply.rows(), kRows);
  }

  LiveServices services_{
      {.engine = {.threads = 1}, .inflight = {8 << 20, 100}}};
  std::unique_ptr<v1::Dynamics::Stub> dynamics_ = services_.Connect();
};

TEST_F(IdleStreamTest, WhatStreamsKeepForTheirNextChunksIsAdmitted) {
  std::vector<std::unique_ptr<Stream>> streams;
  streams.resize(12);
  for (auto& stream : streams) stream = Idle();
  // Of one the states and the results.
  constexpr std::int64_t kKept = 2 * 10'000 * 3 * 8;
  EXPECT_TRUE(Becomes([&] { return services_.admission().bytes() >= kKept; }));
  // Who keeps nothing goes on all the same.
  for (int k = 0; k < 3; ++k) {
    for (const auto& stream : streams) Answer(*stream);
  }
  for (const auto& stream : streams) {
    stream->call->WritesDone();
    EXPECT_TRUE(stream->call->Finish().ok());
  }
  EXPECT_TRUE(BecomesFree(services_.admission()));
}

}  // namespace
}  // namespace torqued::server
