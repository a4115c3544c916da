#include "server/lifecycle/arrival_limit.h"

#include <gtest/gtest.h>

#include <limits>

namespace torqued::server {
namespace {

TEST(ArrivalLimit, HasRoomForWhatMayBeUnderWayAndForLargeMessages) {
  Settings settings;
  settings.max_inflight_bytes = 1;
  settings.max_message_bytes = 100 << 20;
  EXPECT_GE(ArrivalLimit(settings), 400 << 20);
  settings.max_message_bytes = 4096;
  settings.max_inflight_bytes = std::int64_t{3} << 30;
  EXPECT_GE(ArrivalLimit(settings), settings.max_inflight_bytes);
}

TEST(ArrivalLimit, IsTheLargestNumberWhereWorkUnderWayHasNoLimit) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  Settings settings;
  settings.max_inflight_bytes = kLargest;
  EXPECT_EQ(ArrivalLimit(settings), kLargest);
}

}  // namespace
}  // namespace torqued::server
