#include "client/cli/check/reports.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "client/cli/check/results.h"
#include "client/cli/document.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

/// Of a list on a terminal.
constexpr std::size_t kShown = 10;

void PrintJoints(const v1::TrajectoryVerdict& verdict, std::ostream& out) {
  Json rows = Json::array();
  for (const v1::JointDemand& joint : verdict.joints()) {
    Json& row = rows.emplace_back(
        Json{{"joint", joint.joint()},
             {"max |tau|", std::abs(joint.torque().value())},
             {"at [s]", joint.torque().time()},
             {"unit", joint.effort_unit()},
             {"max |v|", std::abs(joint.velocity().value())},
             {"energy [J]", joint.energy_given() - joint.energy_taken()}});
    if (joint.has_torque_limit()) row["limit"] = joint.torque_limit();
    if (joint.has_torque_use()) {
      // May stand at another instant: limits may fall with speed.
      row["most of limit"] = UtilizationText(joint.torque_use().value());
      row["then [s]"] = joint.torque_use().time();
    }
    if (joint.has_rms_torque_use()) {
      row["RMS"] = UtilizationText(joint.rms_torque_use());
    }
    if (joint.has_velocity_use()) {
      row["of limit"] = UtilizationText(joint.velocity_use().value());
    }
  }
  PrintRows({"joint", "max |tau|", "at [s]", "limit", "unit", "most of limit",
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
  return LimitsOf(result) + " " + std::to_string(count) +
         (count == 1 ? " remark" : " remarks") +
         " on the samples, the gravest: " + result.value("remark", "");
}

StateBlocks BlocksOf(const CheckedTrajectory& checked) {
  StateBlocks blocks;
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

std::string TorquesCsv(const StateBlocks& blocks) {
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
  std::string of;
  std::string name;
  std::string kind;
  std::string text;
};

std::string Junit(const std::string& name, const std::vector<Case>& cases) {
  std::string counts = " tests=\"" + std::to_string(cases.size()) + "\"";
  for (const char* const kind : {"failure", "error"}) {
    const auto count =
        std::count_if(cases.begin(), cases.end(),
                      [kind](const Case& one) { return one.kind == kind; });
    counts += std::string(" ") + kind + "s=\"" + std::to_string(count) + "\"";
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    counts + ">\n  <testsuite name=\"" + EscapedXml(name) +
                    "\"" + counts + ">\n";
  for (const auto& [of, title, kind, text] : cases) {
    xml += "    <testcase classname=\"" + EscapedXml(of) + "\" name=\"" +
           EscapedXml(title) + "\">";
    if (!kind.empty()) {
      xml += "<" + kind;
      if (kind != "system-out") {
        xml +=
            " message=\"" + EscapedXml(text.substr(0, text.find('\n'))) + "\"";
      }
      xml += ">" + EscapedXml(text) + "</" + kind + ">";
    }
    xml += "</testcase>\n";
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

/// The messages that are listed for the joint and the kind. The verdict lists
/// the gravest of all joints only; the joint has `count`.
std::string Lines(const auto& listed, const v1::JointDemand& joint, int kind,
                  std::uint64_t count) {
  std::string text;
  std::uint64_t left = count;
  for (const auto& one : listed) {
    if (one.kind() != kind || one.joint() != joint.joint()) continue;
    text += one.message() + "\n";
    --left;
  }
  if (text.empty()) text = joint.message() + "\n";
  if (left > 0) text += std::to_string(left) + " more are not listed\n";
  return text;
}

}  // namespace

Json VerdictJson(const CheckedTrajectory& checked) {
  Json json = {{"trajectory", checked.file}};
  json.update(Document(checked.check.verdict));
  json["inputs"] = checked.inputs;
  json["seconds"] = checked.seconds;
  return json;
}

std::string ResultsCsv(const Json& results) {
  Json rows = results;
  for (Json& row : rows) {
    row.update({{"verdict", VerdictOf(row)}, {"worst", LimitsOf(row)}});
  }
  return CsvOf(
      {"file", "verdict", "severity", "joint", "violations",
       "largest_torque_use", "largest_velocity_use", "largest_payload",
       "slow_down", "samples", "duration", "worst", "remarks", "remark"},
      rows);
}

void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const v1::Echo& echo = verdict.echo();
  const auto line = [&out](const char* title, const std::string& sentence) {
    if (!sentence.empty()) out << title << sentence << "\n";
  };
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
  std::string text = check["passed"].dump() + " pass, " +
                     check["failed"].dump() + " fail, " +
                     check["errors"].dump() + " have no verdict";
  if (check["resumed"] > 0) {
    text += "; " + check["resumed"].dump() + " were checked before";
  }
  return text + "; checked in " + DurationText(check["seconds"].get<double>());
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
      Json& row = rows.emplace_back(Json{
          {"the worst", PlainText(result.at("file").get<std::string>(), 200)},
          {"verdict", VerdictOf(result)},
          {"", SentenceOf(result)}});
      if (IsUnlimited(result)) continue;
      row["of limit"] =
          UtilizationText(RequiredNumberFromJson(result.at("severity")));
    }
  }
  if (!rows.empty())
    PrintRows({"the worst", "verdict", "of limit", ""}, rows, out);
  if (more > 0) out << "\nWithout a verdict:\n" << errors;
  if (more > kShown) out << "  and " << more - kShown << " more\n";
}

std::string VerdictJunit(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const bool judged = verdict.asked().consistent();
  std::vector<Case> cases;
  for (const v1::JointDemand& joint : verdict.joints()) {
    const auto add = [&](const char* name, const auto& listed, int kind,
                         std::uint64_t count, bool fails) {
      Case& one = cases.emplace_back(Case{joint.joint(), name, "", ""});
      if (count == 0) return;
      one.kind = fails ? "failure" : "system-out";
      one.text = Lines(listed, joint, kind, count);
    };
    const auto& violations = verdict.violations();
    const auto& remarks = verdict.remarks();
    if (joint.has_torque_use()) {
      add("torque", violations, v1::LIMIT_KIND_TORQUE,
          joint.torque_violations(), true);
    }
    if (joint.has_velocity_limit()) {
      add("velocity", violations, v1::LIMIT_KIND_VELOCITY,
          joint.velocity_violations(), true);
    }
    if (joint.has_lower_limit() || joint.has_upper_limit()) {
      add("position", violations, v1::LIMIT_KIND_POSITION,
          joint.position_violations(), true);
    }
    if (judged || joint.velocity_remarks() > 0) {
      add("velocity against positions", remarks, v1::REMARK_KIND_VELOCITY,
          joint.velocity_remarks(), judged);
    }
    if (judged || joint.acceleration_remarks() > 0) {
      add("acceleration against velocities", remarks,
          v1::REMARK_KIND_ACCELERATION, joint.acceleration_remarks(), judged);
    }
  }
  return Junit(checked.file, cases);
}

std::string DirectoryJunit(const Json& check) {
  std::vector<Case> cases;
  for (const Json& result : check["results"]) {
    const char* kind = "";
    if (!HasVerdict(result)) {
      kind = "error";
    } else if (!Passes(result)) {
      kind = "failure";
    } else if (result.value("remarks", std::uint64_t{0}) > 0) {
      kind = "system-out";
    }
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
  switch (container) {
    case Container::kCsv:
      return TorquesCsv(BlocksOf(checked));
    case Container::kNpy:
      return NpyBytes(checked.check.tau);
    case Container::kNpz:
      return NpzBytes(BlocksOf(checked));
    case Container::kYaml:  // not asked for
    case Container::kJson:
      break;
  }
  return JointTrajectoryJson(BlocksOf(checked), name);
}

}  // namespace torqued::cli
