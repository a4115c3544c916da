#include "client/cpp/client.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/client/fake_server.h"
#include "tests/support/await.h"

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const States kState{.q = Batch::Constant(1, 2, 0.25)};

TEST(Client, SendsItsTokenWithEachCallAndEachRetry) {
  FakeServer server;
  std::atomic<int> known = 0, calls = 0;
  const auto look = [&known](const grpc::ServerContext& context) {
    const auto range = context.client_metadata().equal_range("authorization");
    known += std::distance(range.first, range.second) == 1 &&
             range.first->second == "Bearer tqd_1";
  };
  server.compute = [&](auto& context, const auto& request, auto& reply) {
    look(context);
    return ++calls == 1 ? Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING")
                        : AnswerWithQ(context, request, reply);
  };
  ConnectOptions options;
  options.token = "tqd_1";
  options.chunk_rows = 1000;
  const Client client = Client::Connect(server.address(), options);
  client.InverseDynamics("arm", kState);
  EXPECT_EQ(known, 2);
  client.ComputeAsync("arm", {v1::QUANTITY_INVERSE_DYNAMICS}, kState).Get();
  EXPECT_EQ(known, 3);
  // Also with each of many, whose requests have their own rows.
  const Batch q = Batch::Random(5000, 3);
  EXPECT_EQ(client.InverseDynamics("arm", {.q = q}).tau, q);
  EXPECT_EQ(known, 8);
}

TEST(Client, TellsThatWhatAnswersIsNoTorqued) {
  v1::Dynamics::Service another;  // and no ServerInfo
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&another);
  const auto server = builder.BuildAndStart();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  ConnectOptions options;
  options.wait_for_server = std::chrono::seconds(20);
  const Error error = ErrorOf([&] { Client::Connect(address, options); });
  EXPECT_EQ(error.code(), grpc::StatusCode::UNIMPLEMENTED);
  // gRPC in C++ has no sentence of its own.
  EXPECT_EQ(error.what(),
            "no torqued server answers at " + address + ": UNIMPLEMENTED");
  server->Shutdown(std::chrono::system_clock::now());
}

TEST(Client, ConnectsToAServerThatRefusesTheFirstCall) {
  FakeServer server;
  server.get_server_info = [](auto&, const auto&, auto&) {
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
  };
  EXPECT_EQ(Client::Connect(server.address()).address(), server.address());
}

TEST(Client, DoesNotRetryWhenToldNotTo) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = [&calls](auto&, const auto&, auto&) {
    ++calls;
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
  };
  ConnectOptions options;
  options.retry = false;
  const Client client = Client::Connect(server.address(), options);
  const Error error = ErrorOf([&] { client.InverseDynamics("arm", kState); });
  EXPECT_EQ(error.reason(), v1::DRAINING);
  EXPECT_STREQ(error.what(), "a sentence");
  EXPECT_EQ(calls, 1);
}

TEST(Client, RepeatsARegistrationOnlyWhereNothingWasDone) {
  FakeServer server;
  std::atomic<int> calls = 0;
  std::string reason = "STORE_UNAVAILABLE";
  server.register_model = [&](auto&, const auto&, auto&) {
    if (++calls == 3) return grpc::Status::OK;
    return Failure(grpc::StatusCode::UNAVAILABLE, reason);
  };
  const Client client = Client::Connect(server.address());
  EXPECT_THROW(client.RegisterModel({}), Error);
  EXPECT_EQ(calls, 1);
  calls = 0;
  reason = "DRAINING";
  EXPECT_NO_THROW(client.RegisterModel({}));
  EXPECT_EQ(calls, 3);
}

TEST(Client, RepeatsARegistrationOnTheServerThatComesNext) {
  auto server = std::make_unique<FakeServer>();
  const int port = server->port();
  server->register_model = [](auto&, const auto&, auto&) {
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
  };
  std::promise<void> found_nobody;
  ConnectOptions options;
  options.waiting = [&, failures = 0](const Error&,
                                      std::chrono::nanoseconds) mutable {
    if (++failures == 1) server.reset();
    if (failures == 2) found_nobody.set_value();
  };
  const Client client = Client::Connect(server->address(), options);
  auto registered =
      std::async(std::launch::async, [&] { return client.RegisterModel({}); });
  Await(found_nobody.get_future());
  FakeServer next(port);
  next.register_model = [](auto&, const auto&, auto& reply) {
    reply.mutable_model()->set_name("arm");
    return grpc::Status::OK;
  };
  EXPECT_EQ(Await(registered).model().name(), "arm");
}

TEST(Client, RepeatsARegistrationOnlyWhereAServerAnswers) {
  // While a server shuts down gRPC cancels what comes: once a registration has
  // been sent there, nobody knows whether it took place.
  enum class Server : std::uint8_t { kDrains, kEnds, kServes };
  std::atomic<Server> state = Server::kDrains;
  std::atomic<int> registrations = 0;
  FakeServer server;
  server.register_model = [&](auto&, const auto&, auto& reply) {
    ++registrations;
    if (state == Server::kDrains) {
      state = Server::kEnds;
      return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
    }
    if (state == Server::kEnds) return grpc::Status::CANCELLED;
    reply.mutable_model()->set_name("arm");
    return grpc::Status::OK;
  };
  server.get_server_info = [&](auto&, const auto&, auto&) {
    // Whoever connects asks, too.
    Server before = Server::kEnds;
    return state.compare_exchange_strong(before, Server::kServes)
               ? grpc::Status::CANCELLED
               : grpc::Status::OK;
  };
  const Client client = Client::Connect(server.address());
  EXPECT_EQ(client.RegisterModel({}).model().name(), "arm");
  EXPECT_EQ(registrations, 2);
}

TEST(Client, NeverEndsACallWithoutADeadline) {
  FakeServer server;
  server.compute = [](auto& context, const auto& request, auto& reply) {
    EXPECT_GT(context.deadline(),
              std::chrono::system_clock::now() + std::chrono::years(100));
    return AnswerWithQ(context, request, reply);
  };
  const Client client =
      Client::Connect(server.address(), {.deadline = milliseconds::max()});
  EXPECT_EQ(client.InverseDynamics("arm", kState).tau, kState.q);
}

TEST(Client, SendsWhatIsSmallInOneMessageWhereMessagesHaveNoLimit) {
  FakeServer server;
  server.compute = AnswerWithQ;
  int messages = 0;
  server.check_trajectory = [&messages](grpc::ServerContext&, auto& stream) {
    v1::CheckTrajectoryRequest request;
    while (stream.Read(&request)) ++messages;
    return grpc::Status::CANCELLED;
  };
  ConnectOptions options;
  options.max_message_bytes = -1;
  options.retry = false;
  const Client client = Client::Connect(server.address(), options);
  const Batch q = Batch::Random(100, 3);
  EXPECT_EQ(client.InverseDynamics("arm", {.q = q}).tau, q);
  EXPECT_THROW(
      client.CheckTrajectory({}, {.time = std::vector<double>(100), .q = q}),
      Error);
  EXPECT_EQ(messages, 2) << "the start and all samples";
}

TEST(Client, WaitsForAServerThatStartsLater) {
  int port = 0;
  {
    const FakeServer gone;
    port = gone.port();
  }
  std::unique_ptr<FakeServer> server;
  std::jthread starter([&server, port] {
    std::this_thread::sleep_for(milliseconds(300));
    server = std::make_unique<FakeServer>(port);
  });
  ConnectOptions options;
  options.wait_for_server = seconds(20);
  EXPECT_NO_THROW(
      Client::Connect("127.0.0.1:" + std::to_string(port), options));
}

TEST(Client, KnowsThatAServerOffersNoHealthService) {
  const FakeServer server;
  EXPECT_EQ(Client::Connect(server.address()).CheckHealth(), Health::kUnknown);
}

TEST(Client, ListsTheModelsOfAllPages) {
  FakeServer server;
  server.list_models = [](auto&, const auto& request, auto& reply) {
    const int page =
        request.page_token().empty() ? 0 : std::stoi(request.page_token());
    reply.add_models()->set_name("model" + std::to_string(page));
    if (page < 2) reply.set_next_page_token(std::to_string(page + 1));
    return grpc::Status::OK;
  };
  const auto models = Client::Connect(server.address()).ListModels();
  ASSERT_EQ(models.size(), 3u);
  EXPECT_EQ(models[2].name(), "model2");
}

}  // namespace
}  // namespace torqued::client
