#include "client/cpp/rows.h"

#include <gmock/gmock.h>

namespace torqued::client {
namespace {

TEST(RowsPerCall, KeepsBothMessagesUnderTheLimit) {
  for (const std::int64_t limit : {1 << 20, 4 << 20, 64 << 20}) {
    for (const std::int64_t request : {8, 168, 1056, 20'000}) {
      for (const std::int64_t reply : {8, 56, 392, 15'488, 40'000}) {
        const std::int64_t rows = RowsPerCall(request, reply, limit);
        EXPECT_GE(rows, 1);
        EXPECT_LE(rows * request + kMessageOverheadBytes, limit);
        EXPECT_LE(rows * reply + kMessageOverheadBytes, limit);
      }
    }
  }
}

TEST(RowsPerCall, IsOneRowWhereNotEvenThatFits) {
  EXPECT_EQ(RowsPerCall(1 << 20, 8, 4096), 1);
}

TEST(RowsPerCall, IsFiniteForRowsOfNoBytes) {
  EXPECT_GE(RowsPerCall(0, 0, 4 << 20), 1);
}

}  // namespace
}  // namespace torqued::client
