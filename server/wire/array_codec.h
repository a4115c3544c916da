// v1.Array to and from the arrays that the engine reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/engine/evaluation.h"
#include "server/errors/error.h"
#include "torqued/v1/array.pb.h"

namespace torqued::server {

/// The payload field of an array.
enum class Payload : std::uint8_t { kValues, kF64, kF32 };

constexpr NumberType NumberTypeOf(Payload payload) {
  return payload == Payload::kF32 ? NumberType::kF32 : NumberType::kF64;
}

/// The payload field in use; kValues for an empty array.
Payload PayloadOf(const v1::Array& array);

/// A view of the message's own memory. `field` is the array's path in the
/// request. Refuses two payloads, columns of zero and rows that are not whole.
OrError<InputArray> ReadArray(const v1::Array& array, std::string_view field);

/// Gives the field `count` elements; keeps those that it had, and its memory.
template <class T>
T* Resize(google::protobuf::RepeatedField<T>* field, std::int64_t count) {
  const int size = static_cast<int>(count);
  field->Reserve(size);
  if (const int more = size - field->size(); more > 0) {
    field->AddNAlreadyReserved(more);
  } else {
    field->Truncate(size);
  }
  return field->mutable_data();
}

/// Room for rows x columns numbers inside the message. An array that has been
/// used before keeps its memory, and as many numbers of before: nothing is
/// written for a second batch of the same shape. At most protobuf's 2 GiB.
OutputArray AllocateArray(Payload payload, std::int64_t rows, int columns,
                          v1::Array* array);

}  // namespace torqued::server
