#include "client/cli/check/verdict_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>

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

std::string NameOf(v1::LimitKind kind) {
  switch (kind) {
    case v1::LIMIT_KIND_TORQUE:
      return "torque";
    case v1::LIMIT_KIND_VELOCITY:
      return "velocity";
    default:
      return "position";
  }
}

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

std::string UseText(bool present, double use) {
  return present ? UtilizationText(use) : "-";
}

std::string LimitText(bool present, double limit) {
  return present ? ReadableText(limit) : "-";
}

std::string At(const v1::LimitedBy& place) {
  return place.joint() + " at " + ReadableText(place.time()) + " s (sample " +
         std::to_string(place.sample()) + ")";
}

std::string PayloadText(const v1::PayloadRange& payload) {
  if (!payload.possible()) return "none: no load passes, and no empty hand";
  std::string text;
  if (std::isinf(payload.most())) {
    text = "any";
  } else {
    text = "up to " + ReadableText(payload.most()) + " kg";
  }
  if (payload.least() > 0) {
    text = "from " + ReadableText(payload.least()) + " kg, " + text;
  }
  if (payload.has_limited_by()) {
    text += ", limited by " + At(payload.limited_by());
  }
  return text;
}

std::string SlowDownText(const v1::SlowDown& slow_down) {
  if (!slow_down.possible()) {
    return "at no pace: a torque at rest is over its limit";
  }
  if (!slow_down.has_limited_by()) return "as fast as it is";
  return ReadableText(slow_down.factor()) + " times as slow, limited by " +
         At(slow_down.limited_by());
}

std::string ViolationText(const v1::LimitViolation& violation) {
  std::string text = NameOf(violation.kind()) + " of " + violation.joint() +
                     ": " + ReadableText(violation.worst().value()) +
                     " where the limit is " + ReadableText(violation.limit()) +
                     ", at " + ReadableText(violation.worst().time()) +
                     " s (sample " +
                     std::to_string(violation.worst().sample()) + ")";
  if (violation.first_sample() != violation.last_sample()) {
    text += ", from " + ReadableText(violation.begin()) + " s to " +
            ReadableText(violation.end()) + " s";
  }
  return text;
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
               ReadableText(joint.torque().time()),
               ReadableText(std::abs(joint.velocity().value())),
               UseText(joint.has_velocity_use(), joint.velocity_use().value()),
               ReadableText(joint.energy_given() - joint.energy_taken())});
  }
  table.Print(out);
}

std::uint64_t CountOf(const v1::JointDemand& joint, v1::LimitKind kind) {
  switch (kind) {
    case v1::LIMIT_KIND_TORQUE:
      return joint.torque_violations();
    case v1::LIMIT_KIND_VELOCITY:
      return joint.velocity_violations();
    default:
      return joint.position_violations();
  }
}

/// Whether the joint has a limit of this kind.
bool IsLimited(const v1::JointDemand& joint, v1::LimitKind kind) {
  switch (kind) {
    case v1::LIMIT_KIND_TORQUE:
      return joint.has_torque_limit() || joint.has_torque_use();
    case v1::LIMIT_KIND_VELOCITY:
      return joint.has_velocity_limit();
    default:
      return joint.has_lower_limit() || joint.has_upper_limit();
  }
}

}  // namespace

Json VerdictJson(const CheckedTrajectory& checked) {
  Json json;
  json["trajectory"] = checked.file;
  Json verdict = ToJson(checked.check.verdict);
  CountsAsNumbers(verdict);
  json.update(verdict);
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
  if (verdict.derived() == v1::DIFFERENTIATION_CUBIC_SPLINE) {
    out << "Velocities and accelerations are derived by a cubic spline.\n";
  } else if (verdict.derived() == v1::DIFFERENTIATION_QUINTIC_SPLINE) {
    out << "Velocities and accelerations are derived by a quintic spline.\n";
  }
  out << "\n";
  PrintJoints(checked, out);
  out << "\n";
  if (verdict.joints_size() > 0) {
    out << "Energy " << ReadableText(verdict.energy_given()) << " J given, "
        << ReadableText(verdict.energy_taken()) << " J taken; power from "
        << ReadableText(verdict.lowest_power().value()) << " to "
        << ReadableText(verdict.highest_power().value()) << " W\n";
    if (verdict.has_payload()) {
      out << "Payload: " << PayloadText(verdict.payload()) << "\n";
    }
    out << "Pace: " << SlowDownText(verdict.slow_down()) << "\n";
  }
  if (verdict.has_path_inertia()) {
    const v1::PathInertia& inertia = verdict.path_inertia();
    out << "Task: sigma_min " << ReadableText(inertia.sigma_min().value())
        << " at " << ReadableText(inertia.sigma_min().time())
        << " s; condition of Lambda up to "
        << ReadableText(inertia.condition().value()) << " at "
        << ReadableText(inertia.condition().time()) << " s\n";
  }
  out << "\n" << (verdict.passes() ? "PASS" : "FAIL");
  if (!verdict.passes()) {
    out << ": " << verdict.violation_count()
        << (verdict.violation_count() == 1 ? " violation" : " violations")
        << ", the first at " << ReadableText(verdict.first_violation().begin())
        << " s";
  }
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
      for (const char c : text) {
        cases += c == '\n' ? "\n" : EscapedXml(std::string_view(&c, 1));
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
