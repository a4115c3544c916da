#include "client/cli/message_json.h"

#include <google/protobuf/util/json_util.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "core/base/text.h"

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

std::string Twice(const std::string& key) {
  return Cat("'", Printable(key, 128), "' stands there twice");
}

Json PlainScalar(const std::string& tag, const std::string& value) {
  // "?": plain; "!": in quotes.
  if (tag != "?") return value;
  if (value.empty() || value == "~" || value == "null") return nullptr;
  if (const auto number = ParseNumber(value)) return *number;
  if (value == ".inf") return INFINITY;
  if (value == "-.inf") return -INFINITY;
  if (value == ".nan") return NAN;
  return value;
}

/// Puts the tree together from what the parser of YAML finds.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(int depth, const std::string& name)
      : depth_(static_cast<std::size_t>(depth)), name_(name) {}

  Json Take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Add(mark, nullptr);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Fail(mark, "aliases are not read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    if (open_.empty() || open_.back().tree->is_array() || open_.back().value) {
      Add(mark, PlainScalar(tag, value));
      return;
    }
    Level& map = open_.back();
    if (map.tree->contains(value)) Fail(mark, Twice(value));
    map.value = &(*map.tree)[value];
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&,
                       YAML::anchor_t, YAML::EmitterStyle::value) override {
    Open(mark, Json::array());
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, Json::object());
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Level {
    Json* tree;
    Json* value = nullptr;  // of the key that was read last
  };

  [[noreturn]] void Fail(const YAML::Mark& mark,
                         const std::string& problem) const {
    throw DataError(Cat(name_, ":", mark.line + 1), problem);
  }

  void Open(const YAML::Mark& mark, Json empty) {
    if (open_.size() == depth_) Fail(mark, "the text is nested too deeply");
    open_.push_back({Add(mark, std::move(empty))});
  }

  Json* Add(const YAML::Mark& mark, Json value) {
    Json* place = &document_;
    if (!open_.empty() && open_.back().tree->is_array()) {
      place = &open_.back().tree->emplace_back();
    } else if (!open_.empty()) {
      place = std::exchange(open_.back().value, nullptr);
      if (place == nullptr) Fail(mark, "a key is no single word");
    } else if (!document_.is_null()) {
      if (value.is_null()) return place;  // an empty document
      Fail(mark, "a second document begins");
    }
    *place = std::move(value);
    return place;
  }

  const std::size_t depth_;
  const std::string& name_;
  std::vector<Level> open_;
  Json document_;
};

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

Json ParseJsonText(std::string_view text, int depth, const std::string& name) {
  using Event = Json::parse_event_t;
  // Members of the objects that are open.
  std::vector<std::set<std::string>> members;
  const auto watch = [&](int level, Event event, Json& parsed) {
    if (level > depth) throw DataError(name, "the text is nested too deeply");
    if (event == Event::object_start) members.emplace_back();
    if (event == Event::object_end) members.pop_back();
    if (event == Event::key &&
        !members.back().insert(parsed.get<std::string>()).second) {
      throw DataError(name, Twice(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    // Behind "[json.exception.parse_error.101] ".
    const std::string said = error.what();
    throw DataError(name, "the text is not JSON: " +
                              Printable(said.substr(said.find(']') + 2), 200));
  }
}

Json ParseYaml(std::string_view text, int depth, const std::string& name) {
  // Of some texts that are no YAML the parser finds empty documents for ever,
  // or never comes to an end.
  const bool has_controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' &&
           c != '\t';
  });
  if (has_controls || FindInvalidUtf8(text) != std::string_view::npos) {
    throw DataError(name,
                    "the text is not YAML: it has a control character, or "
                    "bytes that UTF-8 does not have");
  }
  TreeBuilder builder(depth, name);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    int documents = 0;
    while (parser.HandleNextDocument(builder)) {
      if (++documents > 16)
        throw DataError(name, "the text is not YAML: it has no end");
    }
  } catch (const YAML::Exception& error) {
    throw DataError(
        Cat(name, ":", error.mark.line + 1),
        Cat("the text is not YAML at column ", error.mark.column + 1, ": ",
            Printable(error.msg, 200)));
  }
  return builder.Take();
}

}  // namespace torqued::cli
