#include "server/services/service_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

namespace torqued::server {
namespace {

TEST(CallGateTest, AClosedGateTurnsNewCallsAwayAndCountsTheOld) {
  CallGate gate;
  ASSERT_TRUE(gate.Enter());
  ASSERT_TRUE(gate.Enter());
  gate.Close();
  EXPECT_FALSE(gate.Enter());
  EXPECT_EQ(gate.in_flight(), 2);
  gate.Leave();
  gate.Leave();
  EXPECT_EQ(gate.in_flight(), 0);
}

TEST(CallGateTest, CallsThatAClosedGateRefusesNeverCount) {
  // Whoever waits for the last call would take one for another.
  CallGate gate;
  gate.Close();
  std::atomic<bool> done = false;
  const std::jthread calling([&] {
    for (int k = 0; k < 10'000'000; ++k) gate.Enter();
    done = true;
  });
  std::int64_t most = 0;
  while (!done) most = std::max(most, gate.in_flight());
  EXPECT_EQ(most, 0);
}

class Counting final : public CallGate::Listener {
 public:
  explicit Counting(CallGate& gate) : gate_(gate) {}
  void OnClose() override {
    ++told;
    entered_then = gate_.Enter();
    gate_.Forget(this);
  }
  int told = 0;
  bool entered_then = true;

 private:
  CallGate& gate_;
};

TEST(CallGateTest, ListenersAreToldOnceThatItIsClosed) {
  CallGate gate;
  const auto listener = std::make_shared<Counting>(gate);
  EXPECT_TRUE(gate.Listen(listener));
  EXPECT_EQ(listener->told, 0);
  gate.Close();
  EXPECT_EQ(listener->told, 1);
  EXPECT_FALSE(listener->entered_then) << "told before the gate was closed";
  gate.Close();
  EXPECT_EQ(listener->told, 1);
  EXPECT_FALSE(gate.Listen(listener)) << "nobody would tell it";
}

TEST(CallGateTest, WhoHasGoneIsNotTold) {
  CallGate gate;
  const auto staying = std::make_shared<Counting>(gate);
  auto going = std::make_shared<Counting>(gate);
  EXPECT_TRUE(gate.Listen(staying));
  EXPECT_TRUE(gate.Listen(going));
  gate.Forget(staying.get());
  going.reset();
  gate.Close();
  EXPECT_EQ(staying->told, 0);
}

}  // namespace
}  // namespace torqued::server
