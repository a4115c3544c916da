// Messages of the wire as JSON.
#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {

using Json = nlohmann::ordered_json;

/// Field names as in the proto files, enums by name, fields at their defaults
/// included (absent optional fields and messages are not).
Json ToJson(const google::protobuf::Message& message);

/// As above, but `row` is a number: ToJson makes 64-bit integers strings, as
/// the JSON form of protobuf has them.
Json ToJson(const v1::RowStatus& status);

/// Indented, with lists of scalars on one line. Numbers at full precision; what
/// is not finite is as NumberJson has it.
std::string ToText(const Json& json);

/// A number or, as protobuf writes them, "Infinity", "-Infinity", "NaN".
Json NumberJson(double number);

/// Nothing for any other value.
std::optional<double> NumberFromJson(const Json& json);

/// The same; what is no number throws what nlohmann's get throws.
double RequiredNumberFromJson(const Json& json);

}  // namespace torqued::cli
