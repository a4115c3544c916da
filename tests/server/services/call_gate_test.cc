#include "server/services/call_gate.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace torqued::server
