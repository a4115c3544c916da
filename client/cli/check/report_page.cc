#include "client/cli/check/reports.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "client/cli/check/results.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

using Eigen::Index;

constexpr std::size_t kPageBytes = 950'000;
constexpr std::size_t kListedFiles = 500;
constexpr std::size_t kListedErrors = 100;

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// `text` is for readers without scripts. No text of `data` ends the script.
std::string Filled(const Json& data, const std::string& text) {
  const std::string json = std::regex_replace(
      data.dump(-1, ' ', true, Json::error_handler_t::replace), std::regex("<"),
      "\\u003c");
  std::string page;
  std::string_view rest = kReportTemplate;
  for (const auto& [mark, content] :
       {std::pair("/*TEXT*/", EscapedXml(text)), std::pair("/*DATA*/", json)}) {
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(content);
    rest.remove_prefix(at + std::string_view(mark).size());
  }
  return page.append(rest);
}

/// Of equal parts those rows in which a column is lowest or highest; at most
/// `most`, or a part's own.
std::vector<Index> ThinnedRows(const Eigen::MatrixXd& columns, Index most) {
  const Index rows = columns.rows();
  for (Index parts = std::min(rows, most);; parts = 3 * parts / 4) {
    std::set<Index> chosen = {0, rows - 1};
    for (Index part = 0; part < parts; ++part) {
      const Index begin = rows * part / parts;
      const Index size = rows * (part + 1) / parts - begin;
      for (Index c = 0; c < columns.cols(); ++c) {
        Index lowest = 0, highest = 0;
        columns.col(c).segment(begin, size).minCoeff(&lowest);
        columns.col(c).segment(begin, size).maxCoeff(&highest);
        chosen.insert({begin + lowest, begin + highest});
      }
    }
    if (std::ssize(chosen) <= most || parts <= 1) {
      return {chosen.begin(), chosen.end()};
    }
  }
}

/// Base64 of single-precision numbers.
Json Packed(const Eigen::VectorXd& column, const std::vector<Index>& rows) {
  static_assert(std::endian::native == std::endian::little);
  v1::Array array;
  for (const Index row : rows) {
    const auto number = static_cast<float>(column[row]);
    array.mutable_f32()->append(reinterpret_cast<const char*>(&number),
                                sizeof number);
  }
  return ToJson(array)["f32"];
}

/// Of each joint, the robot and the task those samples that show its curves, at
/// most `most` each.
void AddCurves(const CheckedTrajectory& checked, Index most, Json* data) {
  const client::TrajectoryCheck& check = checked.check;
  const Eigen::Map<const Eigen::VectorXd> clock(
      checked.samples.time.data(), std::ssize(checked.samples.time));
  // A clock's time has no room in single precision.
  const Eigen::VectorXd time = clock.array() - clock[0];
  (*data)["start"] = clock[0];
  Json& joints = (*data)["joints"] = Json::array();
  for (Index j = 0; j < check.tau.cols(); ++j) {
    const auto limit = check.torque_limit.col(j);
    Eigen::MatrixXd curves(time.size(), 4);
    // Of the share of the limit, too, which falls with speed.
    curves << checked.samples.q.col(j), checked.v().col(j), check.tau.col(j),
        check.tau.col(j).array().abs() /
            limit.array().max(std::numeric_limits<double>::min());
    const auto rows = ThinnedRows(curves, most);
    joints.push_back({{"time", Packed(time, rows)},
                      {"q", Packed(curves.col(0), rows)},
                      {"v", Packed(curves.col(1), rows)},
                      {"tau", Packed(curves.col(2), rows)},
                      {"limit", Packed(limit, rows)}});
  }
  if (!joints.empty()) {
    const Eigen::VectorXd power =
        (check.tau.array() * checked.v().array()).rowwise().sum();
    const auto rows = ThinnedRows(power, most);
    (*data)["robot"] = {{"time", Packed(time, rows)},
                        {"power", Packed(power, rows)}};
  }
  if (check.sigma_min.rows() == 0) return;
  Eigen::MatrixXd task(time.size(), 2);
  task << check.sigma_min, check.condition;
  const auto rows = ThinnedRows(task, most);
  (*data)["task"] = {{"time", Packed(time, rows)},
                     {"sigma_min", Packed(task.col(0), rows)},
                     {"condition", Packed(task.col(1), rows)}};
}

std::string TextOf(const Pairs& pairs) {
  std::string text;
  for (const auto& [what, words] : pairs) {
    text.append(what).append(": ").append(words).append("\n");
  }
  return text;
}

/// "4.2" rounded to what passes, "none" if no payload does, "-" if the check
/// did not look.
std::string PayloadText(const Json& result) {
  if (!result.contains("largest_payload")) {
    return result.value("payload_possible", true) ? "-" : "none";
  }
  const double most = RequiredNumberFromJson(result["largest_payload"]);
  return std::isinf(most) ? "any" : ReadableText(most, Side::kBelow);
}

}  // namespace

std::string ReportPage(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  Json data = {{"title", checked.file},
               {"asked", checked.files},
               {"verdict", ToJson(verdict)}};
  std::ostringstream text;
  text << checked.file << "\n";
  PrintVerdict(checked, text);
  text << "\n";
  for (const v1::AskedWords& asked : verdict.asked_words()) {
    text << asked.title() << ": " << asked.words() << "\n";
  }
  text << TextOf(checked.files);
  const auto free = static_cast<Index>(
      kPageBytes - std::min(kPageBytes, Filled(data, text.str()).size()));
  // Four letters stand for three bytes; a joint has five curves.
  const auto numbers = free * 3 / 4 / static_cast<Index>(sizeof(float));
  AddCurves(
      checked,
      std::clamp<Index>(numbers / (5 * (verdict.joints_size() + 1)), 200, 4000),
      &data);
  return Filled(data, text.str());
}

std::string DirectoryPage(const Json& check) {
  Pairs asked = {{"model", check["model"].get<std::string>() + "@" +
                               check["revision"].get<std::string>()}};
  for (const Json& words : check["asked_words"]) {
    asked.emplace_back(words["title"], words["words"]);
  }
  asked.emplace_back("server", check["server_version"]);
  Json data = {{"title", check["directory"]},
               {"passes", check["passed"] == check["files"]},
               {"sentence", TotalsOf(check)},
               {"asked", asked},
               {"request", check},
               {"judged", check["passed"].get<std::int64_t>() +
                              check["failed"].get<std::int64_t>()},
               {"errors", check["errors"]},
               {"results", Json::array()},
               {"without_verdict", Json::array()}};
  for (const char* const member : {"results", "asked_words"}) {
    data["request"].erase(member);
  }
  for (Json row : check["results"]) {
    const bool judged = HasVerdict(row);
    Json& rows = data[judged ? "results" : "without_verdict"];
    if (rows.size() >= (judged ? kListedFiles : kListedErrors)) continue;
    row["payload_text"] = PayloadText(row);
    row["slow_down_text"] =
        row.contains("slow_down")
            ? ReadableText(row["slow_down"].get<double>(), Side::kAbove)
            : "at no pace";
    rows.push_back(std::move(row));
  }
  std::ostringstream text;
  text << check["directory"].get<std::string>() << "\n";
  PrintDirectory(check, text);
  text << "\n" << TextOf(asked);
  return Filled(data, text.str());
}

}  // namespace torqued::cli
