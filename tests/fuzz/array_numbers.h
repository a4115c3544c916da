// What stands in an array of a reply.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "server/wire/array_codec.h"
#include "tests/fuzz/require.h"
#include "torqued/v1/array.pb.h"

namespace torqued::fuzz {

/// The numbers of an array, and which field they stand in.
struct Numbers {
  server::Payload payload;
  std::vector<double> values;
};

template <class T>
std::vector<double> Unpacked(const std::string& bytes) {
  std::vector<T> raw(bytes.size() / sizeof(T));
  if (!raw.empty()) std::memcpy(raw.data(), bytes.data(), bytes.size());
  return {raw.begin(), raw.end()};
}

inline Numbers NumbersOf(const v1::Array& array) {
  const int fields =
      !array.values().empty() + !array.f64().empty() + !array.f32().empty();
  FUZZ_REQUIRE(fields <= 1, "several payloads");
  const server::Payload payload = server::PayloadOf(array);
  if (payload == server::Payload::kF64)
    return {payload, Unpacked<double>(array.f64())};
  if (payload == server::Payload::kF32)
    return {payload, Unpacked<float>(array.f32())};
  return {payload, {array.values().begin(), array.values().end()}};
}

}  // namespace torqued::fuzz
