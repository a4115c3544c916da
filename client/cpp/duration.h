// Durations of the wire.
#pragma once

#include <google/protobuf/duration.pb.h>

#include <chrono>
#include <optional>

namespace torqued::client {

/// Nothing for a duration that is negative, malformed or longer than
/// nanoseconds can count (292 years).
std::optional<std::chrono::nanoseconds> ToNanoseconds(
    const google::protobuf::Duration& duration);

}  // namespace torqued::client
