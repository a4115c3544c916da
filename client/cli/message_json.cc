#include "client/cli/message_json.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace torqued::cli {
namespace {

std::string Scalar(const Json& json) {
  return (json.is_number_float() ? NumberJson(json.get<double>()) : json)
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Objects and lists of lists take a line per member; lists of scalars stay on
// one line, so that a matrix looks like one.
void Append(const Json& json, std::size_t indent, std::string* text) {
  const bool is_list = json.is_array();
  if (!json.is_structured() || json.empty()) {
    *text += Scalar(json);
    return;
  }
  const bool is_flat =
      is_list && std::none_of(json.begin(), json.end(), [](const Json& item) {
        return item.is_structured();
      });
  const std::string line_break =
      is_flat ? "" : "\n" + std::string(indent + 2, ' ');
  const char* separator = is_list ? "[" : "{";
  for (const auto& [key, item] : json.items()) {
    *text += separator + line_break;
    separator = is_flat ? ", " : ",";
    if (!is_list) *text += Scalar(key) + ": ";
    Append(item, indent + 2, text);
  }
  if (!is_flat) *text += "\n" + std::string(indent, ' ');
  *text += is_list ? ']' : '}';
}

}  // namespace

Json ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return Json::parse(text);
}

Json ToJson(const v1::RowStatus& status) {
  Json json = ToJson(static_cast<const google::protobuf::Message&>(status));
  json["row"] = status.row();
  return json;
}

std::string ToText(const Json& json) {
  std::string text;
  Append(json, 0, &text);
  return text + "\n";
}

Json NumberJson(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

std::optional<double> NumberFromJson(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "Infinity") return INFINITY;
  if (json == "-Infinity") return -INFINITY;
  if (json == "NaN") return NAN;
  return std::nullopt;
}

double RequiredNumberFromJson(const Json& json) {
  const auto number = NumberFromJson(json);
  return number ? *number : json.get<double>();
}

}  // namespace torqued::cli
