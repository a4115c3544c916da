#include "client/cli/table_file.h"

#include <algorithm>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/csv_reader.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy_reader.h"
#include "client/cli/named_columns.h"

namespace torqued::cli {
namespace {

client::Batch* Input(client::States* states, std::string_view suffix) {
  if (suffix == "q") return &states->q;
  if (suffix == "v") return &states->v;
  if (suffix == "a") return &states->a;
  return &states->tau;
}

void TakeNamed(const CsvTable& csv, const TableRules& rules,
               StateTable* table) {
  NamedColumns columns(csv, table->name);
  for (const std::string_view suffix : rules.suffixes) {
    auto found = columns.Take(table->joints, suffix);
    if (found) {
      *Input(&table->states, suffix) = std::move(*found);
    } else if (std::find(rules.required.begin(), rules.required.end(),
                         suffix) != rules.required.end()) {
      throw DataError(table->name, "has no column " + table->joints.front() +
                                       "." + std::string(suffix) +
                                       ", nor of any other joint of the model");
    }
  }
  if (rules.with_time) {
    table->time = columns.TakeOne("time").value_or(std::vector<double>{});
  }
  table->unused = columns.Unused();
}

void TakePlain(const client::Batch& numbers, const TableRules& rules,
               StateTable* table) {
  const auto n = static_cast<Eigen::Index>(table->joints.size());
  const auto blocks = static_cast<Eigen::Index>(rules.suffixes.size());
  const bool has_time = rules.with_time && numbers.cols() == blocks * n + 1;
  if (numbers.cols() != blocks * n && !has_time) {
    std::string layout;
    for (const std::string_view suffix : rules.suffixes) {
      layout += (layout.empty() ? "" : ", ") + std::string(suffix);
    }
    throw DataError(
        table->name,
        "has " + std::to_string(numbers.cols()) + " columns; " +
            std::to_string(n) + " joints with " + layout + " make " +
            std::to_string(blocks * n) +
            (rules.with_time ? ", or one more with the time first" : ""));
  }
  Eigen::Index column = 0;
  if (has_time) {
    const auto time = numbers.col(0);
    table->time.assign(time.begin(), time.end());
    column = 1;
  }
  for (const std::string_view suffix : rules.suffixes) {
    *Input(&table->states, suffix) = numbers.middleCols(column, n);
    column += n;
  }
}

}  // namespace

std::string StateTable::Place(Eigen::Index row) const {
  const auto index = static_cast<std::size_t>(row);
  if (index < lines.size()) return name + ":" + std::to_string(lines[index]);
  return name + ", row " + std::to_string(row);
}

std::vector<std::string> JointNames(const v1::ModelInfo& model) {
  std::vector<std::string> names;
  for (const v1::JointInfo& joint : model.joints()) {
    names.push_back(joint.name());
  }
  return names;
}

StateTable ReadStateTable(const std::filesystem::path& path,
                          const v1::ModelInfo& model,
                          const std::optional<std::vector<std::string>>& order,
                          const TableRules& rules) {
  StateTable table;
  table.name = path.string();
  table.joints = order && !order->empty() ? *order : JointNames(model);
  for (const v1::JointInfo& joint : model.joints()) {
    if (joint.nq() != 1 || joint.nv() != 1) {
      throw DataError(table.name, "cannot be matched with joint " +
                                      joint.name() +
                                      ", which has several coordinates");
    }
  }

  const std::string content = ReadFile(path);
  CsvTable csv;
  if (LooksLikeNpy(content)) {
    csv.numbers = ParseNpy(content, table.name);
  } else {
    csv = ParseCsv(content, table.name);
  }
  if (csv.numbers.rows() == 0) throw DataError(table.name, "has no rows");
  table.lines = std::move(csv.lines);

  if (!csv.header.empty()) {
    TakeNamed(csv, rules, &table);
  } else if (!order) {
    throw DataError(table.name,
                    "has no column names; say what its joint order is with "
                    "--joints a,b,c or --joints canonical");
  } else {
    TakePlain(csv.numbers, rules, &table);
  }
  return table;
}

}  // namespace torqued::cli
