#include "server/wire/array_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace torqued::server {
namespace {

using ::testing::HasSubstr;

InputArray Accepted(const v1::Array& array) {
  auto read = ReadArray(array, "q");
  if (const auto* error = std::get_if<Error>(&read)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<InputArray>(read);
}

void ExpectRefused(const v1::Array& array, const std::string& message) {
  const auto read = ReadArray(array, "q");
  const auto* error = std::get_if<Error>(&read);
  ASSERT_NE(error, nullptr) << message;
  EXPECT_EQ(error->reason, v1::MALFORMED_ARRAY);
  ASSERT_EQ(error->violations.size(), 1u);
  EXPECT_EQ(error->violations[0].field, "q");
  EXPECT_THAT(error->message, HasSubstr(message));
}

TEST(ReadArrayTest, EveryPayloadIsUsedWhereItStands) {
  v1::Array values;
  values.set_columns(2);
  for (const double x : {1.0, 2.0, 3.0, 4.0}) values.add_values(x);
  InputArray input = Accepted(values);
  EXPECT_EQ(input.data, values.values().data());
  EXPECT_EQ(input.type, NumberType::kF64);
  EXPECT_EQ(input.rows, 2);
  EXPECT_EQ(input.columns, 2);

  v1::Array f64;
  f64.set_columns(3);
  f64.set_f64(std::string(48, '\0'));
  input = Accepted(f64);
  EXPECT_EQ(input.data, f64.f64().data());
  EXPECT_EQ(input.type, NumberType::kF64);
  EXPECT_EQ(input.rows, 2);

  v1::Array f32;
  f32.set_columns(3);
  f32.set_f32(std::string(48, '\0'));
  input = Accepted(f32);
  EXPECT_EQ(input.type, NumberType::kF32);
  EXPECT_EQ(input.rows, 4);
}

TEST(ReadArrayTest, NoPayloadIsNoRows) {
  v1::Array array;
  EXPECT_FALSE(Accepted(array).present());
  array.set_columns(std::numeric_limits<std::uint32_t>::max());
  EXPECT_FALSE(Accepted(array).present());
}

TEST(ReadArrayTest, TwoPayloadsAreRefused) {
  v1::Array array;
  array.set_columns(1);
  array.add_values(1);
  array.set_f64(std::string(8, '\0'));
  ExpectRefused(array, "only one");
  array.clear_values();
  array.set_f32(std::string(8, '\0'));
  ExpectRefused(array, "only one");
}

TEST(ReadArrayTest, PayloadOfNoWholeRowsIsRefused) {
  v1::Array array;
  array.set_columns(2);
  for (const double x : {1.0, 2.0, 3.0}) array.add_values(x);
  ExpectRefused(array, "3 numbers make no whole rows of 2");
}

TEST(ReadArrayTest, PayloadOfNoWholeNumbersIsRefused) {
  v1::Array array;
  array.set_columns(1);
  array.set_f64(std::string(12, '\0'));
  ExpectRefused(array, "12 bytes");
  array.clear_f64();
  array.set_f32(std::string(6, '\0'));
  ExpectRefused(array, "6 bytes");
}

TEST(ReadArrayTest, ColumnsMustBeSetWithAPayload) {
  v1::Array array;
  array.add_values(1);
  ExpectRefused(array, "columns must be set");
}

TEST(ReadArrayTest, HugeColumnCountsDoNotOverflow) {
  for (const std::uint32_t columns : {0x80000000u, 0xFFFFFFFFu, 0x20000000u}) {
    v1::Array array;
    array.set_columns(columns);
    array.set_f64(std::string(8, '\0'));
    ExpectRefused(array, std::to_string(columns));
  }
}

TEST(AllocateArrayTest, KernelsWriteIntoTheMessage) {
  for (const Payload payload :
       {Payload::kValues, Payload::kF64, Payload::kF32}) {
    v1::Array array;
    const OutputArray output = AllocateArray(payload, 3, 2, &array);
    EXPECT_EQ(array.columns(), 2u);
    for (int i = 0; i < 6; ++i) {
      const float narrow = 1.5F + static_cast<float>(i);
      const double wide = 1.5 + i;
      char* at = static_cast<char*>(output.data) + i * SizeOf(output.type);
      if (output.type == NumberType::kF32) {
        std::memcpy(at, &narrow, sizeof(narrow));
      } else {
        std::memcpy(at, &wide, sizeof(wide));
      }
    }
    EXPECT_EQ(PayloadOf(array), payload);
    const InputArray back = Accepted(array);
    EXPECT_EQ(back.rows, 3);
    EXPECT_EQ(back.columns, 2);
    EXPECT_EQ(back.data, output.data);
    EXPECT_EQ(back.type, NumberTypeOf(payload));
  }
}

TEST(AllocateArrayTest, ARobotWithoutJointsHasEmptyRows) {
  v1::Array array;
  AllocateArray(Payload::kValues, 1, 0, &array);
  EXPECT_EQ(array.values_size(), 0);
}

}  // namespace
}  // namespace torqued::server
