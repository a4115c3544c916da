#include "client/cli/check/verdict_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "client/cli/check/utilization_text.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/duration_text.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

/// The gravest violations, and as many remarks, on a terminal.
constexpr int kShown = 10;

/// Numbers of samples are short enough to be numbers in JSON too, which
/// protobuf's form makes strings.
void CountsAsNumbers(Json& json) {
  static const std::array<std::string_view, 12> kCounts = {
      "sample",
      "samples",
      "first_sample",
      "last_sample",
      "steps",
      "violation_count",
      "remark_count",
      "torque_violations",
      "velocity_violations",
      "position_violations",
      "velocity_remarks",
      "acceleration_remarks"};
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

/// "-" if it is absent.
std::string UseText(bool present, double use) {
  return present ? UtilizationText(use) : "-";
}

void PrintJoints(const v1::TrajectoryVerdict& verdict, std::ostream& out) {
  Table table({{"joint", Align::kLeft},
               {"max |tau|", Align::kRight},
               {"at [s]", Align::kRight},
               {"limit", Align::kRight},
               {"", Align::kLeft},
               // May stand at another instant: limits may fall with speed.
               {"most of limit", Align::kRight},
               {"at [s]", Align::kRight},
               {"RMS", Align::kRight},
               {"max |v|", Align::kRight},
               {"of limit", Align::kRight},
               {"energy [J]", Align::kRight}});
  for (const v1::JointDemand& joint : verdict.joints()) {
    table.Add(
        {joint.joint(), ReadableText(std::abs(joint.torque().value())),
         ReadableText(joint.torque().time()),
         joint.has_torque_limit() ? ReadableText(joint.torque_limit()) : "-",
         joint.effort_unit(),
         UseText(joint.has_torque_use(), joint.torque_use().value()),
         joint.has_torque_use() ? ReadableText(joint.torque_use().time()) : "-",
         UseText(joint.has_rms_torque_use(), joint.rms_torque_use()),
         ReadableText(std::abs(joint.velocity().value())),
         UseText(joint.has_velocity_use(), joint.velocity_use().value()),
         ReadableText(joint.energy_given() - joint.energy_taken())});
  }
  table.Print(out);
}

/// Of a joint; empty where the verdict lists none.
std::string GravestRemark(const v1::TrajectoryVerdict& verdict,
                          const std::string& joint) {
  for (const v1::Remark& remark : verdict.remarks()) {
    if (remark.joint() == joint) return remark.message();
  }
  return "";
}

/// The first of `listed`, a line each, and how many of `count` are left.
void PrintFirst(const auto& listed, std::uint64_t count, std::ostream& out) {
  const int shown = std::min(kShown, listed.size());
  for (int k = 0; k < shown; ++k) {
    out << "  " << listed[k].message() << "\n";
  }
  const auto more = count - static_cast<std::uint64_t>(shown);
  if (more > 0) out << "  and " << more << " more\n";
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
                 "energy_given", "energy_taken", "torque_use_sample",
                 "torque_use_time", "velocity_remarks", "acceleration_remarks",
                 "remark"});
  const auto number = [&csv](bool present, double value) {
    if (present) {
      csv.Number(value);
    } else {
      csv.Text("");
    }
  };
  for (const v1::JointDemand& joint : checked.check.verdict.joints()) {
    csv.Text(joint.joint());
    csv.Text(joint.effort_unit());
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
    const bool used = joint.has_torque_use();
    csv.Text(used ? std::to_string(joint.torque_use().sample()) : "");
    number(used, joint.torque_use().time());
    csv.Text(std::to_string(joint.velocity_remarks()));
    csv.Text(std::to_string(joint.acceleration_remarks()));
    csv.Text(GravestRemark(checked.check.verdict, joint.joint()));
    csv.EndRow();
  }
  return csv.text();
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

}  // namespace torqued::cli
