#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>
#include <vector>

#include "client/cpp/client.h"
#include "tests/client/fake_server.h"
#include "tests/support/await.h"

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr v1::Quantity kTorque = v1::QUANTITY_INVERSE_DYNAMICS;
const States kState{.q = Batch::Constant(1, 2, 0.25)};
const Batch kLarge = Batch::Random(200'000, 3);

grpc::StatusCode CodeOf(PendingEvaluation& pending) {
  return ErrorOf([&pending] { pending.Get(); }).code();
}

auto HangAll(std::atomic<int>* calls) {
  return [calls](auto& context, const auto&, auto&) {
    ++*calls;
    return Hang(context);
  };
}

class ComputeAsync : public ::testing::Test {
 protected:
  Client Connect() { return Client::Connect(server.address(), connect); }

  FakeServer server;
  ConnectOptions connect;
  std::atomic<int> calls = 0;
};

void WaitUntil(const std::function<bool()>& condition) {
  const auto end = SteadyClock::now() + seconds(20);
  while (!condition()) {
    ASSERT_LT(SteadyClock::now(), end);
    std::this_thread::sleep_for(milliseconds(2));
  }
}

TEST_F(ComputeAsync, HasItsCallsInFlightAtOnce) {
  constexpr int kCalls = 100;
  std::latch all(kCalls);
  server.compute = [&all](auto& context, const auto& request, auto& reply) {
    all.count_down();
    while (!all.try_wait()) {
      if (context.IsCancelled()) return grpc::Status::CANCELLED;
      std::this_thread::sleep_for(milliseconds(2));
    }
    return AnswerWithQ(context, request, reply);
  };
  const Client client = Connect();
  std::vector<PendingEvaluation> pending;
  pending.reserve(kCalls);
  for (int k = 0; k < kCalls; ++k) {
    pending.push_back(
        client.ComputeAsync("arm", {kTorque}, {.q = Batch::Constant(2, 3, k)}));
  }
  for (int k = 0; k < kCalls; ++k) {
    EXPECT_EQ(pending[static_cast<std::size_t>(k)].Get().tau,
              Batch::Constant(2, 3, k));
  }
}

TEST_F(ComputeAsync, GivesItsResultOnce) {
  server.compute = AnswerWithQ;
  const Client client = Connect();
  PendingEvaluation pending = client.ComputeAsync("arm", {kTorque}, kState);
  EXPECT_TRUE(pending.valid());
  ASSERT_TRUE(pending.WaitFor(seconds(20)));
  EXPECT_TRUE(pending.Done());
  EXPECT_EQ(pending.Get().tau, kState.q);
  EXPECT_FALSE(pending.valid());
  EXPECT_THROW(pending.Get(), std::future_error);
}

TEST_F(ComputeAsync, AFunctionMayBeginTheNextCall) {
  server.compute = AnswerWithQ;
  const Client client = Connect();
  std::promise<int> done;
  EvaluationDone next = [&](PendingEvaluation pending) {
    pending.Get();
    if (++calls == 50) {
      done.set_value(calls);
    } else {
      client.ComputeAsync("arm", {kTorque}, kState, {}, next);
    }
  };
  client.ComputeAsync("arm", {kTorque}, kState, {}, next);
  EXPECT_EQ(Await(done.get_future()), 50);
}

TEST_F(ComputeAsync, TriesAgainAsACallThatWaitsDoes) {
  server.compute = [this](auto& context, const auto& request, auto& reply) {
    if (++calls == 1) {
      return Failure(grpc::StatusCode::RESOURCE_EXHAUSTED, "OVERLOADED",
                     milliseconds(300));
    }
    if (calls == 2) return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
    return AnswerWithQ(context, request, reply);
  };
  std::vector<v1::Reason> told;
  connect.waiting = [&told](const Error& error, std::chrono::nanoseconds) {
    told.push_back(error.reason());
  };
  const Client client = Connect();
  const auto start = SteadyClock::now();
  EXPECT_EQ(client.ComputeAsync("arm", {kTorque}, kState).Get().tau, kState.q);
  EXPECT_GE(SteadyClock::now() - start, milliseconds(300));
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(told, ::testing::ElementsAre(v1::OVERLOADED, v1::DRAINING));
}

TEST_F(ComputeAsync, AFunctionOfTheOptionsMayThrow) {
  server.compute = AnswerWithQ;
  const Client client = Connect();
  ComputeOptions options;
  options.progress = [](std::int64_t, std::int64_t) {
    throw std::length_error("enough");
  };
  EXPECT_THROW(
      client.ComputeAsync("arm", {kTorque}, {.q = kLarge}, options).Get(),
      std::length_error);
}

TEST_F(ComputeAsync, EndsAtItsDeadlineAsACallThatWaitsDoes) {
  server.compute = HangAll(&calls);
  const Client client = Connect();
  ComputeOptions options;
  options.deadline = milliseconds(200);
  const auto start = SteadyClock::now();
  PendingEvaluation one =
      client.ComputeAsync("arm", {kTorque}, kState, options);
  PendingEvaluation many =
      client.ComputeAsync("arm", {kTorque}, {.q = kLarge}, options);
  EXPECT_EQ(CodeOf(one), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(CodeOf(many), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(
      ErrorOf([&] { client.InverseDynamics("arm", kState, options); }).code(),
      grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_LT(SteadyClock::now() - start, seconds(20));
}

TEST_F(ComputeAsync, IsCancelledWhereverItIs) {
  server.compute = [this](auto& context, const auto& request, auto& reply) {
    // The first calls of the large batch are answered.
    const bool large = request.q().f64().size() > 1000;
    if (++calls < 10 && large) return AnswerWithQ(context, request, reply);
    return Hang(context);
  };
  connect.chunk_rows = 1000;
  const Client client = Connect();
  PendingEvaluation many = client.ComputeAsync("arm", {kTorque}, {.q = kLarge});
  WaitUntil([&] { return calls >= 12; });
  PendingEvaluation one = client.ComputeAsync("arm", {kTorque}, kState);
  std::promise<grpc::StatusCode> told;
  const Cancellation cancellation = client.ComputeAsync(
      "arm", {kTorque}, kState, {},
      [&told](PendingEvaluation done) { told.set_value(CodeOf(done)); });
  one.Cancel();
  many.Cancel();
  cancellation.Cancel();
  EXPECT_EQ(CodeOf(one), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(CodeOf(many), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(Await(told.get_future()), grpc::StatusCode::CANCELLED);
  cancellation.Cancel();  // Nothing is left to cancel.
}

TEST_F(ComputeAsync, IsCancelledWhileItWaitsForAnotherTry) {
  server.compute = [](auto&, const auto&, auto&) {
    // Longer than anything here waits.
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING",
                   std::chrono::minutes(10));
  };
  std::atomic<bool> waits = false;
  connect.waiting = [&waits](const Error&, std::chrono::nanoseconds) {
    waits = true;
  };
  const Client client = Connect();
  PendingEvaluation pending = client.ComputeAsync(
      "arm", {kTorque}, kState, {.deadline = std::chrono::hours(1)});
  WaitUntil([&] { return waits.load(); });
  EXPECT_FALSE(pending.WaitFor(milliseconds(20)));
  pending.Cancel();
  ASSERT_TRUE(pending.WaitFor(seconds(20)));
  EXPECT_EQ(CodeOf(pending), grpc::StatusCode::CANCELLED);
}

TEST_F(ComputeAsync, AHandleThatGoesAwayCancels) {
  std::atomic<int> ended = 0;
  server.compute = [&](auto& context, const auto&, auto&) {
    ++calls;
    grpc::Status status = Hang(context);
    ++ended;
    return status;
  };
  const Client client = Connect();
  {
    PendingEvaluation first = client.ComputeAsync("arm", {kTorque}, kState);
    PendingEvaluation second = client.ComputeAsync("arm", {kTorque}, kState);
    WaitUntil([&] { return calls == 2; });
    first = std::move(second);
    WaitUntil([&] { return ended == 1; });
  }
  WaitUntil([&] { return ended == 2; });
}

TEST_F(ComputeAsync, TheClientMayGoAwayWithCallsInFlight) {
  server.compute = HangAll(&calls);
  std::vector<PendingEvaluation> pending;
  std::atomic<int> told = 0;
  {
    const Client client = Connect();
    for (int k = 0; k < 20; ++k) {
      pending.push_back(client.ComputeAsync("arm", {kTorque}, kState));
      pending.push_back(client.ComputeAsync("arm", {kTorque}, {.q = kLarge}));
      client.ComputeAsync(
          "arm", {kTorque}, kState, {}, [&told](PendingEvaluation done) {
            EXPECT_EQ(CodeOf(done), grpc::StatusCode::CANCELLED);
            ++told;
          });
    }
    WaitUntil([&] { return calls > 0; });
  }
  EXPECT_EQ(told, 20) << "after the client";
  for (PendingEvaluation& one : pending) {
    EXPECT_TRUE(one.Done());
    EXPECT_EQ(CodeOf(one), grpc::StatusCode::CANCELLED);
  }
}

TEST_F(ComputeAsync, AServerThatGoesAwayIsWaitedForUntilItIsBack) {
  auto first = std::make_unique<FakeServer>();
  first->compute = HangAll(&calls);
  const int port = first->port();
  const Client client = Client::Connect(first->address());
  PendingEvaluation pending = client.ComputeAsync("arm", {kTorque}, kState);
  WaitUntil([&] { return calls == 1; });
  first.reset();
  EXPECT_FALSE(pending.WaitFor(milliseconds(100)));
  FakeServer next(port);
  next.compute = AnswerWithQ;
  EXPECT_EQ(pending.Get().tau, kState.q);
}

}  // namespace
}  // namespace torqued::client
