#include "server/lifecycle/daemon.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/socket.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "server/lifecycle/health_client.h"
#include "server/observability/library_log.h"
#include "server/registry/model_store.h"
#include "tests/server/robots.h"
#include "tests/server/temp_dir.h"
#include "tests/support/await.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/model_registry.grpc.pb.h"

namespace torqued::server {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience{30};

class DaemonTest : public ::testing::Test {
 protected:
  DaemonTest() {
    RouteLibraryLogs();
    settings_.listen = {"127.0.0.1:0"};
    settings_.store = directory_.File("models.db");
    settings_.threads = 1;
  }

  std::unique_ptr<Daemon> Started() {
    auto started = Daemon::Start(settings_);
    if (const auto* problem = std::get_if<std::string>(&started)) {
      ADD_FAILURE() << *problem;
      return nullptr;
    }
    return std::get<std::unique_ptr<Daemon>>(std::move(started));
  }

  std::string Problem() {
    auto started = Daemon::Start(settings_);
    const auto* problem = std::get_if<std::string>(&started);
    return problem != nullptr ? *problem : "started";
  }

  static std::shared_ptr<grpc::Channel> Channel(const Daemon& daemon) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    return grpc::CreateCustomChannel(daemon.addresses().front(),
                                     grpc::InsecureChannelCredentials(),
                                     arguments);
  }

  static grpc::Status Register(const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    v1::RegisterModelRequest request;
    request.set_name("arm");
    request.set_source(kThreeJoints);
    v1::RegisterModelReply reply;
    return v1::ModelRegistry::NewStub(channel)->RegisterModel(&context, request,
                                                              &reply);
  }

  /// Takes a microsecond or several a row.
  static v1::ComputeRequest Work(int rows) {
    v1::ComputeRequest request;
    request.set_model("arm");
    request.add_quantities(v1::QUANTITY_OPERATIONAL_SPACE);
    request.mutable_operational_space()->add_axes(v1::TASK_AXIS_LINEAR_X);
    request.mutable_operational_space()->set_sigma_min(true);
    request.mutable_q()->set_columns(3);
    request.mutable_q()->mutable_f64()->resize(static_cast<std::size_t>(rows) *
                                               24);
    return request;
  }

  /// A call may count a moment longer than its client waits.
  static void AwaitNoCall(const Daemon& daemon) {
    Await([&] { return daemon.calls_in_flight() == 0; });
  }
  static void AwaitACall(const Daemon& daemon) {
    Await([&] { return daemon.calls_in_flight() > 0; });
  }

  TempDir directory_;
  Settings settings_;
};

TEST_F(DaemonTest, ServesAndSaysSo) {
  const auto daemon = Started();
  ASSERT_NE(daemon, nullptr);
  EXPECT_EQ(CheckHealth(daemon->addresses().front(), {}, kPatience), "");
  ASSERT_TRUE(Register(Channel(*daemon)).ok());
  grpc::ClientContext context;
  context.AddMetadata("x-request-id", "mine");
  v1::MassMatrixRequest request;
  request.set_model("arm");
  request.mutable_q()->set_columns(3);
  for (int i = 0; i < 3; ++i) request.mutable_q()->add_values(0.1);
  v1::MassMatrixReply reply;
  ASSERT_TRUE(v1::Dynamics::NewStub(Channel(*daemon))
                  ->MassMatrix(&context, request, &reply)
                  .ok());
  EXPECT_EQ(reply.mass_matrix().values_size(), 9);
  EXPECT_EQ(context.GetServerTrailingMetadata().find("x-request-id")->second,
            "mine");
}

TEST_F(DaemonTest, NobodyElseMayHaveItsPort) {
  const auto daemon = Started();
  ASSERT_NE(daemon, nullptr);
  settings_.listen = {"127.0.0.1:0", daemon->addresses().front()};
  settings_.store = directory_.File("other.db");
  EXPECT_THAT(Problem(), AllOf(HasSubstr(daemon->addresses().front()),
                               HasSubstr("Address already in use")));
}

TEST_F(DaemonTest, AServerThatAcceptsNoConnectionEndsItself) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto started = Daemon::Start(settings_, std::chrono::milliseconds(10));
        // As after a fault of the system: nothing can be accepted any more.
        for (int descriptor = 3; descriptor < 1024; ++descriptor) {
          int listens = 0;
          socklen_t size = sizeof(listens);
          if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens,
                         &size) == 0 &&
              listens != 0) {
            shutdown(descriptor, SHUT_RDWR);
          }
        }
        Await([] { return false; });
      },
      ::testing::ExitedWithCode(70), "");
}

TEST_F(DaemonTest, NobodyElseMayHaveItsStore) {
  const auto daemon = Started();
  ASSERT_NE(daemon, nullptr);
  EXPECT_THAT(Problem(), HasSubstr(settings_.store));
}

TEST_F(DaemonTest, AStoreThatCannotBeReadIsNamed) {
  const std::string source(100'000, ' ');
  RegistrationChange change;
  change.name = "arm";
  change.revision = "0";
  change.source = source;
  ASSERT_TRUE(std::holds_alternative<Registered>(
      std::get<std::unique_ptr<ModelStore>>(ModelStore::Open(settings_.store))
          ->Register(change)));
  // What the start reads for the list, which has no note of the model yet.
  const auto fail = reinterpret_cast<void (*)()>(
      +[](sqlite3* connection, const char**, const sqlite3_api_routines*) {
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 50'000);
        return SQLITE_OK;
      });
  sqlite3_auto_extension(fail);
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--store"), HasSubstr("too big")));
  sqlite3_cancel_auto_extension(fail);
}

TEST_F(DaemonTest, AMissingModelDirectoryIsNamedAndABadFileIsNot) {
  settings_.models = {"/nonexistent"};
  EXPECT_THAT(Problem(), HasSubstr("/nonexistent"));
  std::ofstream(directory_.File("bad.urdf")) << "<robot";
  std::ofstream(directory_.File("good.urdf")) << kThreeJoints;
  settings_.models = {directory_.File("")};
  EXPECT_NE(Started(), nullptr);
}

TEST_F(DaemonTest, DrainingFinishesWhatIsUnderWayAndRefusesTheRest) {
  const auto daemon = Started();
  ASSERT_NE(daemon, nullptr);
  const auto channel = Channel(*daemon);
  ASSERT_TRUE(Register(channel).ok());
  AwaitNoCall(*daemon);
  const auto stub = v1::Dynamics::NewStub(channel);

  std::atomic<bool> answered{false};
  grpc::Status large;
  v1::ComputeReply reply;
  std::thread caller([&] {
    grpc::ClientContext context;
    large = stub->Compute(&context, Work(300'000), &reply);
    answered = true;
  });
  AwaitACall(*daemon);
  std::thread drainer([&] { daemon->Drain([] { return false; }); });
  std::string reason;
  while (!answered && reason.empty()) {
    grpc::ClientContext context;
    v1::ComputeReply small;
    const grpc::Status status = stub->Compute(&context, Work(1), &small);
    if (status.ok()) continue;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    reason = status.error_message();
    EXPECT_NE(CheckHealth(daemon->addresses().front(), {}, kPatience), "");
  }
  EXPECT_FALSE(answered) << "the call was too small to tell";
  EXPECT_THAT(reason, HasSubstr("shutting down"));
  drainer.join();
  caller.join();
  EXPECT_TRUE(large.ok()) << large.error_message();
  EXPECT_EQ(reply.rows(), 300'000u);
}

TEST_F(DaemonTest, DrainingRefusesForAWhileBeforeItClosesTheConnections) {
  const auto daemon = Started();
  ASSERT_NE(daemon, nullptr);
  const auto channel = Channel(*daemon);
  ASSERT_TRUE(Register(channel).ok());
  AwaitNoCall(*daemon);
  const auto stub = v1::Dynamics::NewStub(channel);
  std::vector<grpc::Status> refusals;
  // Nothing is in flight: what calls back is the wait that follows.
  daemon->Drain([&] {
    grpc::ClientContext context;
    v1::ComputeReply reply;
    refusals.push_back(stub->Compute(&context, Work(1), &reply));
    EXPECT_NE(CheckHealth(daemon->addresses().front(), {}, kPatience), "");
    return refusals.size() == 3;
  });
  ASSERT_FALSE(refusals.empty());
  for (const grpc::Status& refusal : refusals) {
    EXPECT_EQ(refusal.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(refusal.error_message(), HasSubstr("shutting down"));
  }
}

TEST_F(DaemonTest, DrainingInAHurryCancels) {
  settings_.max_message_bytes = 64 << 20;
  const auto daemon = Started();
  ASSERT_NE(daemon, nullptr);
  const auto channel = Channel(*daemon);
  ASSERT_TRUE(Register(channel).ok());
  AwaitNoCall(*daemon);
  grpc::Status large;
  std::thread caller([&] {
    grpc::ClientContext context;
    v1::ComputeReply reply;
    large = v1::Dynamics::NewStub(channel)->Compute(&context, Work(1'000'000),
                                                    &reply);
  });
  AwaitACall(*daemon);
  daemon->Drain([] { return true; });
  caller.join();
  EXPECT_FALSE(large.ok());
}

}  // namespace
}  // namespace torqued::server
