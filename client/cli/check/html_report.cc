#include "client/cli/check/html_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "client/cli/check/html_asked.h"
#include "client/cli/check/html_page.h"
#include "client/cli/check/html_plots.h"
#include "client/cli/check/verdict_text.h"
#include "client/cli/enum_text.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/formats/xml_text.h"

namespace torqued::cli {
namespace {

/// The gravest, before somebody asks for more.
constexpr int kOpenViolations = 20;

std::string OverIf(bool over) { return over ? "over" : ""; }

/// What was measured, so that a table has room.
std::string Short(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", number);
  return text.data();
}

constexpr std::string_view kJointGroups =
    "<tr><th class=\"group\"></th><th class=\"group\" colspan=\"6\">torque</th>"
    "<th class=\"group\" colspan=\"3\">velocity</th>"
    "<th class=\"group\" colspan=\"3\">position</th><th "
    "class=\"group\"></th></tr>\n";

std::string JointTable(const CheckedTrajectory& checked) {
  std::string text = "<table>\n" + std::string(kJointGroups) +
                     HtmlHead({{"joint"},
                               {"max |\u03c4|"},
                               {"at [s]"},
                               {"limit at rest"},
                               {"most of limit"},
                               {"at [s]"},
                               {"RMS of limit"},
                               {"max |q\u0307|"},
                               {"limit"},
                               {"of limit"},
                               {"from"},
                               {"to"},
                               {"limits"},
                               {"energy [J]"}});
  for (int j = 0; j < checked.check.verdict.joints_size(); ++j) {
    const v1::JointDemand& joint = checked.check.verdict.joints(j);
    const std::string& unit = checked.units[static_cast<std::size_t>(j)];
    const bool positioned = joint.has_lower_limit() || joint.has_upper_limit();
    text +=
        "<tr>" + HtmlCell(joint.joint()) +
        HtmlCell(Short(std::abs(joint.torque().value())) + " " + unit) +
        HtmlCell(Short(joint.torque().time())) +
        HtmlCell(LimitText(joint.has_torque_limit(), joint.torque_limit())) +
        HtmlCell(UseText(joint.has_torque_use(), joint.torque_use().value()),
                 OverIf(joint.torque_violations() > 0)) +
        HtmlCell(joint.has_torque_use() ? Short(joint.torque_use().time())
                                        : "-") +
        HtmlCell(UseText(joint.has_rms_torque_use(), joint.rms_torque_use())) +
        HtmlCell(Short(std::abs(joint.velocity().value()))) +
        HtmlCell(
            LimitText(joint.has_velocity_limit(), joint.velocity_limit())) +
        HtmlCell(
            UseText(joint.has_velocity_use(), joint.velocity_use().value()),
            OverIf(joint.velocity_violations() > 0)) +
        HtmlCell(
            Short(joint.lowest_position().value()),
            OverIf(joint.has_lower_limit() &&
                   joint.lowest_position().value() < joint.lower_limit())) +
        HtmlCell(
            Short(joint.highest_position().value()),
            OverIf(joint.has_upper_limit() &&
                   joint.highest_position().value() > joint.upper_limit())) +
        HtmlCell(
            positioned
                ? LimitText(joint.has_lower_limit(), joint.lower_limit()) +
                      " \u2026 " +
                      LimitText(joint.has_upper_limit(), joint.upper_limit())
                : "-") +
        HtmlCell(Short(joint.energy_given() - joint.energy_taken())) +
        "</tr>\n";
  }
  return text + "</table>\n";
}

/// The sample's number; between two samples "3 to 4".
std::string PlaceText(const v1::Peak& peak) {
  const std::string sample = std::to_string(peak.sample());
  return peak.between() ? sample + " to " + std::to_string(peak.sample() + 1)
                        : sample;
}

/// Of the violations [begin, end) that the verdict lists.
std::string ViolationTable(const v1::TrajectoryVerdict& verdict, int begin,
                           int end) {
  std::string text = "<table>\n" + HtmlHead({{"joint"},
                                             {"limit of"},
                                             {"value"},
                                             {"limit"},
                                             {"severity"},
                                             {"worst at [s]"},
                                             {"sample"},
                                             {"from [s]"},
                                             {"to [s]"},
                                             {"samples"}});
  for (int k = begin; k < end; ++k) {
    const v1::LimitViolation& violation = verdict.violations(k);
    text += "<tr>" + HtmlCell(violation.joint()) +
            HtmlCell(LimitKindText(violation.kind())) +
            HtmlCell(ReadableText(violation.worst().value()), "over") +
            HtmlCell(ReadableText(violation.limit())) +
            HtmlCell(ReadableText(violation.severity())) +
            HtmlCell(ReadableText(violation.worst().time())) +
            HtmlCell(PlaceText(violation.worst())) +
            HtmlCell(ReadableText(violation.begin())) +
            HtmlCell(ReadableText(violation.end())) +
            HtmlCell(std::to_string(violation.samples())) + "</tr>\n";
  }
  return text + "</table>\n";
}

std::string Violations(const v1::TrajectoryVerdict& verdict) {
  const int listed = verdict.violations_size();
  const int open = std::min(kOpenViolations, listed);
  std::string text = "<section>\n" + ViolationTable(verdict, 0, open);
  if (listed > open) {
    text += HtmlFolded("the next " + std::to_string(listed - open),
                       ViolationTable(verdict, open, listed));
  }
  const auto more =
      verdict.violation_count() - static_cast<std::uint64_t>(listed);
  if (more > 0) {
    text += "<p class=\"muted\">and " + std::to_string(more) +
            " more, less grave, which the verdict does not list</p>\n";
  }
  return text + "</section>\n";
}

std::string Remarks(const v1::TrajectoryVerdict& verdict) {
  std::string text = "<section>\n<table>\n" + HtmlHead({{"joint"},
                                                        {"rate"},
                                                        {"value"},
                                                        {"by differences"},
                                                        {"tolerance"},
                                                        {"worst at [s]"},
                                                        {"samples"},
                                                        {"from [s]"},
                                                        {"to [s]"},
                                                        {"steps"}});
  for (const v1::Remark& remark : verdict.remarks()) {
    v1::Peak step = remark.worst();
    step.set_between(true);
    text += "<tr>" + HtmlCell(remark.joint()) +
            HtmlCell(RemarkKindText(remark.kind())) +
            HtmlCell(ReadableText(remark.worst().value()), "over") +
            HtmlCell(ReadableText(remark.expected())) +
            HtmlCell(ReadableText(remark.tolerance())) +
            HtmlCell(ReadableText(remark.worst().time())) +
            HtmlCell(PlaceText(step)) + HtmlCell(ReadableText(remark.begin())) +
            HtmlCell(ReadableText(remark.end())) +
            HtmlCell(std::to_string(remark.steps())) + "</tr>\n";
  }
  text += "</table>\n";
  const auto more = verdict.remark_count() -
                    static_cast<std::uint64_t>(verdict.remarks_size());
  if (more > 0) {
    text += "<p class=\"muted\">and " + std::to_string(more) +
            " more, less grave, which the verdict does not list</p>\n";
  }
  return text + "</section>\n";
}

/// As it was asked, with frames and gravity named where the server filled them
/// in.
std::string Asked(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const v1::Echo& echo = verdict.echo();
  v1::CheckTrajectoryStart asked = verdict.asked();
  v1::Options* options = asked.mutable_options();
  if (options->has_payload() && !echo.payload().frame().empty()) {
    options->mutable_payload()->set_frame(echo.payload().frame());
  }
  if (!echo.terms().gravity().empty()) {
    *options->mutable_terms()->mutable_gravity() = echo.terms().gravity();
  }
  JointUnits units;
  for (int j = 0; j < verdict.joints_size(); ++j) {
    units.emplace(verdict.joints(j).joint(),
                  checked.units[static_cast<std::size_t>(j)]);
  }
  std::string text = "<dl>\n";
  text += HtmlFact("Model", echo.model() + "@" + echo.revision());
  text += HtmlFact("Trajectory", JudgedText(verdict) + ", over " +
                                     ReadableText(verdict.duration()) + " s");
  text += AskedFacts(AskedItems(asked, checked.inputs, units));
  text += HtmlFact("File of limits", checked.limits_file);
  text += HtmlFact("File of wrenches", checked.wrench_file);
  if (checked.brings_wrench) {
    text += HtmlFact("Wrench of the tip on the environment",
                     "that of the trajectory's file, sample by sample");
  }
  text +=
      HtmlFact("Server", echo.server_version() + ", target " + echo.target());
  text += "</dl>\n";
  v1::CheckTrajectoryStart full = verdict.asked();
  full.clear_tables();
  return text +
         HtmlFolded("the whole request",
                    "<pre>" + EscapedXml(ToText(ToJson(full))) + "</pre>\n");
}

std::string Found(const v1::TrajectoryVerdict& verdict) {
  std::string text = "<dl>\n";
  if (verdict.joints_size() > 0) {
    if (verdict.has_payload()) {
      text += HtmlFact("Largest payload", PayloadText(verdict.payload()));
    }
    text += HtmlFact("Pace", PaceText(verdict));
    text += HtmlFact("Energy of all joints", JointEnergyText(verdict));
    text += HtmlFact("Whole robot", RobotPowerText(verdict));
  }
  if (verdict.has_path_inertia()) {
    text += HtmlFact("Task", PathInertiaText(verdict.path_inertia()));
  }
  return text + "</dl>\n";
}

}  // namespace

std::set<v1::TrajectoryTable> TablesForReport(bool derived, bool task) {
  std::set<v1::TrajectoryTable> tables = {v1::TRAJECTORY_TABLE_TAU,
                                          v1::TRAJECTORY_TABLE_TORQUE_LIMIT};
  if (derived) tables.insert(v1::TRAJECTORY_TABLE_V);
  if (task) {
    tables.insert(v1::TRAJECTORY_TABLE_SIGMA_MIN);
    tables.insert(v1::TRAJECTORY_TABLE_CONDITION);
  }
  return tables;
}

std::string HtmlReport(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const bool passes = verdict.passes();
  std::string body = HtmlVerdict(checked.file, passes, OutcomeText(verdict));
  body += "<div class=\"cards\">\n<section><h2>Asked</h2>\n" + Asked(checked) +
          "</section>\n";
  if (verdict.joints_size() > 0 || verdict.has_path_inertia()) {
    body += "<section><h2>Found</h2>\n" + Found(verdict) + "</section>\n";
  }
  body += "</div>\n";
  if (verdict.joints_size() > 0) {
    body +=
        "<h2>Joints</h2>\n<section>\n" + JointTable(checked) + "</section>\n";
  }
  if (verdict.remark_count() > 0) {
    body += "<h2>Samples that contradict each other</h2>\n" + Remarks(verdict);
  }
  if (verdict.violation_count() > 0) {
    body += "<h2>Violations, the gravest first</h2>\n" + Violations(verdict);
  }
  if (verdict.joints_size() > 0) body += HtmlPlots(checked);
  return HtmlPage((passes ? "PASS " : "FAIL ") + checked.file, body);
}

}  // namespace torqued::cli
