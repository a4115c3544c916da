#include "server/services/write_watch.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/await.h"

namespace torqued::server {
namespace {

using std::chrono::milliseconds;

/// Far above what anything here takes.
constexpr std::chrono::seconds kPatience{30};

/// Calls whose message waits, or not, as a test says. A call that is cancelled
/// ends at once; what is asked of it then does nothing.
class Waiting final : public grpc::CallbackGenericService {
 public:
  class Call final : public grpc::ServerGenericBidiReactor {
   public:
    Call(Waiting& service, WriteWatch& watch,
         grpc::CallbackServerContext* context)
        : service_(service), write_(watch, context, "/a/b") {}

    void Begin() {
      if (!over_) write_.Begin();
    }
    void End() { write_.End(); }
    void Answer() {
      if (over_.exchange(true)) return;
      const grpc::Slice nothing("");
      reply_ = grpc::ByteBuffer(&nothing, 1);
      StartWriteAndFinish(&reply_, {}, grpc::Status::OK);
    }

   private:
    void OnCancel() override {
      if (!over_.exchange(true)) Finish(grpc::Status::CANCELLED);
    }
    void OnDone() override {
      write_.End();
      service_.Count(-1);
    }

    Waiting& service_;
    WriteWatch::Write write_;
    std::atomic<bool> over_{false};
    grpc::ByteBuffer reply_;
  };

  /// Of the next call.
  void Use(WriteWatch& watch) { watch_ = &watch; }
  Call* Newest() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience,
                           [this] { return newest_ != nullptr; })) {
      throw std::runtime_error("the call does not come");
    }
    return std::exchange(newest_, nullptr);
  }
  bool AwaitNone() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [this] { return calls_ == 0; });
  }

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const std::lock_guard lock(mutex_);
    ++calls_;
    newest_ = &kept_.emplace_back(*this, *watch_, context);
    changed_.notify_all();
    return newest_;
  }
  void Count(int more) {
    const std::lock_guard lock(mutex_);
    calls_ += more;
    changed_.notify_all();
  }

  WriteWatch* watch_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Call> kept_;  // a test may ask one that is over
  Call* newest_ = nullptr;
  int calls_ = 0;
};

class WriteWatchTest : public ::testing::Test {
 protected:
  WriteWatchTest() {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    stub_ = std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
        "127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials(),
        arguments));
  }
  ~WriteWatchTest() override {
    EXPECT_TRUE(service_.AwaitNone());
    server_->Shutdown(std::chrono::system_clock::now());
  }

  /// Outlives the calls.
  WriteWatch& Watch(milliseconds deadline) {
    return watches_.emplace_back(deadline);
  }

  /// A call under way, from both ends.
  struct Call {
    grpc::ClientContext context;
    grpc::ByteBuffer request, reply;
    std::promise<grpc::StatusCode> code;
    std::shared_future<grpc::StatusCode> ended{code.get_future()};
    Waiting::Call* served = nullptr;

    ~Call() {
      context.TryCancel();
      Await(ended);
    }
    /// None that is one where the call does not end.
    grpc::StatusCode Code() const {
      return ended.wait_for(kPatience) == std::future_status::ready
                 ? ended.get()
                 : grpc::StatusCode::DO_NOT_USE;
    }
  };
  std::unique_ptr<Call> Begin(WriteWatch& watch) {
    auto call = std::make_unique<Call>();
    const grpc::Slice nothing("");
    call->request = grpc::ByteBuffer(&nothing, 1);
    call->context.set_wait_for_ready(true);
    service_.Use(watch);
    stub_->UnaryCall(&call->context, "/a/b", grpc::StubOptions(),
                     &call->request, &call->reply,
                     [&code = call->code](const grpc::Status& status) {
                       code.set_value(status.error_code());
                     });
    call->served = service_.Newest();
    return call;
  }

  std::deque<WriteWatch> watches_;
  Waiting service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<grpc::GenericStub> stub_;
};

TEST_F(WriteWatchTest, EndsEachCallWhoseMessageIsNotTaken) {
  WriteWatch& watch = Watch(milliseconds(50));
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 20; ++i) {
    calls.push_back(Begin(watch));
    calls.back()->served->Begin();
  }
  for (const auto& call : calls) {
    ASSERT_EQ(call->Code(), grpc::StatusCode::CANCELLED);
  }
}

TEST_F(WriteWatchTest, LeavesCallsAloneWhoseMessageIsTaken) {
  WriteWatch& watch = Watch(milliseconds(2000));
  // From the front, the middle and the end of those that wait.
  std::vector<std::unique_ptr<Call>> calls(5);
  for (auto& call : calls) call = Begin(watch);
  for (const auto& call : calls) call->served->Begin();
  for (const std::size_t taken : {0U, 2U, 4U}) calls[taken]->served->End();
  for (const std::size_t waits : {1U, 3U}) {
    ASSERT_EQ(calls[waits]->Code(), grpc::StatusCode::CANCELLED);
  }
  for (const std::size_t taken : {0U, 2U, 4U}) {
    calls[taken]->served->Answer();
    EXPECT_EQ(calls[taken]->Code(), grpc::StatusCode::OK);
  }
}

TEST_F(WriteWatchTest, TheTimeIsOfOneMessageNotOfTheCall) {
  WriteWatch& watch = Watch(milliseconds(2000));
  const auto busy = Begin(watch), stuck = Begin(watch);
  busy->served->Begin();
  stuck->served->Begin();
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (stuck->ended.wait_for(milliseconds(5)) != std::future_status::ready &&
         std::chrono::steady_clock::now() < give_up) {
    busy->served->End();
    busy->served->Begin();
  }
  EXPECT_EQ(stuck->Code(), grpc::StatusCode::CANCELLED);
  busy->served->End();
  busy->served->Answer();
  EXPECT_EQ(busy->Code(), grpc::StatusCode::OK);
}

TEST_F(WriteWatchTest, WithoutADeadlineNobodyIsEnded) {
  WriteWatch& without = Watch(milliseconds(0));
  WriteWatch& with = Watch(milliseconds(50));
  const auto waits = Begin(without), stuck = Begin(with);
  waits->served->Begin();
  stuck->served->Begin();
  EXPECT_EQ(stuck->Code(), grpc::StatusCode::CANCELLED);
  waits->served->Answer();
  EXPECT_EQ(waits->Code(), grpc::StatusCode::OK);
}

}  // namespace
}  // namespace torqued::server
