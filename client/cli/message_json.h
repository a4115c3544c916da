// JSON: messages of the wire, and what files hold.
#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

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

/// At most `depth` levels; a member that stands twice in its object, of which
/// parsers keep the last in silence, is an error. Throws DataError naming
/// `name`.
Json ParseJsonText(std::string_view text, int depth, const std::string& name);

/// The one document of the text: an empty one behind it ("---") does not count,
/// a second one is an error. Plain scalars that are numbers become numbers,
/// "~", "null" and nothing become null, all others are strings. Anchors may
/// stand there, aliases are refused: they make little text large. Otherwise as
/// ParseJsonText.
Json ParseYaml(std::string_view text, int depth, const std::string& name);

}  // namespace torqued::cli
