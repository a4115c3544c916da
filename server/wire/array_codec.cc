#include "server/wire/array_codec.h"

#include <bit>
#include <limits>
#include <string>

namespace torqued::server {
namespace {

static_assert(std::endian::native == std::endian::little,
              "f64 and f32 payloads are little-endian and used in place");
static_assert(std::numeric_limits<double>::is_iec559 && sizeof(double) == 8);
static_assert(std::numeric_limits<float>::is_iec559 && sizeof(float) == 4);

Error Malformed(std::string_view field, std::string message) {
  return FieldError(v1::MALFORMED_ARRAY, std::string(field),
                    std::move(message));
}

}  // namespace

Payload PayloadOf(const v1::Array& array) {
  if (!array.f64().empty()) return Payload::kF64;
  if (!array.f32().empty()) return Payload::kF32;
  return Payload::kValues;
}

OrError<InputArray> ReadArray(const v1::Array& array, std::string_view field) {
  const int payloads =
      !array.values().empty() + !array.f64().empty() + !array.f32().empty();
  if (payloads > 1) {
    return Malformed(field, "only one of values, f64 and f32 may be set");
  }
  InputArray input;
  if (payloads == 0) return input;

  const Payload payload = PayloadOf(array);
  input.type = NumberTypeOf(payload);
  std::size_t bytes = 0;
  if (payload == Payload::kValues) {
    input.data = array.values().data();
    bytes = static_cast<std::size_t>(array.values().size()) * sizeof(double);
  } else {
    const std::string& packed =
        payload == Payload::kF64 ? array.f64() : array.f32();
    input.data = packed.data();
    bytes = packed.size();
  }

  const auto number = static_cast<std::size_t>(SizeOf(input.type));
  if (bytes % number != 0) {
    return Malformed(field, std::to_string(bytes) +
                                " bytes are not a multiple of " +
                                std::to_string(number));
  }
  const std::size_t count = bytes / number;
  const std::size_t columns = array.columns();
  if (columns == 0) {
    return Malformed(field, "columns must be set when there is a payload");
  }
  if (count % columns != 0) {
    return Malformed(field, std::to_string(count) +
                                " numbers make no whole rows of " +
                                std::to_string(columns) + " columns");
  }
  // columns <= count here, and a payload has less than 2^31 numbers.
  input.columns = static_cast<int>(columns);
  input.rows = static_cast<std::int64_t>(count / columns);
  return input;
}

OutputArray AllocateArray(Payload payload, std::int64_t rows, int columns,
                          v1::Array* array) {
  array->set_columns(static_cast<std::uint32_t>(columns));
  const std::int64_t count = rows * columns;
  OutputArray output;
  output.type = NumberTypeOf(payload);
  if (payload != Payload::kValues) array->clear_values();
  if (payload != Payload::kF64) array->clear_f64();
  if (payload != Payload::kF32) array->clear_f32();
  if (payload == Payload::kValues) {
    output.data = Resize(array->mutable_values(), count);
  } else {
    std::string* packed =
        payload == Payload::kF64 ? array->mutable_f64() : array->mutable_f32();
    packed->resize(static_cast<std::size_t>(count * SizeOf(output.type)));
    output.data = packed->data();
  }
  return output;
}

}  // namespace torqued::server
