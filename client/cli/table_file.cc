#include "client/cli/table_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/csv_reader.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy_reader.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/named_columns.h"
#include "client/cli/near_hint.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

client::Batch* Input(client::States* states, std::string_view suffix) {
  if (suffix == "q") return &states->q;
  if (suffix == "v") return &states->v;
  if (suffix == "a") return &states->a;
  return &states->tau;
}

/// Continues the sentence that there is no v or a.
std::string DeriveHint(std::string_view suffix, const TableRules& rules) {
  if (rules.derived_by.empty() || (suffix != "v" && suffix != "a")) return "";
  return "; " + std::string(rules.derived_by) +
         " takes velocities and accelerations from the positions";
}

/// Continues the sentence that a column of the joints is missing.
std::string ColumnHint(const CsvTable& csv,
                       const std::vector<std::string>& joints,
                       std::string_view suffix, const TableRules& rules) {
  const auto bare = std::find_first_of(joints.begin(), joints.end(),
                                       csv.header.begin(), csv.header.end());
  if (bare == joints.end()) return DeriveHint(suffix, rules);
  const std::string name = PlainText(*bare, 128);
  return "; column '" + name + "' does not say what it holds: call it " + name +
         ".q where that are positions";
}

void TakeNamed(const CsvTable& csv, const TableRules& rules,
               StateTable* table) {
  NamedColumns columns(csv, table->name);
  for (const std::string_view suffix : rules.suffixes) {
    auto found = columns.Take(table->joints, suffix,
                              ColumnHint(csv, table->joints, suffix, rules));
    if (found) {
      *Input(&table->states, suffix) = std::move(*found);
    } else if (std::find(rules.required.begin(), rules.required.end(),
                         suffix) != rules.required.end()) {
      const std::string near = columns.NearHint(table->joints, suffix);
      throw DataError(
          table->name,
          "has no column " + table->joints.front() + "." + std::string(suffix) +
              ", nor of any other joint of the model" +
              (near.empty() ? ColumnHint(csv, table->joints, suffix, rules)
                            : near));
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
  const auto all = blocks + static_cast<Eigen::Index>(rules.ignored.size());
  const Eigen::Index columns = numbers.cols();
  const bool plain = columns == blocks * n || columns == all * n;
  const bool has_time = rules.with_time && !plain &&
                        (columns == blocks * n + 1 || columns == all * n + 1);
  if (!plain && !has_time) {
    std::string layout;
    for (const std::string_view suffix : rules.suffixes) {
      layout += (layout.empty() ? "" : ", ") + std::string(suffix);
    }
    const bool only_positions = columns == n || columns == n + 1;
    throw DataError(
        table->name,
        "has " + std::to_string(numbers.cols()) + " columns; " +
            std::to_string(n) + " joints with " + layout + " make " +
            std::to_string(blocks * n) +
            (rules.with_time ? ", or one more with the time first" : "") +
            (only_positions ? DeriveHint("v", rules) : ""));
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

/// Where each joint of the table stands in the file; the file's own that the
/// table does not have are unused.
std::vector<Eigen::Index> ColumnsIn(const std::vector<std::string>& file,
                                    StateTable* table) {
  std::map<std::string_view, Eigen::Index> places;
  for (std::size_t k = 0; k < file.size(); ++k) {
    if (!places.emplace(file[k], static_cast<Eigen::Index>(k)).second) {
      throw DataError(table->name,
                      "names joint '" + PlainText(file[k], 128) + "' twice");
    }
  }
  const std::set<std::string> joints(table->joints.begin(),
                                     table->joints.end());
  std::vector<Eigen::Index> columns;
  for (const std::string& joint : table->joints) {
    const auto place = places.find(joint);
    if (place == places.end()) {
      throw DataError(table->name,
                      "has no joint " + joint + NearHint(joint, file, joints));
    }
    columns.push_back(place->second);
    places.erase(place);
  }
  for (const auto& [joint, place] : places) table->unused.emplace_back(joint);
  return columns;
}

void TakeWrench(client::Batch wrench, Eigen::Index rows,
                const TableRules& rules, StateTable* table) {
  if (!rules.with_wrench) {
    throw DataError(table->name, "has a tip_wrench, which is not taken here");
  }
  if (wrench.rows() != rows && wrench.rows() != 1) {
    throw DataError(table->name, "tip_wrench has " +
                                     std::to_string(wrench.rows()) +
                                     " rows, not " + std::to_string(rows));
  }
  table->tip_wrench = std::move(wrench);
}

void TakeBlocks(StateBlocks blocks, bool ordered, const TableRules& rules,
                StateTable* table) {
  if (!blocks.joints && !ordered) {
    throw DataError(table->name,
                    "does not say whose columns these are; say what its joint "
                    "order is with --joints a,b,c or --joints canonical");
  }
  if (blocks.time.empty() && blocks.tables.empty()) {
    throw DataError(table->name, "has no rows");
  }
  const std::vector<std::string> joints = blocks.joints.value_or(table->joints);
  table->unused = std::move(blocks.unused);
  const std::vector<Eigen::Index> columns = ColumnsIn(joints, table);
  const auto width = static_cast<Eigen::Index>(joints.size());
  if (rules.with_time) table->time = std::move(blocks.time);

  Eigen::Index rows = -1;
  if (!table->time.empty())
    rows = static_cast<Eigen::Index>(table->time.size());
  for (const std::string_view suffix : rules.suffixes) {
    const auto found = blocks.tables.find(std::string(suffix));
    const bool empty =
        found == blocks.tables.end() || found->second.size() == 0;
    if (width == 0 && empty && rows > 0) {
      Input(&table->states, suffix)->resize(rows, 0);
      continue;
    }
    if (found == blocks.tables.end()) {
      if (std::find(rules.required.begin(), rules.required.end(), suffix) !=
          rules.required.end()) {
        throw DataError(table->name, "has no " + std::string(suffix) +
                                         DeriveHint(suffix, rules));
      }
      continue;
    }
    client::Batch& numbers = found->second;
    // Of a single joint, one dimension is a column.
    if (width == 1 && numbers.rows() == 1) numbers.transposeInPlace();
    if (rows < 0) rows = numbers.rows();
    if (numbers.rows() != rows || numbers.cols() != width) {
      throw DataError(
          table->name,
          std::string(suffix) + " has " + std::to_string(numbers.rows()) +
              " rows of " + std::to_string(numbers.cols()) + " numbers, not " +
              std::to_string(rows) + " of " + std::to_string(width));
    }
    *Input(&table->states, suffix) = numbers(Eigen::all, columns);
  }
  if (rows <= 0) throw DataError(table->name, "has no rows");
  if (blocks.tip_wrench) {
    TakeWrench(*std::move(blocks.tip_wrench), rows, rules, table);
  }
}

void TakeTable(CsvTable csv, bool ordered, const TableRules& rules,
               StateTable* table) {
  if (csv.numbers.rows() == 0) throw DataError(table->name, "has no rows");
  table->lines = std::move(csv.lines);
  if (!csv.header.empty()) {
    TakeNamed(csv, rules, table);
  } else if (!ordered) {
    throw DataError(table->name,
                    "has no column names; say what its joint order is with "
                    "--joints a,b,c or --joints canonical");
  } else {
    TakePlain(csv.numbers, rules, table);
  }
}

}  // namespace

std::string StateTable::Place(Eigen::Index row) const {
  const auto index = static_cast<std::size_t>(row);
  if (index < lines.size()) return name + ":" + std::to_string(lines[index]);
  return name + ", row " + std::to_string(row);
}

void StateTable::CheckTimes() const {
  for (std::size_t row = 0; row < time.size(); ++row) {
    const std::string place = Place(static_cast<Eigen::Index>(row));
    if (!std::isfinite(time[row])) {
      throw DataError(place,
                      "time " + ShortestText(time[row]) + " is not finite");
    }
    if (row > 0 && time[row] <= time[row - 1]) {
      throw DataError(place, "time " + ShortestText(time[row]) +
                                 " does not increase: the row before has " +
                                 ShortestText(time[row - 1]));
    }
  }
}

void StateTable::CheckNumbers() const {
  for (const auto& [suffix, numbers] :
       {std::pair<const char*, const client::Batch*>{"q", &states.q},
        {"v", &states.v},
        {"a", &states.a},
        {"tau", &states.tau}}) {
    if (numbers->allFinite()) continue;
    for (Eigen::Index row = 0; row < numbers->rows(); ++row) {
      for (Eigen::Index k = 0; k < numbers->cols(); ++k) {
        const double number = (*numbers)(row, k);
        if (std::isfinite(number)) continue;
        throw DataError(Place(row),
                        PlainText(joints[static_cast<std::size_t>(k)], 128) +
                            "." + suffix + ": " + ShortestText(number) +
                            " is not a finite number");
      }
    }
  }
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
  const bool ordered = order.has_value();
  table.container = ContainerOfContent(content, path);
  switch (table.container) {
    case Container::kCsv:
      TakeTable(ParseCsv(content, table.name), ordered, rules, &table);
      break;
    case Container::kNpy:
      TakeTable(
          {.header = {}, .numbers = ParseNpy(content, table.name), .lines = {}},
          ordered, rules, &table);
      break;
    case Container::kNpz:
      TakeBlocks(BlocksOfNpz(content, rules.suffixes, table.name), ordered,
                 rules, &table);
      break;
    case Container::kYaml:
      TakeBlocks(BlocksOfYaml(content, rules.suffixes, table.name), ordered,
                 rules, &table);
      break;
    case Container::kJson:
      TakeBlocks(BlocksOfJson(content, rules.suffixes, table.name), ordered,
                 rules, &table);
      break;
  }
  return table;
}

}  // namespace torqued::cli
