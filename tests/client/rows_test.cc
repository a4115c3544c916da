#include "client/cpp/rows.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace torqued::client {
namespace {

TEST(RowsPerCall, KeepsBothMessagesUnderTheLimit) {
  for (const std::int64_t limit : {1 << 20, 4 << 20, 64 << 20}) {
    for (const std::int64_t request : {8, 168, 1056, 20'000}) {
      for (const std::int64_t reply : {8, 56, 392, 15'488, 40'000}) {
        const std::int64_t rows =
            RowsPerCall(request, reply, {.max_message_bytes = limit});
        EXPECT_GE(rows, 1);
        EXPECT_LE(rows * request + kMessageOverheadBytes, limit);
        EXPECT_LE(rows * reply + kMessageOverheadBytes, limit);
      }
    }
  }
}

TEST(RowsPerCall, IsOneRowWhereNotEvenThatFits) {
  EXPECT_EQ(RowsPerCall(1 << 20, 8, {.max_message_bytes = 4096}), 1);
}

TEST(RowsPerCall, IsFiniteForRowsOfNoBytes) {
  EXPECT_GE(RowsPerCall(0, 0, {.max_message_bytes = 4 << 20}), 1);
}

TEST(LimitsOf, AreTheLowerOnesOfServerAndClient) {
  v1::GetServerInfoReply info;
  const BatchLimits without = LimitsOf(info, 4 << 20, 5000);
  EXPECT_EQ(without.rows, 5000);
  EXPECT_EQ(without.max_message_bytes, 4 << 20);
  EXPECT_EQ(without.payload_bytes, kGoodMessageBytes);
  info.set_max_rows(100);
  info.set_max_message_bytes(20'000);
  info.set_max_inflight_bytes(128'000);
  const BatchLimits low = LimitsOf(info, 4 << 20, 5000);
  EXPECT_EQ(low.rows, 100);
  EXPECT_EQ(low.max_message_bytes, 20'000);
  EXPECT_EQ(low.payload_bytes, 1000);
  EXPECT_EQ(LimitsOf(info, 1 << 10, 7).rows, 7);
  EXPECT_EQ(LimitsOf(info, 1 << 10, 7).max_message_bytes, 1 << 10);
}

TEST(CountedFromStart, MovesTheRow) {
  Error::Details details;
  details.metadata = {{"row", "5"}, {"joint", "7"}};
  const Error error(grpc::StatusCode::INVALID_ARGUMENT, "a", details);
  EXPECT_EQ(CountedFromStart(error, 3000).details().metadata.at("row"), "3005");
  EXPECT_EQ(CountedFromStart(error, 3000).details().metadata.at("joint"), "7");
  EXPECT_STREQ(CountedFromStart(error, 0).what(), "a");
  // What a server says need not make sense.
  for (const char* row : {"", "many", "5x", "9223372036854775807"}) {
    details.metadata["row"] = row;
    const Error strange(grpc::StatusCode::INVALID_ARGUMENT, "a", details);
    EXPECT_EQ(CountedFromStart(strange, 3000).details().metadata.at("row"),
              row);
  }
}

}  // namespace
}  // namespace torqued::client
