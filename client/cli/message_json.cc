#include "client/cli/message_json.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "client/cli/formats/json_numbers.h"

namespace torqued::cli {
namespace {

std::string Scalar(const Json& json) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    return Scalar(NumberJson(json.get<double>()));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Objects and lists of lists take a line per member; lists of scalars stay on
// one line, so that a matrix looks like one.
void Append(const Json& json, std::size_t indent, std::string* text) {
  const bool is_list = json.is_array();
  const bool is_flat =
      !json.is_structured() ||
      (is_list && std::none_of(json.begin(), json.end(), [](const Json& item) {
         return item.is_structured();
       }));
  if (is_flat && !is_list) {
    *text += Scalar(json);
    return;
  }
  if (json.empty()) {
    *text += is_list ? "[]" : "{}";
    return;
  }

  const std::string line_break = "\n" + std::string(indent + 2, ' ');
  *text += is_list ? '[' : '{';
  bool first = true;
  for (const auto& [key, item] : json.items()) {
    if (!first) *text += is_flat ? ", " : ",";
    first = false;
    if (!is_flat) *text += line_break;
    if (!is_list) *text += Scalar(Json(key)) + ": ";
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

}  // namespace torqued::cli
