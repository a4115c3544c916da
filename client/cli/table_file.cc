#include "client/cli/table_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/npy.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/named_columns.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

client::Batch& Input(client::States* states, std::string_view suffix) {
  if (suffix == "q") return states->q;
  if (suffix == "v") return states->v;
  if (suffix == "a") return states->a;
  return states->tau;
}

/// Reads one file; the table has its name and the joints that are asked for.
class Reader {
 public:
  Reader(const TableRules& rules, bool is_ordered, StateTable* table)
      : rules_(rules), is_ordered_(is_ordered), table_(*table) {}

  void Read(std::string_view content, Container container) {
    const std::string& name = table_.name;
    switch (container) {
      case Container::kNpz:
        Take(ParseNpz(content, rules_.suffixes, name));
        break;
      case Container::kYaml:
        Take(ParseJointTrajectoryYaml(content, rules_.suffixes, name));
        break;
      case Container::kJson:
        Take(ParseJointTrajectoryJson(content, rules_.suffixes, name));
        break;
      case Container::kCsv:
      case Container::kNpy: {
        CsvTable csv = ParseTable(content, name);
        if (csv.numbers.rows() == 0) Fail("the file has no rows");
        table_.lines = std::move(csv.lines);
        Take(csv.header.empty() ? Plain(csv.numbers) : Named(csv));
      }
    }
  }

 private:
  [[noreturn]] void Fail(const std::string& problem) const {
    throw DataError(table_.name, problem);
  }

  bool IsRequired(std::string_view suffix) const {
    return std::find(rules_.required.begin(), rules_.required.end(), suffix) !=
           rules_.required.end();
  }

  /// Continues the sentence that there is no v or a.
  std::string DeriveHint(std::string_view suffix) const {
    if (rules_.derived_by.empty() || (suffix != "v" && suffix != "a")) {
      return "";
    }
    return "; " + std::string(rules_.derived_by) +
           " takes velocities and accelerations from the positions";
  }

  /// Continues the sentence that a column of the joints is missing.
  std::string ColumnHint(const CsvTable& csv, std::string_view suffix) const {
    const auto bare =
        std::find_first_of(table_.joints.begin(), table_.joints.end(),
                           csv.header.begin(), csv.header.end());
    if (bare == table_.joints.end()) return DeriveHint(suffix);
    const std::string joint = PlainText(*bare, 128);
    return "; column '" + joint + "' does not say what it holds: call it " +
           joint + ".q where that are positions";
  }

  StateBlocks Named(const CsvTable& csv) const {
    NamedColumns columns(csv, table_.name);
    StateBlocks blocks;
    blocks.joints = table_.joints;
    for (const std::string_view suffix : rules_.suffixes) {
      const std::string hint = ColumnHint(csv, suffix);
      auto found = columns.Take(table_.joints, suffix, hint);
      if (found) {
        blocks.tables.emplace(suffix, std::move(*found));
      } else if (IsRequired(suffix)) {
        const std::string near = columns.NearHint(table_.joints, suffix);
        Fail("the file has no column " + table_.joints.front() + "." +
             std::string(suffix) + ", nor of any other joint of the model" +
             (near.empty() ? hint : near));
      }
    }
    if (rules_.with_time) {
      blocks.time = columns.TakeOne("time").value_or(std::vector<double>{});
    }
    blocks.unused = columns.Unused();
    return blocks;
  }

  void RequireOrder() const {
    if (is_ordered_) return;
    Fail(
        "does not say whose columns these are; say what its joint order is "
        "with --joint-names a,b,c or --joint-names canonical");
  }

  StateBlocks Plain(const client::Batch& numbers) const {
    RequireOrder();
    const auto n = static_cast<Eigen::Index>(table_.joints.size());
    const auto taken = static_cast<Eigen::Index>(rules_.suffixes.size()) * n;
    const auto all =
        taken + static_cast<Eigen::Index>(rules_.ignored.size()) * n;
    const Eigen::Index columns = numbers.cols();
    const bool has_time = rules_.with_time && columns != taken &&
                          columns != all &&
                          (columns == taken + 1 || columns == all + 1);
    if (!has_time && columns != taken && columns != all) {
      std::string layout;
      for (const std::string_view suffix : rules_.suffixes) {
        layout += (layout.empty() ? "" : ", ") + std::string(suffix);
      }
      const bool only_positions = columns == n || columns == n + 1;
      Fail("has " + std::to_string(columns) + " columns; " + std::to_string(n) +
           " joints with " + layout + " make " + std::to_string(taken) +
           (rules_.with_time ? ", or one more with the time first" : "") +
           (only_positions ? DeriveHint("v") : ""));
    }
    StateBlocks blocks;
    if (has_time) {
      const auto time = numbers.col(0);
      blocks.time.assign(time.begin(), time.end());
    }
    Eigen::Index column = has_time ? 1 : 0;
    for (const std::string_view suffix : rules_.suffixes) {
      blocks.tables.emplace(suffix, numbers.middleCols(column, n));
      column += n;
    }
    return blocks;
  }

  /// Where each joint of the table stands in the file; the file's own that the
  /// table does not have are unused.
  std::vector<Eigen::Index> ColumnsIn(const std::vector<std::string>& file) {
    std::map<std::string_view, Eigen::Index> places;
    for (std::size_t k = 0; k < file.size(); ++k) {
      if (!places.emplace(file[k], static_cast<Eigen::Index>(k)).second) {
        Fail("names joint '" + PlainText(file[k], 128) + "' twice");
      }
    }
    std::vector<Eigen::Index> columns;
    for (const std::string& joint : table_.joints) {
      const auto place = places.find(joint);
      if (place == places.end()) {
        Fail("the file has no joint " + joint +
             NearHint(joint, file,
                      {table_.joints.begin(), table_.joints.end()}));
      }
      columns.push_back(place->second);
      places.erase(place);
    }
    for (const auto& [joint, place] : places) {
      table_.unused.emplace_back(joint);
    }
    return columns;
  }

  void Take(StateBlocks blocks) {
    if (!blocks.joints) RequireOrder();
    if (blocks.time.empty() && blocks.tables.empty())
      Fail("the file has no rows");
    const std::vector<std::string> joints =
        blocks.joints.value_or(table_.joints);
    table_.unused = std::move(blocks.unused);
    const std::vector<Eigen::Index> columns = ColumnsIn(joints);
    const auto width = static_cast<Eigen::Index>(joints.size());
    if (rules_.with_time) table_.time = std::move(blocks.time);

    Eigen::Index rows = table_.time.empty()
                            ? -1
                            : static_cast<Eigen::Index>(table_.time.size());
    for (const std::string_view suffix : rules_.suffixes) {
      client::Batch& input = Input(&table_.states, suffix);
      const auto found = blocks.tables.find(suffix);
      const bool is_there = found != blocks.tables.end();
      if (width == 0 && rows > 0 && (!is_there || found->second.size() == 0)) {
        input.resize(rows, 0);
        continue;
      }
      if (!is_there) {
        if (!IsRequired(suffix)) continue;
        Fail("has no " + std::string(suffix) + DeriveHint(suffix));
      }
      client::Batch& numbers = found->second;
      // Of a single joint, one dimension is a column.
      if (width == 1 && numbers.rows() == 1) numbers.transposeInPlace();
      if (rows < 0) rows = numbers.rows();
      if (numbers.rows() != rows || numbers.cols() != width) {
        Fail(std::string(suffix) + " has " + std::to_string(numbers.rows()) +
             " rows of " + std::to_string(numbers.cols()) + " numbers, not " +
             std::to_string(rows) + " of " + std::to_string(width));
      }
      input = numbers(Eigen::all, columns);
    }
    if (rows <= 0) Fail("the file has no rows");
    if (!blocks.tip_wrench) return;
    if (!rules_.with_wrench)
      Fail("the file has a tip_wrench, which only a check takes");
    table_.tip_wrench = *std::move(blocks.tip_wrench);
    const Eigen::Index wrenches = table_.tip_wrench.rows();
    if (wrenches != rows && wrenches != 1) {
      Fail("tip_wrench has " + std::to_string(wrenches) + " rows, not " +
           std::to_string(rows));
    }
  }

  const TableRules& rules_;
  const bool is_ordered_;
  StateTable& table_;
};

}  // namespace

std::string StateTable::Place(Eigen::Index row) const {
  const auto index = static_cast<std::size_t>(row);
  if (index < lines.size()) return name + ":" + std::to_string(lines[index]);
  return name + ", row " + std::to_string(row);
}

void StateTable::CheckSamples() const {
  for (std::size_t row = 0; row < time.size(); ++row) {
    const auto fail = [&](const std::string& problem) {
      throw DataError(Place(static_cast<Eigen::Index>(row)),
                      "time " + ShortestText(time[row]) + problem);
    };
    if (!std::isfinite(time[row])) fail(" is not finite");
    if (row > 0 && time[row] <= time[row - 1]) {
      fail(" does not increase: the row before has " +
           ShortestText(time[row - 1]));
    }
  }
  for (const auto& [suffix, numbers] :
       {std::pair<const char*, const client::Batch*>{"q", &states.q},
        {"v", &states.v},
        {"a", &states.a},
        {"tau", &states.tau}}) {
    for (Eigen::Index k = 0; k < numbers->size(); ++k) {
      const double number = numbers->data()[k];
      if (std::isfinite(number)) continue;
      const auto joint = static_cast<std::size_t>(k % numbers->cols());
      throw DataError(Place(k / numbers->cols()),
                      PlainText(joints[joint], 128) + "." + suffix + ": " +
                          ShortestText(number) + " is not a finite number");
    }
  }
}

StateTable ReadStateTable(const std::filesystem::path& path,
                          const v1::ModelInfo& model,
                          const std::optional<std::vector<std::string>>& order,
                          const TableRules& rules) {
  StateTable table;
  table.name = path.string();
  if (order) table.joints = *order;
  const bool canonical = table.joints.empty();
  for (const v1::JointInfo& joint : model.joints()) {
    if (joint.nq() != 1 || joint.nv() != 1) {
      throw DataError(table.name, "cannot be matched with joint " +
                                      joint.name() +
                                      ", which has several coordinates");
    }
    if (canonical) table.joints.push_back(joint.name());
  }
  const std::string content = ReadFile(path);
  Reader(rules, order.has_value(), &table)
      .Read(content, ContainerOfContent(content, path));
  return table;
}

}  // namespace torqued::cli
