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
  try {
    pending.Get();
  } catch (const Error& error) {
    return error.code();
  }
  return grpc::StatusCode::OK;
}

auto HangAll(std::atomic<int>* calls) {
  return [calls](auto& context, const auto&, auto&) {
    ++*calls;
    return Hang(context);
  };
}

void WaitUntil(const std::function<bool()>& condition) {
  const auto end = SteadyClock::now() + seconds(20);
  while (!condition()) {
    ASSERT_LT(SteadyClock::now(), end);
    std::this_thread::sleep_for(milliseconds(2));
  }
}

TEST(ComputeAsync, HasItsCallsInFlightAtOnce) {
  FakeServer server;
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
  const Client client = Client::Connect(server.address());
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

TEST(ComputeAsync, GivesItsResultOnce) {
  FakeServer server;
  server.compute = AnswerWithQ;
  const Client client = Client::Connect(server.address());
  PendingEvaluation pending = client.ComputeAsync("arm", {kTorque}, kState);
  EXPECT_TRUE(pending.valid());
  ASSERT_TRUE(pending.WaitFor(seconds(20)));
  EXPECT_TRUE(pending.Done());
  EXPECT_EQ(pending.Get().tau, kState.q);
  EXPECT_FALSE(pending.valid());
  EXPECT_EQ(CodeOf(pending), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THROW(PendingEvaluation().Wait(), Error);
}

TEST(ComputeAsync, AFunctionMayBeginTheNextCall) {
  FakeServer server;
  server.compute = AnswerWithQ;
  const Client client = Client::Connect(server.address());
  std::promise<int> done;
  int calls = 0;
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

TEST(ComputeAsync, TriesAgainAsACallThatWaitsDoes) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = [&calls](auto& context, const auto& request, auto& reply) {
    if (++calls == 1) {
      return Failure(grpc::StatusCode::RESOURCE_EXHAUSTED, "OVERLOADED",
                     milliseconds(300));
    }
    if (calls == 2) return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
    return AnswerWithQ(context, request, reply);
  };
  ConnectOptions options;
  std::vector<v1::Reason> told;
  options.waiting = [&told](const Error& error, std::chrono::nanoseconds) {
    told.push_back(error.reason());
  };
  const Client client = Client::Connect(server.address(), options);
  const auto start = SteadyClock::now();
  EXPECT_EQ(client.ComputeAsync("arm", {kTorque}, kState).Get().tau, kState.q);
  EXPECT_GE(SteadyClock::now() - start, milliseconds(300));
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(told, ::testing::ElementsAre(v1::OVERLOADED, v1::DRAINING));
}

TEST(ComputeAsync, AFunctionOfTheOptionsMayThrow) {
  FakeServer server;
  server.compute = AnswerWithQ;
  const Client client = Client::Connect(server.address());
  ComputeOptions options;
  options.progress = [](std::int64_t, std::int64_t) {
    throw std::length_error("enough");
  };
  EXPECT_THROW(
      client.ComputeAsync("arm", {kTorque}, {.q = kLarge}, options).Get(),
      std::length_error);
}

TEST(ComputeAsync, EndsAtItsDeadlineAsACallThatWaitsDoes) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = HangAll(&calls);
  const Client client = Client::Connect(server.address());
  ComputeOptions options;
  options.deadline = milliseconds(200);
  const auto start = SteadyClock::now();
  PendingEvaluation one =
      client.ComputeAsync("arm", {kTorque}, kState, options);
  PendingEvaluation many =
      client.ComputeAsync("arm", {kTorque}, {.q = kLarge}, options);
  EXPECT_EQ(CodeOf(one), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(CodeOf(many), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT([&] { client.InverseDynamics("arm", kState, options); },
              ::testing::Throws<Error>(::testing::Property(
                  &Error::code, grpc::StatusCode::DEADLINE_EXCEEDED)));
  EXPECT_LT(SteadyClock::now() - start, seconds(20));
}

TEST(ComputeAsync, IsCancelledWhereverItIs) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = [&calls](auto& context, const auto& request, auto& reply) {
    // The first calls of the large batch are answered.
    const bool large = request.q().f64().size() > 1000;
    if (++calls < 10 && large) return AnswerWithQ(context, request, reply);
    return Hang(context);
  };
  const Client client = Client::Connect(server.address(), {.chunk_rows = 1000});
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

TEST(ComputeAsync, IsCancelledWhileItWaitsForAnotherTry) {
  FakeServer server;
  server.compute = [](auto&, const auto&, auto&) {
    // Longer than anything here waits.
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING",
                   std::chrono::minutes(10));
  };
  ConnectOptions options;
  std::atomic<bool> waits = false;
  options.waiting = [&waits](const Error&, std::chrono::nanoseconds) {
    waits = true;
  };
  const Client client = Client::Connect(server.address(), options);
  PendingEvaluation pending = client.ComputeAsync(
      "arm", {kTorque}, kState, {.deadline = std::chrono::hours(1)});
  WaitUntil([&] { return waits.load(); });
  EXPECT_FALSE(pending.WaitFor(milliseconds(20)));
  pending.Cancel();
  ASSERT_TRUE(pending.WaitFor(seconds(20)));
  EXPECT_EQ(CodeOf(pending), grpc::StatusCode::CANCELLED);
}

TEST(ComputeAsync, AHandleThatGoesAwayCancels) {
  FakeServer server;
  std::atomic<int> calls = 0, ended = 0;
  server.compute = [&](auto& context, const auto&, auto&) {
    ++calls;
    grpc::Status status = Hang(context);
    ++ended;
    return status;
  };
  const Client client = Client::Connect(server.address());
  {
    PendingEvaluation first = client.ComputeAsync("arm", {kTorque}, kState);
    PendingEvaluation second = client.ComputeAsync("arm", {kTorque}, kState);
    WaitUntil([&] { return calls == 2; });
    first = std::move(second);
    WaitUntil([&] { return ended == 1; });
  }
  WaitUntil([&] { return ended == 2; });
}

TEST(ComputeAsync, TheClientMayGoAwayWithCallsInFlight) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = HangAll(&calls);
  std::vector<PendingEvaluation> pending;
  std::atomic<int> told = 0;
  {
    const Client client = Client::Connect(server.address());
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

TEST(ComputeAsync, AServerThatGoesAwayIsWaitedForUntilItIsBack) {
  auto server = std::make_unique<FakeServer>();
  std::atomic<int> calls = 0;
  server->compute = HangAll(&calls);
  const int port = server->port();
  const Client client = Client::Connect(server->address());
  PendingEvaluation pending = client.ComputeAsync("arm", {kTorque}, kState);
  WaitUntil([&] { return calls == 1; });
  server.reset();
  EXPECT_FALSE(pending.WaitFor(milliseconds(100)));
  FakeServer next(port);
  next.compute = AnswerWithQ;
  EXPECT_EQ(pending.Get().tau, kState.q);
}

}  // namespace
}  // namespace torqued::client
