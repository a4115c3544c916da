#include "client/cpp/array_codec.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "client/cpp/error.h"

namespace torqued::client {
namespace {

Batch Numbered(Eigen::Index rows, Eigen::Index columns) {
  Batch batch(rows, columns);
  for (Eigen::Index k = 0; k < batch.size(); ++k) {
    batch.data()[k] = static_cast<double>(k) / 3;
  }
  return batch;
}

TEST(ArrayCodec, KeepsEveryBit) {
  Batch batch(2, 3);
  batch << -0.0, std::numeric_limits<double>::denorm_min(), 0.1,
      std::numeric_limits<double>::quiet_NaN(),
      -std::numeric_limits<double>::infinity(), 1e308;
  v1::Array array;
  EncodeRows(batch, 0, 2, &array);
  Batch back;
  DecodeRows(array, "tau", 0, 2, 2, &back);
  ASSERT_EQ(back.rows(), 2);
  ASSERT_EQ(back.cols(), 3);
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.data()[k]),
              std::bit_cast<std::uint64_t>(batch.data()[k]));
  }
}

TEST(ArrayCodec, JoinsPartsAtTheirRows) {
  const Batch batch = Numbered(5, 2);
  v1::Array first, second;
  EncodeRows(batch, 0, 3, &first);
  EncodeRows(batch, 3, 2, &second);
  Batch back;
  DecodeRows(first, "tau", 0, 3, 5, &back);
  DecodeRows(second, "tau", 3, 2, 5, &back);
  EXPECT_EQ(back, batch);
}

TEST(ArrayCodec, ReadsTheReadableEncodingToo) {
  v1::Array array;
  array.set_columns(2);
  for (const double value : {1.0, 2.0, 3.0, 4.0}) array.add_values(value);
  Batch back;
  DecodeRows(array, "tau", 0, 2, 2, &back);
  EXPECT_EQ(back, (Batch(2, 2) << 1, 2, 3, 4).finished());
}

TEST(ArrayCodec, RefusesAnArrayThatIsNotWhatItSays) {
  const Batch batch = Numbered(2, 3);
  const auto refuses = [](const v1::Array& array, Eigen::Index count) {
    Batch back;
    EXPECT_THROW(DecodeRows(array, "tau", 0, count, count, &back), Error);
    EXPECT_EQ(back.size(), 0) << "allocated before it was checked";
  };
  v1::Array array;
  EncodeRows(batch, 0, 2, &array);
  refuses(array, 3);
  refuses(array, std::int64_t{1} << 60);

  v1::Array other_columns = array;
  other_columns.set_columns(4);
  refuses(other_columns, 2);
  v1::Array no_columns = array;
  no_columns.set_columns(0);
  refuses(no_columns, 2);
  v1::Array cut = array;
  cut.mutable_f64()->pop_back();
  refuses(cut, 2);
}

TEST(ArrayCodec, HasRowsOfNoColumnsForARobotWithoutJoints) {
  Batch back;
  DecodeRows(v1::Array(), "tau", 0, 3, 3, &back);
  EXPECT_EQ(back.rows(), 3);
  EXPECT_EQ(back.cols(), 0);
}

TEST(ArrayCodec, RefusesALaterPartOfOtherWidth) {
  Batch back;
  v1::Array first, second;
  EncodeRows(Numbered(2, 3), 0, 2, &first);
  EncodeRows(Numbered(2, 2), 0, 2, &second);
  DecodeRows(first, "tau", 0, 2, 4, &back);
  EXPECT_THROW(DecodeRows(second, "tau", 2, 2, 4, &back), Error);
}

}  // namespace
}  // namespace torqued::client
