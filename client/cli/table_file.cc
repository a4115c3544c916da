#include "client/cli/table_file.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/message_json.h"
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
    RequireData(holds, table_.name, problem...);
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
            "the file does not say whose columns these are; give their joint "
            "order with --joint-names a,b,c or --joint-names canonical");
  }

  void TakeTime(const auto& column) {
    table_.time.assign(column.begin(), column.end());
  }

  /// What stands in the file and nobody takes.
  void TakeUnused(const std::vector<std::string>& there,
                  const std::set<std::string>& taken) {
    std::copy_if(there.begin(), there.end(), std::back_inserter(table_.unused),
                 [&](const auto& name) { return !taken.contains(name); });
  }

  void TakeNamed(const CsvTable& csv) {
    const std::set<std::string> there(csv.header.begin(), csv.header.end());
    std::set<std::string> known = {"time"}, taken;
    for (const std::string& joint : table_.joints) {
      for (const char* const suffix : {".q", ".v", ".a", ".tau"}) {
        known.insert(joint + suffix);
      }
    }
    const auto places = [&](const std::vector<std::string>& names,
                            const std::string& hint) {
      taken.insert(names.begin(), names.end());
      return PlacesOf(names, csv.header, known, "column", table_.name, hint);
    };
    for (const std::string_view suffix : rules_.suffixes) {
      std::vector<std::string> names;
      names.reserve(table_.joints.size());
      for (const std::string& joint : table_.joints) {
        names.push_back(Cat(joint, ".", suffix));
      }
      const bool is_there =
          std::any_of(names.begin(), names.end(),
                      [&](const auto& name) { return there.contains(name); });
      if (!is_there && !IsRequired(suffix)) continue;
      Input(&table_.states, suffix) =
          csv.numbers(Eigen::all, places(names, DeriveHint(suffix)));
    }
    if (rules_.with_time && there.contains("time")) {
      TakeTime(csv.numbers.col(places({"time"}, "").front()));
    }
    TakeUnused(csv.header, taken);
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
    const std::vector<std::string>& own = table_.joints;
    const std::set<std::string> known(own.begin(), own.end());
    const std::vector<std::string> joints = blocks.joints.value_or(own);
    const auto columns = PlacesOf(own, joints, known, "joint", table_.name);
    table_.unused = std::move(blocks.unused);
    TakeUnused(joints, known);
    if (rules_.with_time) table_.time = std::move(blocks.time);

    const auto width = static_cast<Eigen::Index>(joints.size());
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

std::vector<Eigen::Index> PlacesOf(const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& there,
                                   const std::set<std::string>& known,
                                   const std::string& what,
                                   const std::string& file,
                                   const std::string& hint) {
  std::map<std::string_view, Eigen::Index> places;
  std::vector<std::string> others;
  for (const std::string& name : there) {
    const auto place = static_cast<Eigen::Index>(places.size());
    RequireData(places.emplace(name, place).second, file, "the file has ", what,
                " '", Printable(name, 128), "' twice");
    if (!known.contains(name)) others.push_back(name);
  }
  std::vector<Eigen::Index> found;
  for (const std::string& name : wanted) {
    const auto place = places.find(name);
    RequireData(
        place != places.end(), file, "the file has no ", what, " ", name, [&] {
          const auto near = flags::NearNames(name, others);
          return near.empty()
                     ? hint
                     : Cat("; did you mean ", Printable(near[0], 128), "?");
        });
    found.push_back(place->second);
  }
  return found;
}

std::string StateTable::Place(Eigen::Index row) const {
  const auto index = static_cast<std::size_t>(row);
  if (index < lines.size()) return name + ":" + std::to_string(lines[index]);
  return name + ", row " + std::to_string(row);
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
    RequireData(joint.nq() == 1 && joint.nv() == 1, table.name,
                "cannot be matched with joint ", joint.name(),
                ", which has several coordinates");
    if (canonical) table.joints.push_back(joint.name());
  }
  const std::string content = ReadFile(path);
  Reader(rules, order.has_value(), &table)
      .Read(content, ContainerOfContent(content, path));
  return table;
}

}  // namespace torqued::cli
