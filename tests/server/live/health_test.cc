// Who is told what of health.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/server/live/live_services.h"
#include "tests/support/await.h"

namespace torqued::server {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using Status = HealthService::Status;
using ::testing::ElementsAre;

constexpr std::int64_t kStreams = 2;

class HealthTest : public ::testing::Test {
 protected:
  struct Answer {
    grpc::StatusCode code;
    Status status;
  };
  Answer Check(const std::string& service) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse reply;
    const auto status = stub_->Check(&context, request, &reply);
    return {status.error_code(), reply.status()};
  }

  /// A call that waits for changes.
  class Watch {
   public:
    Watch(Health::Stub& stub, const std::string& service) {
      HealthCheckRequest request;
      request.set_service(service);
      reader_ = stub.Watch(&context_, request);
    }
    ~Watch() {
      if (reader_ != nullptr) End();
    }
    /// The next one.
    Status Told() {
      HealthCheckResponse reply;
      EXPECT_TRUE(reader_->Read(&reply));
      return reply.status();
    }
    /// False once it has ended.
    bool IsTold() {
      HealthCheckResponse reply;
      return reader_->Read(&reply);
    }
    /// Why it has ended.
    grpc::StatusCode Code() {
      while (IsTold()) {
      }
      return std::exchange(reader_, nullptr)->Finish().error_code();
    }
    grpc::StatusCode End() {
      context_.TryCancel();
      return Code();
    }

   private:
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader_;
  };

  void AwaitNothingUnderWay() {
    Await([&] { return services_.admission().bytes() == 0; });
  }

  LiveServices services_{
      {.engine = {.threads = 1}, .inflight = {1000, 1 << 20, kStreams}}};
  HealthService& health_ = services_.health();
  std::unique_ptr<Health::Stub> stub_ = Health::NewStub(services_.Channel());
};

TEST_F(HealthTest, TellsWhatWasSet) {
  EXPECT_EQ(Check("a").code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Check("").status, HealthCheckResponse::NOT_SERVING);
  health_.Set("a", true);
  EXPECT_EQ(Check("a").status, HealthCheckResponse::SERVING);
  EXPECT_EQ(Check("").status, HealthCheckResponse::NOT_SERVING);
  health_.SetAll(true);
  EXPECT_EQ(Check("").status, HealthCheckResponse::SERVING);
  health_.SetAll(false);
  EXPECT_EQ(Check("a").status, HealthCheckResponse::NOT_SERVING);
}

TEST_F(HealthTest, WatchersAreToldOfEachChangeOnce) {
  Watch watch(*stub_, "a");
  EXPECT_EQ(watch.Told(), HealthCheckResponse::SERVICE_UNKNOWN);
  health_.Set("a", true);
  EXPECT_EQ(watch.Told(), HealthCheckResponse::SERVING);
  for (int i = 0; i < 20; ++i) {
    health_.Set("a", true);
    health_.Set("b", false);
    // While the call has nothing to write.
    EXPECT_EQ(Check("a").status, HealthCheckResponse::SERVING);
  }
  health_.SetAll(false);
  EXPECT_EQ(watch.Told(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(watch.End(), grpc::StatusCode::CANCELLED);
}

TEST_F(HealthTest, AWatchTakesAStreamUntilItsEnd) {
  std::vector<std::unique_ptr<Watch>> watches;
  do {
    ASSERT_LE(watches.size(), kStreams + 1);  // that of each connection
    watches.push_back(std::make_unique<Watch>(*stub_, ""));
  } while (watches.back()->IsTold());
  EXPECT_EQ(watches.back()->Code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_GT(watches.size(), 1);
  EXPECT_GE(services_.admission().bytes(), HealthService::kWatchBytes);
  watches.clear();
  AwaitNothingUnderWay();
  EXPECT_TRUE(Watch(*stub_, "").IsTold());
}

TEST_F(HealthTest, LongNamesAreRefused) {
  const std::string name(5000, 'x');
  EXPECT_EQ(Check(name).code, grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Watch(*stub_, name).Code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

class Listening final : public HealthService::Watcher {
 public:
  void Tell(Status status, std::uint64_t number) override {
    statuses.push_back(status);
    EXPECT_GE(number, last);
    last = number;
  }
  std::vector<Status> statuses;
  std::uint64_t last = 0;
};

TEST_F(HealthTest, WhoIsForgottenIsToldNothing) {
  const auto stays = std::make_shared<Listening>();
  const auto goes = std::make_shared<Listening>();
  const auto first = health_.Remember("a", stays);
  const auto second = health_.Remember("a", goes);
  health_.Set("a", true);
  health_.Forget(second);
  health_.Set("a", false);
  health_.Set("other", true);
  EXPECT_THAT(stays->statuses, ElementsAre(HealthCheckResponse::SERVICE_UNKNOWN,
                                           HealthCheckResponse::SERVING,
                                           HealthCheckResponse::NOT_SERVING));
  EXPECT_THAT(goes->statuses, ElementsAre(HealthCheckResponse::SERVICE_UNKNOWN,
                                          HealthCheckResponse::SERVING));
  health_.Forget(first);
}

TEST_F(HealthTest, WhoHasGoneIsToldNothing) {
  auto goes = std::make_shared<Listening>();
  const auto place = health_.Remember("a", goes);
  goes.reset();
  health_.Set("a", true);
  health_.Forget(place);
}

}  // namespace
}  // namespace torqued::server
