#include "client/cli/document.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_replace.h>
#include <google/protobuf/util/json_util.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "client/cli/formats/container.h"
#include "client/cli/formats/text.h"

namespace torqued::cli {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

/// Deeper text would fill the stack.
constexpr int kMaxDepth = 16;

/// "local_world_aligned" of REFERENCE_FRAME_LOCAL_WORLD_ALIGNED. Value 0 ends
/// in one word.
std::string ShortName(const EnumValueDescriptor& value) {
  const std::string& first = value.type()->value(0)->name();
  return absl::AsciiStrToLower(value.name().substr(first.rfind('_') + 1));
}

/// A value that protobuf has written has strings for 64-bit integers.
void Adapt(const FieldDescriptor& field, EnumNames names, Json& value) {
  const auto type = field.cpp_type();
  if (value.is_array()) {
    for (Json& item : value) Adapt(field, names, item);
  } else if (type == FieldDescriptor::CPPTYPE_UINT64) {
    value = std::stoull(value.get<std::string>());
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      Adapt(*field.message_type()->FindFieldByName(name), names, member);
    }
  } else if (type == FieldDescriptor::CPPTYPE_ENUM && value.is_string() &&
             names == EnumNames::kFlags) {
    value = ShortName(
        *field.enum_type()->FindValueByName(value.get<std::string>()));
  }
}

std::string Twice(const std::string& key) {
  return Cat("'", Printable(key, 128), "' appears twice");
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

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}

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
    if (open_.size() == kMaxDepth) Fail(mark, "the text is nested too deeply");
    open_.push_back({Add(mark, std::move(empty))});
  }

  Json* Add(const YAML::Mark& mark, Json value) {
    Json* place = &document_;
    if (!open_.empty() && open_.back().tree->is_array()) {
      place = &open_.back().tree->emplace_back();
    } else if (!open_.empty()) {
      place = std::exchange(open_.back().value, nullptr);
      if (place == nullptr) Fail(mark, "a key is not a single word");
    } else if (!document_.is_null()) {
      if (value.is_null()) return place;  // an empty document
      Fail(mark, "a second document begins");
    }
    *place = std::move(value);
    return place;
  }

  const std::string& name_;
  std::vector<Level> open_;
  Json document_;
};

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

std::string CellText(const Json& cell) {
  if (cell.is_number_float()) return ReadableText(cell.get<double>());
  if (cell.is_string()) return cell.get<std::string>();
  if (!cell.is_array()) return cell.dump();
  std::string text;
  for (const Json& item : cell) {
    text += (text.empty() ? "" : " ") + CellText(item);
  }
  return text;
}

bool IsNumber(const Json& cell) {
  return cell.is_number() ||
         (cell.is_string() && cell.get<std::string_view>().ends_with(" %"));
}

std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        // Continuation bytes of UTF-8 take no place of their own.
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      }));
}

/// Two blanks apart, without blanks at ends of lines.
void PrintAligned(const std::vector<Members>& lines,
                  const std::vector<bool>& on_the_right, std::ostream& out) {
  std::vector<std::size_t> widths(on_the_right.size());
  for (const Members& line : lines) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      widths[k] = std::max(widths[k], Width(line[k]));
    }
  }
  for (const Members& line : lines) {
    std::string text;
    for (std::size_t k = 0; k < line.size(); ++k) {
      const std::string blanks(widths[k] - Width(line[k]), ' ');
      text += k > 0 ? "  " : "";
      text += on_the_right[k] ? blanks + line[k] : line[k] + blanks;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

void AddLines(const Json& object, const std::string& path,
              std::vector<Members>* lines) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      AddLines(value, path + name + ".", lines);
    } else if (!value.empty() && !(value.is_array() && value[0].is_object())) {
      const std::string text = PlainText(CellText(value));
      if (!text.empty()) lines->push_back({path + name, text});
    }
  }
}

}  // namespace

std::vector<std::string> EnumFlags(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int k = 0; k < type.value_count(); ++k) {
    std::string name = ShortName(*type.value(k));
    if (name != "unspecified") names.push_back(std::move(name));
  }
  return names;
}

const EnumValueDescriptor* FindEnumFlag(const EnumDescriptor& type,
                                        std::string_view name) {
  for (int k = 0; k < type.value_count(); ++k) {
    if (ShortName(*type.value(k)) == name) return type.value(k);
  }
  return nullptr;
}

std::string EnumText(const EnumDescriptor& type, int number) {
  const EnumValueDescriptor* value = type.FindValueByNumber(number);
  if (value == nullptr) return Cat("unknown (", number, ")");
  return absl::StrReplaceAll(ShortName(*value), {{"_", " "}});
}

Json ToJson(const google::protobuf::Message& message, EnumNames names) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  Json json = Json::parse(text);
  for (const auto& [name, member] : json.items()) {
    Adapt(*message.GetDescriptor()->FindFieldByName(name), names, member);
  }
  return json;
}

Json MatrixJson(const Eigen::Ref<const client::Batch>& matrix) {
  Json rows = Json::array();
  for (const auto& row : matrix.rowwise()) {
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

Json NumberJson(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

double NumberFromJson(const Json& json) {
  if (json == "Infinity") return HUGE_VAL;
  if (json == "-Infinity") return -HUGE_VAL;
  if (json == "NaN") return std::nan("");
  return json.get<double>();
}

Json ParseJsonText(std::string_view text, const std::string& name) {
  using Event = Json::parse_event_t;
  // Members of the objects that are open.
  std::vector<std::set<std::string>> members;
  const auto watch = [&](int level, Event event, Json& parsed) {
    RequireData(level <= kMaxDepth, name, "the text is nested too deeply");
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
    throw DataError(name, "the text is not JSON: ",
                    Printable(said.substr(said.find(']') + 2), 200));
  }
}

Json ParseYaml(std::string_view text, const std::string& name) {
  // In some texts that are not YAML the parser finds empty documents without
  // end, or does not return.
  const bool has_controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' &&
           c != '\t';
  });
  RequireData(!has_controls && FindInvalidUtf8(text) == std::string_view::npos,
              name,
              "the text is not YAML: it has a control character, or bytes that "
              "UTF-8 does not have");
  TreeBuilder builder(name);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    int documents = 0;
    while (parser.HandleNextDocument(builder)) {
      RequireData(++documents <= 16, name,
                  "the text is not YAML: it has no end");
    }
  } catch (const YAML::Exception& error) {
    throw DataError(Cat(name, ":", error.mark.line + 1),
                    "the text is not YAML at column ", error.mark.column + 1,
                    ": ", Printable(error.msg, 200));
  }
  return builder.Take();
}

std::string ToText(const Json& json) {
  std::string text;
  Append(json, 0, &text);
  return text + "\n";
}

std::string CsvOf(const Members& members, const Json& rows) {
  CsvWriter csv(members);
  for (const Json& row : rows) {
    for (const std::string& member : members) {
      const Json cell = row.value(member, Json());
      if (cell.is_number_float() || cell == "Infinity" || cell == "-Infinity") {
        csv.Number(NumberFromJson(cell));
      } else {
        csv.Text(cell.is_null() ? "" : CellText(cell));
      }
    }
    csv.EndRow();
  }
  return csv.text();
}

void PrintTable(const Members& titles, const Json& rows, std::ostream& out) {
  std::vector<Members> lines = {titles};
  std::vector<bool> on_the_right(titles.size());
  for (const Json& row : rows) {
    Members& line = lines.emplace_back();
    for (const Json& cell : row) {
      if (IsNumber(cell)) on_the_right[line.size()] = true;
      line.push_back(cell.is_null() ? "-" : PlainText(CellText(cell)));
    }
  }
  PrintAligned(lines, on_the_right, out);
}

void PrintRows(const Members& members, const Json& rows, std::ostream& out) {
  Json cells = Json::array();
  for (const Json& row : rows) {
    Json& line = cells.emplace_back();
    for (const std::string& member : members) {
      line.push_back(row.value(member, Json()));
    }
  }
  PrintTable(members, cells, out);
}

void PrintFields(const Json& object, std::ostream& out) {
  std::vector<Members> lines;
  AddLines(object, "", &lines);
  PrintAligned(lines, {false, false}, out);
}

std::string MorePlacesText(const v1::Finding& finding) {
  std::string text;
  for (const v1::FindingPlace& place : finding.more_places()) {
    text += text.empty() ? "" : ", ";
    if (!place.joint().empty()) text += "joint " + place.joint();
    if (!place.link().empty()) text += "link " + place.link();
    if (place.line() > 0) text += ":" + std::to_string(place.line());
  }
  return text;
}

void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out) {
  std::uint32_t listed = 0;
  for (const v1::Finding& finding : report.findings()) {
    out << PlainText(source_name);
    if (finding.line() > 0) out << ":" << finding.line();
    out << ": " << EnumText(finding.severity()) << ": " << finding.code()
        << ": " << PlainText(finding.message());
    if (finding.count() > 1) {
      out << " [" << finding.count() << " in all; also "
          << PlainText(MorePlacesText(finding)) << "]";
    }
    out << "\n";
    listed += std::max<std::uint32_t>(finding.count(), 1);
  }
  const std::uint32_t all =
      report.errors() + report.warnings() + report.infos();
  if (all > listed) out << "... and " << all - listed << " more findings\n";
  const auto counted = [](std::uint32_t count, const char* noun) {
    return Cat(count, noun, count == 1 ? "" : "s");
  };
  out << counted(report.errors(), " error") << ", "
      << counted(report.warnings(), " warning") << ", "
      << counted(report.infos(), " info") << "\n";
}

std::string ModelText(const std::string& name, const std::string& revision) {
  return name + "@" + revision.substr(0, 12);
}

}  // namespace torqued::cli
