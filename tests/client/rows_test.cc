#include "client/cpp/rows.h"

#include <gmock/gmock.h>

namespace torqued::client {
namespace {

TEST(CutRows, CoversEveryRowOnceAndInOrder) {
  for (const std::int64_t per_call : {1, 2, 63, 64, 65, 1000}) {
    for (const std::int64_t rows : {1, 2, 63, 64, 65, 128, 999, 1001}) {
      std::int64_t next = 0;
      for (const RowRange& range : CutRows(rows, per_call)) {
        EXPECT_EQ(range.first, next);
        EXPECT_GE(range.count, 1);
        EXPECT_LE(range.count, per_call);
        next += range.count;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

TEST(CutRows, GivesOneEmptyRangeForNoRows) {
  const std::vector<RowRange> ranges = CutRows(0, 10);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].count, 0);
}

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
