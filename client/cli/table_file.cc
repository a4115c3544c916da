#include "client/cli/table_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/json_tree.h"
#include "client/cli/formats/npy.h"
#include "client/cli/number_lists.h"
#include "core/base/text.h"
#include "server/flags/near_names.h"

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
    if (container == Container::kNpz) {
      TakeBlocks(ParseNpz(content, rules_.suffixes, name));
    } else if (container == Container::kYaml) {
      TakeBlocks(ReadJointTrajectory(ParseYaml(content, kTrajectoryDepth, name),
                                     rules_.suffixes, name));
    } else if (container == Container::kJson) {
      TakeBlocks(
          ReadJointTrajectory(ParseJsonText(content, kTrajectoryDepth, name),
                              rules_.suffixes, name));
    } else {
      CsvTable csv = ParseTable(content, name);
      Require(csv.numbers.rows() > 0, "the file has no rows");
      csv.header.empty() ? TakePlain(csv.numbers) : TakeNamed(csv);
      table_.lines = std::move(csv.lines);
    }
  }

 private:
  void Require(bool holds, const auto&... problem) const {
    if (!holds) throw DataError(table_.name, Cat(problem...));
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
    return Cat("; ", rules_.derived_by,
               " takes velocities and accelerations from the positions");
  }

  void RequireOrder() const {
    Require(is_ordered_,
            "does not say whose columns these are; say what its joint order "
            "is with --joint-names a,b,c or --joint-names canonical");
  }

  void TakeTime(const auto& column) {
    table_.time.assign(column.begin(), column.end());
  }

  void TakeNamed(const CsvTable& csv) {
    std::set<std::string> known = {"time"};
    for (const std::string& joint : table_.joints) {
      for (const char* const suffix : {".q", ".v", ".a", ".tau"}) {
        known.insert(joint + suffix);
      }
    }
    const std::set<std::string> there(csv.header.begin(), csv.header.end());
    ColumnNames names("column", csv.header, std::move(known), table_.name);
    for (const std::string_view suffix : rules_.suffixes) {
      const auto is_there = [&](const std::string& joint) {
        return there.contains(Cat(joint, ".", suffix));
      };
      if (!IsRequired(suffix) &&
          std::none_of(table_.joints.begin(), table_.joints.end(), is_there)) {
        continue;
      }
      std::vector<Eigen::Index> columns;
      for (const std::string& joint : table_.joints) {
        columns.push_back(
            names.Require(Cat(joint, ".", suffix), DeriveHint(suffix)));
      }
      Input(&table_.states, suffix) = csv.numbers(Eigen::all, columns);
    }
    const auto time = rules_.with_time ? names.Find("time") : std::nullopt;
    if (time) TakeTime(csv.numbers.col(*time));
    table_.unused = names.Unused();
  }

  void TakePlain(const client::Batch& numbers) {
    RequireOrder();
    const auto n = static_cast<Eigen::Index>(table_.joints.size());
    const auto taken = static_cast<Eigen::Index>(rules_.suffixes.size()) * n;
    const auto all =
        taken + static_cast<Eigen::Index>(rules_.ignored.size()) * n;
    const Eigen::Index columns = numbers.cols();
    const bool fits = columns == taken || columns == all;
    const bool has_time = !fits && rules_.with_time &&
                          (columns == taken + 1 || columns == all + 1);
    Require(
        fits || has_time, "has ", columns, " columns; ", n, " joints with ",
        [this] {
          return Joined({rules_.suffixes.begin(), rules_.suffixes.end()});
        },
        " make ", taken,
        rules_.with_time ? ", or one more with the time first" : "",
        columns <= n + 1 ? DeriveHint("v") : "");
    if (has_time) TakeTime(numbers.col(0));
    Eigen::Index column = has_time ? 1 : 0;
    for (const std::string_view suffix : rules_.suffixes) {
      Input(&table_.states, suffix) = numbers.middleCols(column, n);
      column += n;
    }
  }

  void TakeBlocks(StateBlocks blocks) {
    if (!blocks.joints) RequireOrder();
    ColumnNames joints("joint", blocks.joints.value_or(table_.joints),
                       {table_.joints.begin(), table_.joints.end()},
                       table_.name);
    std::vector<Eigen::Index> columns;
    for (const std::string& joint : table_.joints) {
      columns.push_back(joints.Require(joint));
    }
    table_.unused = joints.Unused();
    table_.unused.insert(table_.unused.end(), blocks.unused.begin(),
                         blocks.unused.end());
    if (rules_.with_time) table_.time = std::move(blocks.time);

    const auto width =
        static_cast<Eigen::Index>(blocks.joints.value_or(table_.joints).size());
    auto rows = static_cast<Eigen::Index>(table_.time.size());
    for (const std::string_view suffix : rules_.suffixes) {
      client::Batch& input = Input(&table_.states, suffix);
      client::Batch& numbers = blocks.tables[std::string(suffix)];
      if (width == 0 && numbers.size() == 0) numbers.resize(rows, 0);
      if (numbers.rows() == 0 && width > 0) {
        Require(!IsRequired(suffix), "has no ", suffix, DeriveHint(suffix));
        continue;
      }
      // Of a single joint, one dimension is a column.
      if (width == 1 && numbers.rows() == 1) numbers.transposeInPlace();
      if (rows == 0) rows = numbers.rows();
      Require(numbers.rows() == rows && numbers.cols() == width, suffix,
              " has ", numbers.rows(), " rows of ", numbers.cols(),
              " numbers, not ", rows, " of ", width);
      input = numbers(Eigen::all, columns);
    }
    Require(rows > 0, "the file has no rows");
    if (!blocks.tip_wrench) return;
    Require(rules_.with_wrench,
            "the file has a tip_wrench, which only a check takes");
    table_.tip_wrench = *std::move(blocks.tip_wrench);
    const Eigen::Index wrenches = table_.tip_wrench.rows();
    Require(wrenches == rows || wrenches == 1, "tip_wrench has ", wrenches,
            " rows, not ", rows);
  }

  const TableRules& rules_;
  const bool is_ordered_;
  StateTable& table_;
};

}  // namespace

ColumnNames::ColumnNames(std::string what, std::vector<std::string> names,
                         std::set<std::string> known, std::string file)
    : what_(std::move(what)),
      names_(std::move(names)),
      known_(std::move(known)),
      file_(std::move(file)),
      used_(names_.size()) {
  std::set<std::string_view> there;
  for (const std::string& name : names_) {
    if (there.insert(name).second) continue;
    throw DataError(file_, Cat("the file has ", what_, " '",
                               Printable(name, 128), "' twice"));
  }
}

std::optional<Eigen::Index> ColumnNames::Find(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  used_[static_cast<std::size_t>(found - names_.begin())] = true;
  return found - names_.begin();
}

Eigen::Index ColumnNames::Require(const std::string& name,
                                  const std::string& hint) {
  if (const auto found = Find(name)) return *found;
  std::vector<std::string> others = Unused();
  std::erase_if(others,
                [this](const auto& other) { return known_.contains(other); });
  const std::vector<std::string> near = flags::NearNames(name, others);
  throw DataError(
      file_, Cat("the file has no ", what_, " ", Printable(name, 128),
                 near.empty()
                     ? hint
                     : "; did you mean " + Printable(near.front(), 128) + "?"));
}

std::vector<std::string> ColumnNames::Unused() const {
  std::vector<std::string> unused;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (!used_[k]) unused.push_back(names_[k]);
  }
  return unused;
}

std::string StateTable::Place(Eigen::Index row) const {
  const auto index = static_cast<std::size_t>(row);
  if (index < lines.size()) return name + ":" + std::to_string(lines[index]);
  return name + ", row " + std::to_string(row);
}

void StateTable::CheckSamples() const {
  for (std::size_t row = 0; row < time.size(); ++row) {
    const auto fail = [&](const std::string& problem) {
      throw DataError(Place(static_cast<Eigen::Index>(row)),
                      "time " + NumberText(time[row]) + problem);
    };
    if (!std::isfinite(time[row])) fail(" is not finite");
    if (row > 0 && time[row] <= time[row - 1]) {
      fail(" does not increase: the row before has " +
           NumberText(time[row - 1]));
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
                      Printable(joints[joint], 128) + "." + suffix + ": " +
                          NumberText(number) + " is not a finite number");
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
