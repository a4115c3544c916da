#include "client/cli/check/verdict_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>
#include <sstream>

#include "client/cli/check/verdict_text.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/formats/xml_text.h"
#include "client/cli/plot/torque_summary.h"
#include "client/cli/terminal/progress_meter.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

/// The gravest, on a terminal.
constexpr int kShownViolations = 10;

constexpr std::array<v1::LimitKind, 3> kKinds = {
    v1::LIMIT_KIND_TORQUE, v1::LIMIT_KIND_VELOCITY, v1::LIMIT_KIND_POSITION};

/// Numbers of samples are short enough to be numbers in JSON too, which
/// protobuf's form makes strings.
void CountsAsNumbers(Json& json) {
  static const std::array<std::string_view, 8> kCounts = {
      "sample",
      "samples",
      "first_sample",
      "last_sample",
      "violation_count",
      "torque_violations",
      "velocity_violations",
      "position_violations"};
  if (json.is_object()) {
    for (auto& [key, value] : json.items()) {
      if (value.is_string() &&
          std::find(kCounts.begin(), kCounts.end(), key) != kCounts.end()) {
        value = std::stoull(value.get<std::string>());
      } else {
        CountsAsNumbers(value);
      }
    }
  } else if (json.is_array()) {
    for (Json& value : json) CountsAsNumbers(value);
  }
}

void PrintJoints(const CheckedTrajectory& checked, std::ostream& out) {
  Table table({{"joint", Align::kLeft},
               {"max |tau|", Align::kRight},
               {"limit", Align::kRight},
               {"", Align::kLeft},
               {"of limit", Align::kRight},
               {"RMS", Align::kRight},
               {"time [s]", Align::kRight},
               {"max |v|", Align::kRight},
               {"of limit", Align::kRight},
               {"energy [J]", Align::kRight}});
  for (int j = 0; j < checked.check.verdict.joints_size(); ++j) {
    const v1::JointDemand& joint = checked.check.verdict.joints(j);
    table.Add({joint.joint(), ReadableText(std::abs(joint.torque().value())),
               LimitText(joint.has_torque_limit(), joint.torque_limit()),
               checked.units[static_cast<std::size_t>(j)],
               UseText(joint.has_torque_use(), joint.torque_use().value()),
               UseText(joint.has_rms_torque_use(), joint.rms_torque_use()),
               ReadableText(MostLoadedOf(joint).time()),
               ReadableText(std::abs(joint.velocity().value())),
               UseText(joint.has_velocity_use(), joint.velocity_use().value()),
               ReadableText(joint.energy_given() - joint.energy_taken())});
  }
  table.Print(out);
}

}  // namespace

Json VerdictJson(const CheckedTrajectory& checked) {
  Json json;
  json["trajectory"] = checked.file;
  Json verdict = ToJson(checked.check.verdict);
  CountsAsNumbers(verdict);
  json.update(verdict);
  json["inputs"] = checked.inputs;
  json["seconds"] = checked.seconds;
  return json;
}

std::string VerdictCsv(const CheckedTrajectory& checked) {
  CsvWriter csv({"joint", "unit", "tau", "torque_limit", "torque_use",
                 "rms_torque_use", "sample", "time", "velocity", "velocity_use",
                 "energy_given", "energy_taken"});
  const auto number = [&csv](bool present, double value) {
    if (present) {
      csv.Number(value);
    } else {
      csv.Text("");
    }
  };
  for (int j = 0; j < checked.check.verdict.joints_size(); ++j) {
    const v1::JointDemand& joint = checked.check.verdict.joints(j);
    csv.Text(joint.joint());
    csv.Text(checked.units[static_cast<std::size_t>(j)]);
    csv.Number(joint.torque().value());
    number(joint.has_torque_limit(), joint.torque_limit());
    number(joint.has_torque_use(), joint.torque_use().value());
    number(joint.has_rms_torque_use(), joint.rms_torque_use());
    csv.Text(std::to_string(joint.torque().sample()));
    csv.Number(joint.torque().time());
    csv.Number(joint.velocity().value());
    number(joint.has_velocity_use(), joint.velocity_use().value());
    csv.Number(joint.energy_given());
    csv.Number(joint.energy_taken());
    csv.EndRow();
  }
  return csv.text();
}

void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const v1::Echo& echo = verdict.echo();
  out << ModelText(echo.model(), echo.revision()) << "  " << verdict.samples()
      << " samples over " << ReadableText(verdict.duration())
      << " s, checked in " << DurationText(checked.seconds) << "\n";
  const std::string derived = DerivedText(verdict.derived());
  if (!derived.empty()) out << derived << "\n";
  out << "\n";
  PrintJoints(checked, out);
  out << "\n";
  if (verdict.joints_size() > 0) {
    out << "Energy " << EnergyText(verdict) << "\n";
    if (verdict.has_payload()) {
      out << "Payload: " << PayloadText(verdict.payload()) << "\n";
    }
    out << "Pace: " << SlowDownText(verdict.slow_down()) << "\n";
  }
  if (verdict.has_path_inertia()) {
    out << "Task: " << PathInertiaText(verdict.path_inertia()) << "\n";
  }
  out << "\n" << (verdict.passes() ? "PASS" : "FAIL");
  if (!verdict.passes()) out << ": " << ViolationCountText(verdict);
  out << "\n";
  const int shown = std::min(kShownViolations, verdict.violations_size());
  for (int k = 0; k < shown; ++k) {
    out << "  " << ViolationText(verdict.violations(k)) << "\n";
  }
  const auto more =
      verdict.violation_count() - static_cast<std::uint64_t>(shown);
  if (more > 0) out << "  and " << more << " more\n";
}

std::string VerdictJunit(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  int tests = 0, failures = 0;
  std::string cases;
  for (const v1::JointDemand& joint : verdict.joints()) {
    for (const v1::LimitKind kind : kKinds) {
      if (!IsLimited(joint, kind)) continue;
      ++tests;
      const std::uint64_t count = CountOf(joint, kind);
      std::uint64_t listed = 0;
      std::string text, first;
      for (const v1::LimitViolation& violation : verdict.violations()) {
        if (violation.kind() != kind || violation.joint() != joint.joint()) {
          continue;
        }
        if (first.empty()) first = ViolationText(violation);
        text += ViolationText(violation) + "\n";
        ++listed;
      }
      // The verdict lists the gravest of all joints only.
      if (listed < count) {
        const std::string more = std::to_string(count - listed);
        if (first.empty()) first = std::to_string(count) + " violations";
        text += "and " + more + " more\n";
      }
      cases += "    <testcase classname=\"" + EscapedXml(joint.joint()) +
               "\" name=\"" + NameOf(kind) + "\"";
      if (count == 0) {
        cases += "/>\n";
        continue;
      }
      ++failures;
      cases += ">\n      <failure message=\"" + EscapedXml(first) + "\">";
      // Lines stay lines.
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        cases += EscapedXml(line) + "\n";
      }
      cases += "</failure>\n    </testcase>\n";
    }
  }
  const std::string counts = "tests=\"" + std::to_string(tests) +
                             "\" failures=\"" + std::to_string(failures) + "\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
         ">\n  <testsuite name=\"" + EscapedXml(checked.file) + "\" " + counts +
         ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace torqued::cli
