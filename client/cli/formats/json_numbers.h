// Numbers of JSON that are not finite, as protobuf writes them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace torqued::cli {

/// A number, or "Infinity", "-Infinity", "NaN".
nlohmann::ordered_json NumberJson(double number);

/// Nothing for any other value.
std::optional<double> NumberFromJson(const nlohmann::ordered_json& json);

/// The same; what is no number throws what nlohmann's get throws.
double RequiredNumberFromJson(const nlohmann::ordered_json& json);

}  // namespace torqued::cli
