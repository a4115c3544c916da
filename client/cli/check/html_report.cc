#include "client/cli/check/html_report.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "client/cli/check/report_plots.h"
#include "client/cli/check/verdict_text.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/formats/xml_text.h"
#include "client/cli/plot/torque_summary.h"

namespace torqued::cli {
namespace {

/// The gravest, on the page.
constexpr int kShownViolations = 100;

constexpr std::string_view kStyle = R"(
body { margin: 0; background: #eef1f4; color: #1f2933;
  font: 14px/1.5 Inter, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 22px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 34px 0 10px; }
h3 { font-size: 14px; margin: 0 0 6px; display: flex;
  justify-content: space-between; gap: 16px; }
h3 span { font-weight: 400; color: #61707f; }
h3 span.over { font-weight: 600; color: #c8372d; }
.verdict { display: inline-block; padding: 2px 12px; border-radius: 4px;
  color: #fff; font-weight: 600; margin-right: 8px; }
.pass { background: #23794a; } .fail { background: #c8372d; }
.muted { color: #61707f; overflow-wrap: anywhere; }
section { background: #fff; border: 1px solid #dfe4e9; border-radius: 6px;
  padding: 16px 18px; margin-top: 12px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px;
  font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; color: #61707f;
  border-bottom: 1px solid #dfe4e9; padding: 4px 6px; }
td { text-align: right; padding: 4px 6px; border-bottom: 1px solid #f0f2f5;
  white-space: nowrap; }
th:first-child, td:first-child, .left { text-align: left; }
td.over { color: #c8372d; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px;
  margin: 0; }
dt { color: #61707f; } dd { margin: 0; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: 2fr 1fr; gap: 4px 10px; }
.plots.pair { grid-template-columns: 1fr 1fr; }
.plots svg { width: 100%; height: auto; }
.key { display: inline-block; width: 22px; height: 10px; margin: 0 6px 0 14px;
  vertical-align: baseline; }
.torque { background: rgba(200, 55, 45, 0.35); }
.velocity { background: rgba(222, 139, 16, 0.4); }
.position { background: rgba(112, 72, 178, 0.35); }
@media print { body { background: #fff; } section { break-inside: avoid; } }
)";

std::string Cell(const std::string& text, std::string_view kind = {}) {
  std::string cell = "<td";
  if (!kind.empty()) cell += " class=\"" + std::string(kind) + "\"";
  return cell + ">" + EscapedXml(text) + "</td>";
}

std::string Head(std::initializer_list<std::string_view> titles) {
  std::string text = "<tr>";
  for (const std::string_view title : titles) {
    text += "<th>" + EscapedXml(title) + "</th>";
  }
  return text + "</tr>\n";
}

std::string Fact(std::string_view name, const std::string& text) {
  if (text.empty()) return "";
  return "<dt>" + EscapedXml(name) + "</dt><dd>" + EscapedXml(text) + "</dd>\n";
}

std::string OverIf(bool over) { return over ? "over" : ""; }

/// What was measured, so that a table has room.
std::string Short(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", number);
  return text.data();
}

std::string JointTable(const CheckedTrajectory& checked) {
  std::string text =
      "<table>\n" + Head({"joint", "max |\u03c4|", "limit at rest", "of limit",
                          "RMS", "at [s]", "max |q\u0307|", "limit", "of limit",
                          "q from", "to", "limits", "energy [J]"});
  for (int j = 0; j < checked.check.verdict.joints_size(); ++j) {
    const v1::JointDemand& joint = checked.check.verdict.joints(j);
    const std::string& unit = checked.units[static_cast<std::size_t>(j)];
    const bool positioned = joint.has_lower_limit() || joint.has_upper_limit();
    text +=
        "<tr>" + Cell(joint.joint()) +
        Cell(Short(std::abs(joint.torque().value())) + " " + unit) +
        Cell(LimitText(joint.has_torque_limit(), joint.torque_limit())) +
        Cell(UseText(joint.has_torque_use(), joint.torque_use().value()),
             OverIf(joint.torque_violations() > 0)) +
        Cell(UseText(joint.has_rms_torque_use(), joint.rms_torque_use())) +
        Cell(Short(MostLoadedOf(joint).time())) +
        Cell(Short(std::abs(joint.velocity().value()))) +
        Cell(LimitText(joint.has_velocity_limit(), joint.velocity_limit())) +
        Cell(UseText(joint.has_velocity_use(), joint.velocity_use().value()),
             OverIf(joint.velocity_violations() > 0)) +
        Cell(Short(joint.lowest_position().value()),
             OverIf(joint.has_lower_limit() &&
                    joint.lowest_position().value() < joint.lower_limit())) +
        Cell(Short(joint.highest_position().value()),
             OverIf(joint.has_upper_limit() &&
                    joint.highest_position().value() > joint.upper_limit())) +
        Cell(positioned
                 ? LimitText(joint.has_lower_limit(), joint.lower_limit()) +
                       " \u2026 " +
                       LimitText(joint.has_upper_limit(), joint.upper_limit())
                 : "-") +
        Cell(Short(joint.energy_given() - joint.energy_taken())) + "</tr>\n";
  }
  return text + "</table>\n";
}

std::string ViolationTable(const v1::TrajectoryVerdict& verdict) {
  std::string text = "<table>\n" + Head({"joint", "limit of", "value", "limit",
                                         "severity", "worst at [s]", "sample",
                                         "from [s]", "to [s]", "samples"});
  const int shown = std::min(kShownViolations, verdict.violations_size());
  for (int k = 0; k < shown; ++k) {
    const v1::LimitViolation& violation = verdict.violations(k);
    text += "<tr>" + Cell(violation.joint()) + Cell(NameOf(violation.kind())) +
            Cell(ReadableText(violation.worst().value()), "over") +
            Cell(ReadableText(violation.limit())) +
            Cell(ReadableText(violation.severity())) +
            Cell(ReadableText(violation.worst().time())) +
            Cell(std::to_string(violation.worst().sample())) +
            Cell(ReadableText(violation.begin())) +
            Cell(ReadableText(violation.end())) +
            Cell(std::to_string(violation.samples())) + "</tr>\n";
  }
  text += "</table>\n";
  const auto more =
      verdict.violation_count() - static_cast<std::uint64_t>(shown);
  if (more > 0) {
    text += "<p class=\"muted\">and " + std::to_string(more) + " more</p>\n";
  }
  return text;
}

/// What of the start is not at its default, but for what stands elsewhere on
/// the page.
std::string AskedText(v1::CheckTrajectoryStart asked) {
  asked.clear_model();
  asked.clear_tables();
  asked.mutable_options()->clear_joint_names();
  asked.mutable_options()->clear_encoding();
  if (asked.derating() == 1) asked.clear_derating();
  if (asked.options().ByteSizeLong() == 0) asked.clear_options();
  if (asked.ByteSizeLong() == 0) return "";
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  // Of a message of the wire this does not fail.
  (void)google::protobuf::util::MessageToJsonString(asked, &text, options);
  return text;
}

/// Of the tip on the environment; empty: none.
std::string WrenchText(const CheckedTrajectory& checked) {
  const client::Batch& wrench = checked.samples.tip_wrench_on_environment;
  if (wrench.rows() == 0) return "";
  if (wrench.rows() > 1) return "sample by sample";
  std::string text = "(";
  for (const double number : wrench.row(0)) {
    text += (text.size() > 1 ? " " : "") + ReadableText(number);
  }
  return text + "), moment [N m] and force [N]";
}

std::string Facts(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const v1::Echo& echo = verdict.echo();
  std::string text = "<dl>\n";
  text += Fact("Model", echo.model() + "@" + echo.revision());
  text += Fact("Samples", std::to_string(verdict.samples()) + " over " +
                              ReadableText(verdict.duration()) + " s");
  text += Fact("Rates", DerivedText(verdict.derived()));
  const auto& gravity = echo.terms().gravity();
  if (gravity.size() == 3) {
    text += Fact("Gravity", "(" + ReadableText(gravity[0]) + " " +
                                ReadableText(gravity[1]) + " " +
                                ReadableText(gravity[2]) + ") m/s\u00b2");
  }
  text += Fact("Asked", AskedText(verdict.asked()));
  text += Fact("Wrench", WrenchText(checked));
  if (verdict.joints_size() > 0) {
    text += Fact("Energy", EnergyText(verdict));
    if (verdict.has_payload()) {
      text += Fact("Payload", PayloadText(verdict.payload()));
    }
    text += Fact("Pace", SlowDownText(verdict.slow_down()));
  }
  if (verdict.has_path_inertia()) {
    text += Fact("Task", PathInertiaText(verdict.path_inertia()));
  }
  text += Fact("Server", echo.server_version() + ", target " + echo.target());
  return text + "</dl>\n";
}

std::string JointHead(const v1::JointDemand& joint) {
  const bool over = joint.torque_violations() + joint.velocity_violations() +
                        joint.position_violations() >
                    0;
  std::string text = "<h3>" + EscapedXml(joint.joint()) + "<span";
  if (over) text += " class=\"over\"";
  text += ">";
  if (joint.has_torque_use()) {
    text += "torque up to " + UtilizationText(joint.torque_use().value()) +
            " of its limit";
  } else {
    text += "no torque limit";
  }
  if (joint.has_velocity_use()) {
    text += ", velocity up to " + UtilizationText(joint.velocity_use().value());
  }
  if (joint.position_violations() > 0) text += ", position outside its limits";
  return text + "</span></h3>\n";
}

constexpr std::string_view kLegend = R"(<p class="muted">
Curve: torque; dashed: limits; shaded:
<span class="key torque"></span>torque over its limit
<span class="key velocity"></span>velocity
<span class="key position"></span>position
</p>
)";

std::string Plots(const CheckedTrajectory& checked) {
  std::string text = "<h2>Torques and their limits</h2>\n";
  text += kLegend;
  for (int j = 0; j < checked.check.verdict.joints_size(); ++j) {
    text += "<section>" + JointHead(checked.check.verdict.joints(j)) +
            "<div class=\"plots\">\n" + TorqueOverTimePlot(checked, j) +
            TorqueOverSpeedPlot(checked, j) + "</div></section>\n";
  }
  if (checked.check.sigma_min.rows() > 0) {
    text +=
        "<h2>Operational space along the path</h2>\n<section>"
        "<div class=\"plots pair\">\n" +
        SigmaMinPlot(checked) + ConditionPlot(checked) + "</div></section>\n";
  }
  return text;
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
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      std::string(passes ? "PASS " : "FAIL ") + EscapedXml(checked.file) +
      "</title>\n<style>" + std::string(kStyle) +
      "</style>\n</head>\n<body>\n<main>\n<h1>" + EscapedXml(checked.file) +
      "</h1>\n<p><span class=\"verdict " + (passes ? "pass" : "fail") + "\">" +
      (passes ? "PASS" : "FAIL") + "</span>" +
      (passes ? "all limits are kept" : ViolationCountText(verdict)) +
      "</p>\n<section>\n" + Facts(checked) + "</section>\n";
  if (verdict.joints_size() > 0) {
    page +=
        "<h2>Joints</h2>\n<section>\n" + JointTable(checked) + "</section>\n";
  }
  if (!passes) {
    page += "<h2>Violations, the gravest first</h2>\n<section>\n" +
            ViolationTable(verdict) + "</section>\n";
  }
  if (verdict.joints_size() > 0) page += Plots(checked);
  return page + "</main>\n</body>\n</html>\n";
}

}  // namespace torqued::cli
