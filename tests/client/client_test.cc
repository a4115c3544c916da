#include "client/cpp/client.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/client/fake_replies.h"
#include "tests/client/fake_server.h"
#include "tests/support/await.h"

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

const States kState{.q = Batch::Constant(1, 2, 0.25)};

TEST(Client, SendsStatesAndOptionsAsTheContractHasThem) {
  FakeServer server;
  v1::ComputeRequest seen;
  server.compute = [&seen](grpc::ServerContext&,
                           const v1::ComputeRequest& request,
                           v1::ComputeReply& reply) {
    seen = request;
    v1::Results& results = *reply.mutable_results();
    *results.mutable_lambda() = *results.mutable_eta() = request.q();
    results.add_rank(1);
    results.add_sigma_min(0.5);
    results.add_rule(v1::TASK_RULE_FULL_RANK);
    return AnswerWithQ(request, reply);
  };
  ComputeOptions options;
  v1::Options& asked = options.options;
  asked.add_joint_names("b");
  asked.add_joint_names("a");
  asked.mutable_terms()->set_viscous_friction(true);
  asked.set_tip_frame("flange");
  asked.set_reference_frame(v1::REFERENCE_FRAME_WORLD);
  asked.set_encoding(v1::ENCODING_F32);
  options.tip_wrench_reference_frame = v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED;
  options.operational_space.add_axes(v1::TASK_AXIS_LINEAR_Z);
  options.operational_space.set_sigma_min(true);
  const Client client = Client::Connect(server.address());
  const Evaluation result = client.Compute(
      "arm", {v1::QUANTITY_INVERSE_DYNAMICS, v1::QUANTITY_OPERATIONAL_SPACE},
      {.q = Batch::Constant(1, 2, 0.25),
       .tip_wrench_on_environment = Batch::Constant(1, 6, 4.0),
       .base_twist = Batch::Constant(1, 6, 1.5)},
      options);

  EXPECT_EQ(result.tau, kState.q);
  EXPECT_EQ(seen.model(), "arm");
  EXPECT_THAT(seen.quantities(),
              ::testing::ElementsAre(v1::QUANTITY_INVERSE_DYNAMICS,
                                     v1::QUANTITY_OPERATIONAL_SPACE));
  EXPECT_EQ(seen.q().columns(), 2u);
  EXPECT_EQ(seen.q().f64().size(), 16u);
  EXPECT_FALSE(seen.has_v());
  EXPECT_THAT(seen.options().joint_names(), ::testing::ElementsAre("b", "a"));
  EXPECT_TRUE(seen.options().terms().viscous_friction());
  EXPECT_EQ(seen.options().tip_frame(), "flange");
  EXPECT_EQ(seen.options().reference_frame(), v1::REFERENCE_FRAME_WORLD);
  EXPECT_EQ(seen.options().encoding(), v1::ENCODING_F64);
  EXPECT_EQ(seen.tip_wrench_on_environment().reference_frame(),
            v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED);
  EXPECT_EQ(seen.tip_wrench_on_environment().wrench().columns(), 6u);
  EXPECT_THAT(seen.operational_space().axes(),
              ::testing::ElementsAre(v1::TASK_AXIS_LINEAR_Z));
  EXPECT_TRUE(seen.operational_space().sigma_min());
  EXPECT_THAT(result.sigma_min, ::testing::ElementsAre(0.5));
  EXPECT_EQ(seen.base_twist().columns(), 6u);
  EXPECT_FALSE(seen.has_base_acceleration());
}

TEST(Client, RetriesAComputationOnceTheServerIsBack) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = [&calls](grpc::ServerContext&,
                            const v1::ComputeRequest& request,
                            v1::ComputeReply& reply) {
    if (++calls < 3) {
      return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING", {});
    }
    return AnswerWithQ(request, reply);
  };
  const Client client = Client::Connect(server.address());
  EXPECT_EQ(client.InverseDynamics("arm", kState).tau, kState.q);
  EXPECT_EQ(calls, 3);
}

TEST(Client, SendsItsTokenWithEachCallAndEachRetry) {
  FakeServer server;
  std::atomic<int> known = 0, calls = 0;
  const auto look = [&known](const grpc::ServerContext& context) {
    const auto range = context.client_metadata().equal_range("authorization");
    known += std::distance(range.first, range.second) == 1 &&
             range.first->second == "Bearer tqd_1";
  };
  server.compute = [&](grpc::ServerContext& context,
                       const v1::ComputeRequest& request,
                       v1::ComputeReply& reply) {
    look(context);
    return ++calls == 1 ? Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING", {})
                        : AnswerWithQ(request, reply);
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

TEST(Client, WaitsAsLongAsTheServerAsks) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = [&calls](grpc::ServerContext&,
                            const v1::ComputeRequest& request,
                            v1::ComputeReply& reply) {
    if (++calls == 1) {
      return Failure(grpc::StatusCode::RESOURCE_EXHAUSTED, "OVERLOADED",
                     milliseconds(400));
    }
    return AnswerWithQ(request, reply);
  };
  ConnectOptions options;
  int told = 0;
  options.waiting = [&told](const Error& error,
                            std::chrono::nanoseconds delay) {
    ++told;
    EXPECT_EQ(error.reason(), v1::OVERLOADED);
    EXPECT_GE(delay, milliseconds(400));
  };
  const Client client = Client::Connect(server.address(), options);
  const auto start = SteadyClock::now();
  client.InverseDynamics("arm", kState);
  EXPECT_GE(SteadyClock::now() - start, milliseconds(400));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(told, 1);
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
  try {
    Client::Connect(address, options);
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), grpc::StatusCode::UNIMPLEMENTED);
    // gRPC in C++ has no sentence of its own.
    EXPECT_EQ(error.what(),
              "no torqued server answers at " + address + ": UNIMPLEMENTED");
  }
  server->Shutdown(std::chrono::system_clock::now());
}

TEST(Client, ConnectsToAServerThatRefusesTheFirstCall) {
  FakeServer server;
  server.get_server_info = [](grpc::ServerContext&,
                              const v1::GetServerInfoRequest&,
                              v1::GetServerInfoReply&) {
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING", {});
  };
  EXPECT_EQ(Client::Connect(server.address()).address(), server.address());
}

TEST(Client, DoesNotRetryWhenToldNotTo) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = [&calls](grpc::ServerContext&, const v1::ComputeRequest&,
                            v1::ComputeReply&) {
    ++calls;
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING", {});
  };
  ConnectOptions options;
  options.retry = false;
  const Client client = Client::Connect(server.address(), options);
  try {
    client.InverseDynamics("arm", kState);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::DRAINING);
    EXPECT_STREQ(error.what(), "a sentence");
  }
  EXPECT_EQ(calls, 1);
}

TEST(Client, RepeatsARegistrationOnlyWhereNothingWasDone) {
  FakeServer server;
  std::atomic<int> calls = 0;
  std::string reason = "STORE_UNAVAILABLE";
  server.register_model = [&](grpc::ServerContext&,
                              const v1::RegisterModelRequest&,
                              v1::RegisterModelReply&) {
    if (++calls == 3) return grpc::Status::OK;
    return Failure(grpc::StatusCode::UNAVAILABLE, reason, {});
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
  server->register_model = [](grpc::ServerContext&,
                              const v1::RegisterModelRequest&,
                              v1::RegisterModelReply&) {
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING", {});
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
  next.register_model = [](grpc::ServerContext&,
                           const v1::RegisterModelRequest&,
                           v1::RegisterModelReply& reply) {
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
  server.register_model = [&](grpc::ServerContext&,
                              const v1::RegisterModelRequest&,
                              v1::RegisterModelReply& reply) {
    ++registrations;
    if (state == Server::kDrains) {
      state = Server::kEnds;
      return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING", {});
    }
    if (state == Server::kEnds) return grpc::Status::CANCELLED;
    reply.mutable_model()->set_name("arm");
    return grpc::Status::OK;
  };
  server.get_server_info = [&](grpc::ServerContext&,
                               const v1::GetServerInfoRequest&,
                               v1::GetServerInfoReply&) {
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

TEST(Client, TakesACancellationThatItDidNotAskForAsALostCall) {
  FakeServer server;
  std::atomic<int> calls = 0;
  server.compute = [&calls](grpc::ServerContext&,
                            const v1::ComputeRequest& request,
                            v1::ComputeReply& reply) {
    if (++calls == 1) return grpc::Status::CANCELLED;
    return AnswerWithQ(request, reply);
  };
  const Client client = Client::Connect(server.address());
  EXPECT_EQ(client.InverseDynamics("arm", kState).tau, kState.q);
  EXPECT_EQ(calls, 2);
}

TEST(Client, EndsACallThatHangsAtItsDeadline) {
  FakeServer server;
  server.compute = [](grpc::ServerContext& context, const v1::ComputeRequest&,
                      v1::ComputeReply&) {
    while (!context.IsCancelled()) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    return grpc::Status::CANCELLED;
  };
  const Client client = Client::Connect(server.address());
  ComputeOptions options;
  options.deadline = milliseconds(200);
  const auto start = SteadyClock::now();
  try {
    client.InverseDynamics("arm", kState, options);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  EXPECT_LT(SteadyClock::now() - start, seconds(20));
}

TEST(Client, NeverEndsACallWithoutADeadline) {
  FakeServer server;
  server.compute = [](grpc::ServerContext& context,
                      const v1::ComputeRequest& request,
                      v1::ComputeReply& reply) {
    EXPECT_GT(context.deadline(),
              std::chrono::system_clock::now() + std::chrono::years(100));
    return AnswerWithQ(request, reply);
  };
  const Client client =
      Client::Connect(server.address(), {.deadline = milliseconds::max()});
  EXPECT_EQ(client.InverseDynamics("arm", kState).tau, kState.q);
}

TEST(Client, HasOneDeadlineForAllPartsOfABatch) {
  FakeServer server;
  server.compute = [](grpc::ServerContext&, const v1::ComputeRequest& request,
                      v1::ComputeReply& reply) {
    std::this_thread::sleep_for(milliseconds(5));
    return AnswerWithQ(request, reply);
  };
  const Client client = Client::Connect(server.address(), {.chunk_rows = 1000});
  ComputeOptions options;
  options.deadline = milliseconds(500);
  try {
    // About 4000 parts.
    client.InverseDynamics("arm", {.q = Batch::Zero(4'000'000, 2)}, options);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
}

TEST(Client, SendsWhatIsSmallInOneMessageWhereMessagesHaveNoLimit) {
  FakeServer server;
  server.compute = [](grpc::ServerContext&, const v1::ComputeRequest& request,
                      v1::ComputeReply& reply) {
    return AnswerWithQ(request, reply);
  };
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

TEST(Client, SaysAtOnceThatNobodyListens) {
  std::string address;
  {
    const FakeServer gone;
    address = gone.address();
  }
  const auto start = SteadyClock::now();
  try {
    Client::Connect(address);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(address));
  }
  EXPECT_LT(SteadyClock::now() - start, seconds(20));
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
  EXPECT_EQ(Client::Connect(server.address()).CheckHealth().health,
            Health::kUnknown);
}

TEST(Client, ListsTheModelsOfAllPages) {
  FakeServer server;
  server.list_models = [](grpc::ServerContext&,
                          const v1::ListModelsRequest& request,
                          v1::ListModelsReply& reply) {
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
