#include <absl/strings/escaping.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <set>
#include <sstream>

#include "client/cli/check/checker.h"
#include "client/cli/check/runs.h"
#include "client/cli/formats/text.h"

namespace torqued::cli {
namespace {

constexpr std::size_t kShown = 10;

void PrintJoints(const v1::TrajectoryVerdict& verdict, std::ostream& out) {
  const auto cell = [](bool is_there, const auto& value) {
    return is_there ? Json(value) : Json();
  };
  Json rows = Json::array();
  for (const v1::JointDemand& joint : verdict.joints()) {
    // May stand at another instant: limits may fall with speed.
    const v1::Peak& use = joint.torque_use();
    rows.push_back({joint.joint(), std::abs(joint.torque().value()),
                    joint.torque().time(),
                    cell(joint.has_torque_limit(), joint.torque_limit()),
                    joint.effort_unit(),
                    cell(joint.has_torque_use(), UtilizationText(use.value())),
                    cell(joint.has_torque_use(), use.time()),
                    cell(joint.has_rms_torque_use(),
                         UtilizationText(joint.rms_torque_use())),
                    std::abs(joint.velocity().value()),
                    cell(joint.has_velocity_use(),
                         UtilizationText(joint.velocity_use().value())),
                    joint.energy_given() - joint.energy_taken()});
  }
  PrintTable({"joint", "max |tau|", "at [s]", "limit", "unit", "most of limit",
              "then [s]", "RMS", "max |v|", "of limit", "energy [J]"},
             rows, out);
}

/// The first of `listed`, a line each, and how many of `count` are left.
void PrintFirst(const auto& listed, std::uint64_t count, std::ostream& out) {
  const int shown = std::min(static_cast<int>(kShown), listed.size());
  for (int k = 0; k < shown; ++k) {
    out << "  " << listed[k].message() << "\n";
  }
  const auto more = count - static_cast<std::uint64_t>(shown);
  if (more > 0) out << "  and " << more << " more\n";
}

std::string VerdictOf(const Json& result) {
  if (!HasVerdict(result)) return "none";
  return Passes(result) ? "pass" : "FAIL";
}

bool IsUnlimited(const Json& result) {
  return result.at("joint").get<std::string_view>().empty();
}

std::string LimitsOf(const Json& result) {
  if (!HasVerdict(result))
    return PlainText(result.at("error").get<std::string>());
  return IsUnlimited(result) ? "No joint has a limit."
                             : result.at("worst").get<std::string>();
}

/// The limits that a file breaks and the remarks on its samples.
std::string SentenceOf(const Json& result) {
  const auto count = result.value("remarks", std::uint64_t{0});
  if (count == 0) return LimitsOf(result);
  return Cat(LimitsOf(result), " ", count, count == 1 ? " remark" : " remarks",
             " on the samples, the worst: ", result.value("remark", ""));
}

StateTable BlocksOf(const CheckedTrajectory& checked) {
  StateTable blocks;
  blocks.joints.emplace();
  for (const v1::JointDemand& joint : checked.check.verdict.joints()) {
    blocks.joints->push_back(joint.joint());
  }
  blocks.time = checked.samples.time;
  blocks.tables["q"] = checked.samples.q;
  blocks.tables["v"] = checked.v();
  blocks.tables["a"] = checked.a();
  blocks.tables["tau"] = checked.check.tau;
  if (checked.brings_wrench) {
    blocks.tip_wrench = checked.samples.tip_wrench_on_environment;
  }
  return blocks;
}

std::string TorquesCsv(const StateTable& blocks) {
  std::vector<std::string> header = {"time"};
  for (const std::string& joint : *blocks.joints) {
    header.push_back(joint + ".tau");
  }
  CsvWriter csv(header);
  const client::Batch& tau = blocks.tables.at("tau");
  for (std::size_t row = 0; row < blocks.time.size(); ++row) {
    csv.Number(blocks.time[row]);
    for (const double torque : tau.row(static_cast<Eigen::Index>(row))) {
      csv.Number(torque);
    }
    csv.EndRow();
  }
  return csv.text();
}

/// A case of JUnit. `kind` is the element that holds the text; empty: none.
struct Case {
  std::string of, name, kind, text;
};

std::string Junit(const std::string& name, const std::vector<Case>& cases) {
  std::string counts = Cat(" tests=\"", cases.size(), "\"");
  for (const char* const kind : {"failure", "error"}) {
    const auto count = std::ranges::count(cases, kind, &Case::kind);
    counts += Cat(" ", kind, "s=\"", count, "\"");
  }
  std::string xml =
      Cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", counts,
          ">\n  <testsuite name=\"", EscapedXml(name), "\"", counts, ">\n");
  for (const auto& [of, title, kind, text] : cases) {
    xml += Cat("    <testcase classname=\"", EscapedXml(of), "\" name=\"",
               EscapedXml(title), "\">");
    const std::string first_line = EscapedXml(text.substr(0, text.find('\n')));
    const std::string message =
        kind == "system-out" ? "" : Cat(" message=\"", first_line, "\"");
    if (!kind.empty()) {
      xml += Cat("<", kind, message, ">", EscapedXml(text), "</", kind, ">");
    }
    xml += "</testcase>\n";
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

/// The messages that are listed for the joint and the kind. The verdict lists
/// the most severe of all joints only; the joint has `count`.
std::string Lines(const auto& listed, const v1::JointDemand& joint, int kind,
                  std::uint64_t count) {
  if (count == 0) return "";
  std::string text;
  for (const auto& one : listed) {
    if (one.kind() != kind || one.joint() != joint.joint()) continue;
    text += one.message() + "\n";
    --count;
  }
  if (text.empty()) text = joint.message() + "\n";
  return count == 0 ? text : Cat(text, count, " more are not listed\n");
}

using Eigen::Index;

constexpr std::size_t kPageBytes = 950'000;
constexpr std::size_t kListedFiles = 500;
constexpr std::size_t kListedErrors = 100;

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// `text` is for readers without scripts. No text of `data` ends the script.
std::string Filled(const Json& data, const std::string& text) {
  const std::string json =
      data.dump(-1, ' ', true, Json::error_handler_t::replace);
  return absl::StrReplaceAll(
      std::string(kReportTemplate),
      {{"/*TEXT*/", EscapedXml(text)},
       {"/*DATA*/", absl::StrReplaceAll(json, {{"<", "\\u003c"}})}});
}

/// The rows of equal parts in which a column is lowest or highest; at most
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
std::string Packed(const Eigen::VectorXd& column,
                   const std::vector<Index>& rows) {
  static_assert(std::endian::native == std::endian::little);
  const Eigen::VectorXf numbers = column(rows).cast<float>();
  return absl::Base64Escape({reinterpret_cast<const char*>(numbers.data()),
                             sizeof(float) * rows.size()});
}

/// Those samples that show the curves, at most `most`.
Json Curves(const Eigen::VectorXd& time, Index most,
            const std::map<std::string, Eigen::VectorXd>& curves) {
  Eigen::MatrixXd columns(time.size(), std::ssize(curves));
  Index column = 0;
  for (const auto& [name, curve] : curves) columns.col(column++) = curve;
  const auto rows = ThinnedRows(columns, most);
  Json json = {{"time", Packed(time, rows)}};
  for (const auto& [name, curve] : curves) json[name] = Packed(curve, rows);
  return json;
}

void AddCurves(const CheckedTrajectory& checked, Index most, Json* data) {
  const client::TrajectoryCheck& check = checked.check;
  const Eigen::Map<const Eigen::VectorXd> clock(
      checked.samples.time.data(), std::ssize(checked.samples.time));
  // A clock's time does not fit single precision.
  const Eigen::VectorXd time = clock.array() - clock[0];
  (*data)["start"] = clock[0];
  Json& joints = (*data)["joints"] = Json::array();
  for (Index j = 0; j < check.tau.cols(); ++j) {
    const auto tau = check.tau.col(j), limit = check.torque_limit.col(j);
    // The limit falls with speed.
    const Eigen::VectorXd use =
        tau.array().abs() /
        limit.array().max(std::numeric_limits<double>::min());
    joints.push_back(Curves(time, most,
                            {{"q", checked.samples.q.col(j)},
                             {"v", checked.v().col(j)},
                             {"tau", tau},
                             {"limit", limit},
                             {"use", use}}));
  }
  if (!joints.empty()) {
    (*data)["robot"] = Curves(
        time, most,
        {{"power", check.tau.cwiseProduct(checked.v()).rowwise().sum()}});
  }
  if (check.sigma_min.rows() == 0) return;
  (*data)["task"] =
      Curves(time, most,
             {{"sigma_min", check.sigma_min}, {"condition", check.condition}});
}

std::string TextOf(const Pairs& pairs) {
  std::string text;
  for (const auto& [what, words] : pairs) {
    text.append(what).append(": ").append(words).append("\n");
  }
  return text;
}

}  // namespace

Json VerdictJson(const CheckedTrajectory& checked) {
  Json json = {{"trajectory", checked.file}};
  json.update(ToJson(checked.check.verdict));
  json["inputs"] = checked.inputs;
  json["seconds"] = checked.seconds;
  return json;
}

const Members kResultColumns = SplitList(
    "file,verdict,severity,joint,violations,largest_torque_use,"
    "largest_velocity_use,largest_payload,slow_down,samples,duration,worst,"
    "remarks,remark",
    ',');

Json ResultRows(Json results) {
  for (Json& row : results) {
    row.update({{"verdict", VerdictOf(row)}, {"worst", LimitsOf(row)}});
  }
  return results;
}

void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const v1::Echo& echo = verdict.echo();
  const auto line = [&out](const char* title, const std::string& sentence) {
    if (!sentence.empty()) out << title << sentence << "\n";
  };
  line("", verdict.inconsistency().message());
  line("", verdict.units_message());
  out << ModelText(echo.model(), echo.revision()) << "  ";
  line("", verdict.judged() + ", over " + ReadableText(verdict.duration()) +
               " s, checked in " + DurationText(checked.seconds));
  line("", verdict.coarse_step().message());
  out << "\n";
  PrintJoints(verdict, out);
  out << "\n";
  if (verdict.joints_size() > 0) {
    line("Energy: ", verdict.energy_message());
    line("Payload: ", verdict.payload().message());
    line("Pace: ", verdict.slow_down().message());
  }
  line("Task: ", verdict.path_inertia().message());
  out << "\n"
      << (verdict.passes() ? "PASS: " : "FAIL: ") << verdict.message() << "\n";
  PrintFirst(verdict.violations(), verdict.violation_count(), out);
  if (verdict.remark_count() == 0) return;
  out << "Samples that contradict each other:\n";
  PrintFirst(verdict.remarks(), verdict.remark_count(), out);
}

std::string TotalsOf(const Json& check) {
  const std::string before = check["resumed"].dump();
  return Cat(check["passed"].dump(), " pass, ", check["failed"].dump(),
             " fail, ", check["errors"].dump(), " have no verdict",
             before == "0" ? "" : "; " + before + " were checked before",
             "; checked in ", DurationText(check["seconds"].get<double>()));
}

void PrintDirectory(const Json& check, std::ostream& out) {
  out << ModelText(check["model"], check["revision"]) << "  "
      << check["files"].dump() << " files\n"
      << TotalsOf(check) << "\n\n";
  Json rows = Json::array();
  std::string errors;
  std::size_t more = 0;
  for (const Json& result : check["results"]) {
    if (!HasVerdict(result)) {
      if (++more <= kShown) errors += "  " + SentenceOf(result) + "\n";
    } else if (rows.size() < kShown) {
      const Json& severity = result.at("severity");
      rows.push_back({PlainText(result.at("file").get<std::string>(), 200),
                      VerdictOf(result),
                      IsUnlimited(result)
                          ? Json()
                          : Json(UtilizationText(NumberFromJson(severity))),
                      SentenceOf(result)});
    }
  }
  if (!rows.empty()) {
    PrintTable({"the worst", "verdict", "of limit", ""}, rows, out);
  }
  if (more > 0) out << "\nWithout a verdict:\n" << errors;
  if (more > kShown) out << "  and " << more - kShown << " more\n";
}

std::string VerdictJunit(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const bool judged = verdict.asked().consistent();
  std::vector<Case> cases;
  for (const v1::JointDemand& joint : verdict.joints()) {
    const auto add = [&](const char* name, bool is_asked, bool fails,
                         const auto& listed, int kind, std::uint64_t count) {
      const std::string text = Lines(listed, joint, kind, count);
      const char* const problem = fails ? "failure" : "system-out";
      if (!is_asked) return;
      cases.push_back({joint.joint(), name, count > 0 ? problem : "", text});
    };
    const auto add_limit = [&](const char* name, bool is_there,
                               v1::LimitKind kind, std::uint64_t count) {
      add(name, is_there, true, verdict.violations(), kind, count);
    };
    const bool inconsistent =
        !verdict.asked().allow_inconsistent() &&
        std::ranges::count(verdict.inconsistency().joints(), joint.joint()) > 0;
    const auto add_remarks = [&](const char* name, v1::RemarkKind kind,
                                 std::uint64_t count) {
      add(name, judged || count > 0,
          judged || (inconsistent && kind == v1::REMARK_KIND_VELOCITY),
          verdict.remarks(), kind, count);
    };
    add_limit("torque", joint.has_torque_use(), v1::LIMIT_KIND_TORQUE,
              joint.torque_violations());
    add_limit("velocity", joint.has_velocity_limit(), v1::LIMIT_KIND_VELOCITY,
              joint.velocity_violations());
    add_limit("position", joint.has_lower_limit() || joint.has_upper_limit(),
              v1::LIMIT_KIND_POSITION, joint.position_violations());
    add_remarks("velocity against positions", v1::REMARK_KIND_VELOCITY,
                joint.velocity_remarks());
    add_remarks("acceleration against velocities", v1::REMARK_KIND_ACCELERATION,
                joint.acceleration_remarks());
  }
  return Junit(checked.file, cases);
}

std::string DirectoryJunit(const Json& check) {
  std::vector<Case> cases;
  for (const Json& result : check["results"]) {
    const bool has_remarks = result.value("remarks", 0) > 0;
    const char* kind = has_remarks ? "system-out" : "";
    if (!Passes(result)) kind = HasVerdict(result) ? "failure" : "error";
    cases.push_back({"trajectory", result.at("file").get<std::string>(), kind,
                     SentenceOf(result)});
  }
  return Junit(check["directory"].get<std::string>(), cases);
}

std::string UtilizationText(double share) {
  if (!std::isfinite(share)) return "over 100 %";
  double tenths = std::round(1000 * share);
  if (tenths == 1000 && share < 1) tenths = 999;
  if (tenths == 1000 && share > 1) tenths = 1001;
  std::array<char, 340> text;
  std::snprintf(text.data(), text.size(), "%.1f %%", tenths / 10);
  return text.data();
}

std::string TorquesBytes(const CheckedTrajectory& checked, Container container,
                         const std::string& name) {
  if (container == Container::kNpy) return NpyBytes(checked.check.tau);
  const StateTable blocks = BlocksOf(checked);
  if (container == Container::kCsv) return TorquesCsv(blocks);
  return container == Container::kNpz ? NpzBytes(blocks)
                                      : JointTrajectoryJson(blocks, name);
}

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
  // Four letters stand for three bytes; a joint has six curves.
  const auto numbers = free * 3 / 4 / static_cast<Index>(sizeof(float));
  AddCurves(
      checked,
      std::clamp<Index>(numbers / (6 * (verdict.joints_size() + 1)), 200, 4000),
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
  for (const Json& row : check["results"]) {
    const bool judged = HasVerdict(row);
    Json& rows = data[judged ? "results" : "without_verdict"];
    if (rows.size() < (judged ? kListedFiles : kListedErrors)) {
      rows.push_back(row);
    }
  }
  std::ostringstream text;
  text << check["directory"].get<std::string>() << "\n";
  PrintDirectory(check, text);
  text << "\n" << TextOf(asked);
  return Filled(data, text.str());
}

}  // namespace torqued::cli
