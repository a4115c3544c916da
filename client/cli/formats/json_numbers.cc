#include "client/cli/formats/json_numbers.h"

#include <cmath>
#include <limits>

namespace torqued::cli {

nlohmann::ordered_json NumberJson(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

std::optional<double> NumberFromJson(const nlohmann::ordered_json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "Infinity") return std::numeric_limits<double>::infinity();
  if (json == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (json == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

double RequiredNumberFromJson(const nlohmann::ordered_json& json) {
  const auto number = NumberFromJson(json);
  return number ? *number : json.get<double>();
}

}  // namespace torqued::cli
