#include "server/lifecycle/daemon.h"

#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/socket.h>

#include <fstream>
#include <vector>

#include "server/lifecycle/supervision.h"
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
    grpc_init();  // for good, as in main
    settings_.listen = {"127.0.0.1:0"};
    settings_.store = directory_.File("models.db");
    settings_.threads = 1;
  }

  std::unique_ptr<Daemon> Started() {
    return std::make_unique<Daemon>(settings_);
  }

  std::string Problem() {
    try {
      const Daemon started(settings_);
    } catch (const std::exception& problem) {
      return problem.what();
    }
    return "started";
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

  /// A call may count a moment longer than its client waits.
  static void AwaitNoCall(const Daemon& daemon) {
    Await([&] { return daemon.calls_in_flight() == 0; });
  }

  TempDir directory_;
  Settings settings_;
};

TEST_F(DaemonTest, AServerThatAcceptsNoConnectionEndsItself) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Daemon daemon(settings_, std::chrono::milliseconds(10));
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

TEST_F(DaemonTest, AStoreThatCannotBeReadIsNamed) {
  RegisterRequest request;
  request.name = "arm";
  std::string before;
  LoadedRevision content;
  content.revision = "0";
  content.source.assign(100'000, ' ');
  content.options = RegistrationOptions();
  ModelStore(settings_.store).Register(request, content, &before);
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

TEST_F(DaemonTest, DrainingRefusesForAWhileBeforeItClosesTheConnections) {
  const auto daemon = Started();
  ASSERT_NE(daemon, nullptr);
  const auto channel = grpc::CreateChannel(daemon->addresses().front(),
                                           grpc::InsecureChannelCredentials());
  ASSERT_TRUE(Register(channel).ok());
  AwaitNoCall(*daemon);
  const auto stub = v1::Dynamics::NewStub(channel);
  std::vector<grpc::Status> refusals;
  // Nothing is in flight: what calls back is the wait that follows.
  daemon->Drain([&] {
    grpc::ClientContext context;
    v1::MassMatrixRequest request;
    request.set_model("arm");
    v1::MassMatrixReply reply;
    refusals.push_back(stub->MassMatrix(&context, request, &reply));
    EXPECT_NE(CheckHealth(daemon->addresses().front(), {}, kPatience), "");
    return refusals.size() == 3;
  });
  ASSERT_FALSE(refusals.empty());
  for (const grpc::Status& refusal : refusals) {
    EXPECT_EQ(refusal.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(refusal.error_message(), HasSubstr("shutting down"));
  }
}

}  // namespace
}  // namespace torqued::server
