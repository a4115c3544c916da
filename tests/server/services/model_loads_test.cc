#include "server/services/service_context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/support/await.h"

namespace torqued::server {
namespace {

TEST(ModelLoads, CallsThatWaitForAModelHoldNoThread) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> begun = 0;
  std::promise<void> other;
  // As in ServiceContext: the pool goes first, since its jobs use the loads.
  struct {
    ModelLoads loads{pool};
    Pool pool{2};
  } context;
  ModelLoads& loads = context.loads;
  const auto slow = [&] {
    ++begun;
    released.wait_for(std::chrono::seconds(20));
  };
  for (int call = 0; call < 4; ++call) loads.Run("slow", 0, slow);
  loads.Run("other", 0, [&] { other.set_value(); });
  Await(other.get_future());
  EXPECT_EQ(begun, 1);
  release.set_value();
  Await([&] { return begun == 4; });
  // And those that come when nobody waits any more.
  loads.Run("slow", 0, slow);
  Await([&] { return begun == 5; });
}

}  // namespace
}  // namespace torqued::server
