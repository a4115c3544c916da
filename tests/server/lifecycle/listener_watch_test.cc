#include "server/lifecycle/listener_watch.h"
#include "tests/support/await.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <new>
#include <variant>

namespace torqued::server {
namespace {

using std::chrono::milliseconds;

struct ListenerWatchTest : testing::Test {
  ListenerWatchTest() {
    grpc::ServerBuilder builder;
    connections.RegisterWith(&builder);
    builder.RegisterCallbackGenericService(&service);
    server = builder.BuildAndStart();
  }
  ~ListenerWatchTest() override {
    listener.reset();
    server->Shutdown(std::chrono::system_clock::now());
  }

  Connections connections{{64, 64}, std::make_shared<ConnectionObserver>()};
  grpc::CallbackGenericService service;
  std::unique_ptr<grpc::Server> server;
  // It does not take connections until it is started.
  std::unique_ptr<Listener> listener = std::get<std::unique_ptr<Listener>>(
      Listener::Open({{"127.0.0.1:0"}, {}}, connections));
  const ListenerWatch::Times times{milliseconds(5), milliseconds(50)};
};

TEST_F(ListenerWatchTest, TellsOnceThatNoConnectionsAreTakenAndOnceOfThese) {
  std::promise<bool> first, second;
  int told = 0;
  const ListenerWatch watch(
      *listener,
      [&](bool answers) {
        if (++told <= 2) (told == 1 ? first : second).set_value(answers);
      },
      times);
  EXPECT_FALSE(Await(first.get_future()));
  listener->Start();
  EXPECT_TRUE(Await(second.get_future()));
  listener->Close();
}

TEST_F(ListenerWatchTest, TellsAgainWhatThereWasNoMemoryFor) {
  std::promise<bool> done;
  int told = 0;
  const ListenerWatch watch(
      *listener,
      [&](bool answers) {
        if (++told == 1) throw std::bad_alloc();
        if (told == 2) done.set_value(answers);
      },
      times);
  EXPECT_FALSE(Await(done.get_future()));
  listener->Close();
}

}  // namespace
}  // namespace torqued::server
