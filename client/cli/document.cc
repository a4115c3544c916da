#include "client/cli/document.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "client/cli/formats/csv.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

void CountsAsNumbers(const google::protobuf::Descriptor& type, Json& json) {
  for (const auto& [name, value] : json.items()) {
    const auto* const field = type.FindFieldByName(name);
    if (field->cpp_type() == field->CPPTYPE_UINT64) {
      value = std::stoull(value.get<std::string>());
    } else if (field->cpp_type() == field->CPPTYPE_MESSAGE) {
      if (value.is_object()) CountsAsNumbers(*field->message_type(), value);
      if (!value.is_array()) continue;
      for (Json& item : value) CountsAsNumbers(*field->message_type(), item);
    }
  }
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

using Lines = std::vector<std::pair<std::string, std::string>>;

void AddLines(const Json& object, const std::string& path, Lines* lines) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      AddLines(value, path + name + ".", lines);
    } else if (!value.empty() && !(value.is_array() && value[0].is_object())) {
      const std::string text = PlainText(CellText(value));
      if (!text.empty()) lines->emplace_back(path + name, text);
    }
  }
}

}  // namespace

Json Document(const google::protobuf::Message& message) {
  Json json = ToJson(message);
  CountsAsNumbers(*message.GetDescriptor(), json);
  return json;
}

std::string CsvOf(const Members& members, const Json& rows) {
  CsvWriter csv(members);
  for (const Json& row : rows) {
    for (const std::string& member : members) {
      const Json cell = row.value(member, Json());
      const auto number = NumberFromJson(cell);
      if (number && !cell.is_number_integer()) {
        csv.Number(*number);
      } else {
        csv.Text(cell.is_null() ? "" : CellText(cell));
      }
    }
    csv.EndRow();
  }
  return csv.text();
}

void PrintRows(const Members& members, const Json& rows, std::ostream& out) {
  std::vector<TableColumn> columns;
  for (const std::string& member : members) {
    const bool numbers = std::any_of(
        rows.begin(), rows.end(),
        [&](const Json& row) { return IsNumber(row.value(member, Json())); });
    columns.push_back({member, numbers ? Align::kRight : Align::kLeft});
  }
  Table table(std::move(columns));
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& member : members) {
      const Json cell = row.value(member, Json());
      cells.push_back(cell.is_null() ? "-" : CellText(cell));
    }
    table.Add(std::move(cells));
  }
  table.Print(out);
}

void PrintFields(const Json& object, std::ostream& out) {
  Lines lines;
  AddLines(object, "", &lines);
  std::size_t width = 0;
  for (const auto& [name, text] : lines) width = std::max(width, name.size());
  for (const auto& [name, text] : lines) {
    out << name << std::string(width + 2 - name.size(), ' ') << text << "\n";
  }
}

}  // namespace torqued::cli
