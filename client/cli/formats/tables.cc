#include <absl/strings/ascii.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <utility>

#include "client/cli/formats/container.h"
#include "client/cli/formats/text.h"
#include "server/flags/near_names.h"

namespace torqued::cli {
namespace {

/// Puts a row into `numbers`, or says what is wrong with it.
void TakeRow(std::string_view line, const std::vector<std::string>& header,
             const std::string& name, std::int64_t number_of_line,
             std::span<double> numbers) {
  const auto fail = [&](const auto&... problem) {
    // Bytes that spreadsheets write.
    const bool has_others = line.find_first_of(";\t") != std::string_view::npos;
    throw DataError(
        Cat(name, ":", number_of_line), problem...,
        has_others ? "; columns are separated by commas, numbers have a point"
                   : "");
  };
  std::size_t count = 0;
  const char* const end = line.data() + line.size();
  const char* at = line.data();
  for (bool has_more = true; has_more; ++count) {
    double number = 0;
    auto [stop, error] = std::from_chars(at, end, number);
    // Any other form than that which programs write takes longer.
    if (error != std::errc() || (stop != end && *stop != ',')) {
      stop = std::find(at, end, ',');
      const std::string_view cell(at, stop);
      const auto found = ParseNumber(cell);
      if (!found && count < numbers.size()) {
        fail("column ", count + 1,
             header.empty() ? "" : " (" + Printable(header[count], 40) + ")",
             ": '", Printable(cell, 40), "' is not a number");
      }
      number = found.value_or(0);
    }
    if (count < numbers.size()) numbers[count] = number;
    has_more = stop != end;
    at = has_more ? stop + 1 : end;
  }
  if (count != numbers.size()) {
    fail("has ", count, " cells, the lines before have ", numbers.size());
  }
}

Container ContainerOfContent(std::string_view content,
                             const std::filesystem::path& path) {
  if (LooksLikeNpy(content)) return Container::kNpy;
  if (content.starts_with("PK\x03\x04") || content.starts_with("PK\x05\x06")) {
    return Container::kNpz;
  }
  const auto named = ContainerOfName(path);
  if (named == Container::kYaml || named == Container::kJson) return *named;
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && content[begin] == '{') {
    return Container::kJson;
  }
  // No CSV has a line that begins so.
  const std::size_t names = content.find("joint_names:");
  if (names == std::string_view::npos) return Container::kCsv;
  const std::size_t before = content.substr(0, names).find_last_not_of(' ');
  const bool begins_line =
      before == std::string_view::npos || content[before] == '\n';
  return begins_line ? Container::kYaml : Container::kCsv;
}

/// Reads a file of the joints that are asked for.
struct Reader {
  const TableRules& rules;
  std::vector<std::string> wanted;  // joints
  bool is_ordered;
  std::string file;

  StateTable Read(std::string_view content, Container container) const {
    StateTable table;
    if (container == Container::kNpz) {
      table = ParseNpz(content, rules.suffixes, file);
      Arrange(&table);
    } else if (container == Container::kYaml || container == Container::kJson) {
      auto* const parse =
          container == Container::kYaml ? &ParseYaml : &ParseJsonText;
      table = ReadJointTrajectory(parse(content, file), rules.suffixes, file);
      Arrange(&table);
    } else {
      CsvTable csv = ParseTable(content, file);
      Require(csv.numbers.rows() > 0, "the file has no rows");
      const bool is_plain = csv.header.empty();
      if (is_plain) csv.header = HeaderOf(csv.numbers.cols());
      Take(csv, &table);
      if (is_plain) table.unused.clear();
      table.lines = std::move(csv.lines);
    }
    table.name = file;
    table.joints = wanted;
    return table;
  }

  void Require(bool holds, const auto&... problem) const {
    RequireData(holds, file, problem...);
  }

  bool IsRequired(std::string_view suffix) const {
    return std::ranges::count(rules.required, suffix) > 0;
  }

  /// Continues the sentence that there is no v or a.
  std::string MissingHint(std::string_view suffix) const {
    if (!rules.is_trajectory || !IsRequired(suffix)) return "";
    if (suffix == "q")
      return "; a joint that stands still needs its column too";
    return "; --derive cubic_spline or --derive quintic_spline takes velocities"
           " and accelerations from the positions";
  }

  void RequireOrder() const {
    Require(is_ordered,
            "the file does not say whose columns these are; give their joint "
            "order with --joint-names a,b,c or --joint-names canonical");
  }

  void Take(const CsvTable& csv, StateTable* table) const {
    const std::set<std::string> there(csv.header.begin(), csv.header.end());
    const std::vector<std::string> all = ColumnsOf({"q", "v", "a", "tau"});
    std::set<std::string> known(all.begin(), all.end()), taken;
    const auto take = [&](const std::vector<std::string>& names,
                          const std::string& hint) -> client::Batch {
      taken.insert(names.begin(), names.end());
      return csv.numbers(
          Eigen::all, PlacesOf(names, csv.header, known, "column", file, hint));
    };
    for (const std::string_view suffix : rules.suffixes) {
      const std::vector<std::string> names = ColumnsOf({suffix});
      const bool is_there = std::ranges::any_of(
          names, [&](const auto& name) { return there.contains(name); });
      if (!is_there && !IsRequired(suffix)) continue;
      table->tables[std::string(suffix)] = take(names, MissingHint(suffix));
    }
    if (rules.is_trajectory && there.contains("time")) {
      const client::Batch time = take({"time"}, "");
      table->time.assign(time.data(), time.data() + time.size());
    }
    AddOthers(csv.header, taken, table);
  }

  std::vector<std::string> ColumnsOf(const Suffixes& suffixes) const {
    std::vector<std::string> names;
    for (const std::string_view suffix : suffixes) {
      for (const std::string& joint : wanted) {
        names.push_back(Cat(joint, ".", suffix));
      }
    }
    return names;
  }

  /// The names of plain columns.
  std::vector<std::string> HeaderOf(Eigen::Index columns) const {
    RequireOrder();
    const std::ptrdiff_t n = std::ssize(wanted);
    const std::ptrdiff_t taken = std::ssize(rules.suffixes) * n;
    Suffixes blocks = rules.suffixes;
    if (columns > taken + 1) {
      blocks.insert(blocks.end(), rules.ignored.begin(), rules.ignored.end());
    }
    std::vector<std::string> names = ColumnsOf(blocks);
    if (columns == std::ssize(names) + 1 && rules.is_trajectory) {
      names.insert(names.begin(), "time");
    }
    Require(columns == std::ssize(names), "has ", columns, " columns; ", n,
            " joints with ",
            Joined({rules.suffixes.begin(), rules.suffixes.end()}), " make ",
            taken,
            rules.is_trajectory ? ", or one more with the time first" : "",
            columns <= n + 1 ? MissingHint("v") : "");
    return names;
  }

  void Arrange(StateTable* table) const {
    if (!table->joints) RequireOrder();
    const std::set<std::string> known(wanted.begin(), wanted.end());
    const std::vector<std::string> joints = table->joints.value_or(wanted);
    const auto columns = PlacesOf(wanted, joints, known, "joint", file);
    AddOthers(joints, known, table);
    if (!rules.is_trajectory) table->time.clear();

    const std::ptrdiff_t width = std::ssize(joints);
    Eigen::Index rows = std::ssize(table->time);
    for (const std::string_view suffix : rules.suffixes) {
      client::Batch& numbers = table->tables[std::string(suffix)];
      if (width == 0 && numbers.size() == 0) numbers.resize(rows, 0);
      if (numbers.rows() == 0 && width > 0) {
        Require(!IsRequired(suffix), "has no ", suffix, MissingHint(suffix));
        continue;
      }
      // For a single joint, one dimension is a column.
      if (width == 1 && numbers.rows() == 1) numbers.transposeInPlace();
      if (rows == 0) rows = numbers.rows();
      Require(numbers.rows() == rows && numbers.cols() == width, suffix,
              " has ", numbers.rows(), " rows of ", numbers.cols(),
              " numbers, not ", rows, " of ", width);
      numbers = numbers(Eigen::all, columns).eval();
    }
    Require(rows > 0, "the file has no rows");
    if (!table->tip_wrench) return;
    Require(rules.is_trajectory,
            "the file has a tip_wrench, which only a check takes");
    const Eigen::Index wrenches = table->tip_wrench->rows();
    Require(wrenches == rows || wrenches == 1, "tip_wrench has ", wrenches,
            " rows, not ", rows);
  }

  static void AddOthers(const std::vector<std::string>& there,
                        const std::set<std::string>& taken, StateTable* table) {
    std::ranges::copy_if(
        there, std::back_inserter(table->unused),
        [&](const auto& name) { return !taken.contains(name); });
  }
};

}  // namespace

CsvTable ParseCsv(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(3);
  CsvTable table;
  client::Batch& numbers = table.numbers;
  const auto rows = [&] {
    return static_cast<Eigen::Index>(table.lines.size());
  };
  std::size_t columns = 0;  // 0 until the first line
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (columns == 0) {
      std::vector<std::string> cells = SplitList(line, ',');
      columns = cells.size();
      // As many rows as there may be: a number and what ends it have two bytes.
      numbers.resize(static_cast<Eigen::Index>(
                         1 + (line.size() + 1 + text.size()) / (2 * columns)),
                     static_cast<Eigen::Index>(columns));
      if (!std::all_of(cells.begin(), cells.end(), ParseNumber)) {
        for (std::string& cell : cells) {
          if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') {
            cell = cell.substr(1, cell.size() - 2);
          }
        }
        table.header = std::move(cells);
        continue;
      }
    }
    TakeRow(line, table.header, name, number,
            {numbers.row(rows()).data(), columns});
    table.lines.push_back(number);
  }
  if (columns == 0) throw DataError(name, "is empty");
  numbers.conservativeResize(rows(), numbers.cols());
  return table;
}

CsvWriter::CsvWriter(const std::vector<std::string>& header) {
  for (const std::string& name : header) Text(name);
  EndRow();
}

void CsvWriter::Number(double number) { text_ += NumberText(number) + ','; }

void CsvWriter::Text(std::string_view text) {
  const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (quoted) text_ += '"';
  for (const char c : text) text_.append(quoted && c == '"' ? 2 : 1, c);
  text_ += quoted ? "\"," : ",";
}

std::optional<Container> ContainerOfName(const std::filesystem::path& path) {
  static const std::map<std::string_view, Container> kEndings = {
      {".csv", Container::kCsv},  {".npy", Container::kNpy},
      {".npz", Container::kNpz},  {".yaml", Container::kYaml},
      {".yml", Container::kYaml}, {".json", Container::kJson}};
  const auto known =
      kEndings.find(absl::AsciiStrToLower(path.extension().string()));
  if (known == kEndings.end()) return std::nullopt;
  return known->second;
}

CsvTable ParseTable(std::string_view content, const std::string& name) {
  if (!LooksLikeNpy(content)) return ParseCsv(content, name);
  CsvTable table;
  table.numbers = ParseNpy(content, name);
  RequireData(table.numbers.cols() > 0, name, "the array has no columns");
  return table;
}

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
  return index < lines.size() ? Cat(name, ":", lines[index])
                              : Cat(name, ", row ", row);
}

StateTable ReadStateTable(const std::filesystem::path& path,
                          const v1::ModelInfo& model,
                          const std::optional<std::vector<std::string>>& order,
                          const TableRules& rules) {
  const std::string name = path.string();
  std::vector<std::string> joints;
  for (const v1::JointInfo& joint : model.joints()) {
    joints.push_back(joint.name());
  }
  if (order && !order->empty()) joints = *order;
  const std::string content = ReadFile(path);
  return Reader{rules, joints, order.has_value(), name}.Read(
      content, ContainerOfContent(content, path));
}

}  // namespace torqued::cli
