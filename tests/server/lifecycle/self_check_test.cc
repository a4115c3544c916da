#include <gtest/gtest.h>

#include "server/lifecycle/daemon.h"

namespace torqued::server {
namespace {

TEST(SelfCheckTest, ThisBuildKnowsTheAnswer) {
  Engine engine(Engine::Options{2, 0});
  EXPECT_EQ(SelfCheck(engine), "");
}

TEST(SelfCheckTest, ChunksOfOneRowGiveTheSame) {
  Engine engine(Engine::Options{1, 1});
  EXPECT_EQ(SelfCheck(engine), "");
}

}  // namespace
}  // namespace torqued::server
