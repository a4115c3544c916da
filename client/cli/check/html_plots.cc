#include "client/cli/check/html_plots.h"

#include <cmath>
#include <string_view>

#include "client/cli/check/html_page.h"
#include "client/cli/check/report_plots.h"
#include "client/cli/check/verdict_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/formats/xml_text.h"
#include "client/cli/plot/torque_summary.h"

namespace torqued::cli {
namespace {

constexpr std::string_view kLegend = R"(<p class="muted">
Curve: torque, left over time, right against velocity; dashed: limits; shaded:
<span class="key torque"></span>torque over its limit
<span class="key velocity"></span>velocity
<span class="key position"></span>position
</p>
)";

std::string Claim(const std::string& text, bool over) {
  return "<span" + std::string(over ? " class=\"over\"" : "") + ">" +
         EscapedXml(text) + "</span>";
}

std::string TorqueClaim(const CheckedTrajectory& checked, int joint) {
  const v1::JointDemand& demand = checked.check.verdict.joints(joint);
  if (!demand.has_torque_use()) return "no torque limit";
  const auto row = static_cast<Eigen::Index>(demand.torque_use().sample());
  return "torque up to " + UtilizationText(demand.torque_use().value()) +
         " of its limit (" +
         ReadableText(std::abs(checked.check.tau(row, joint))) + " of " +
         ReadableText(checked.check.torque_limit(row, joint)) + " " +
         checked.units[static_cast<std::size_t>(joint)] + " at " +
         ReadableText(demand.torque_use().time()) + " s)";
}

/// What is broken stands out, and nothing else.
std::string JointHead(const CheckedTrajectory& checked, int j) {
  const v1::JointDemand& joint = checked.check.verdict.joints(j);
  std::string claims =
      Claim(TorqueClaim(checked, j), joint.torque_violations() > 0);
  if (joint.has_velocity_use()) {
    claims += ", " + Claim("velocity up to " +
                               UtilizationText(joint.velocity_use().value()),
                           joint.velocity_violations() > 0);
  }
  if (joint.position_violations() > 0) {
    claims += ", " + Claim("position outside its limits", true);
  }
  return "<h3>" + EscapedXml(joint.joint()) + "<span>" + claims +
         "</span></h3>\n";
}

std::string PlotRow(std::string_view kind, const std::string& plots) {
  return "<div class=\"" + std::string(kind) + "\">\n" + plots + "</div>\n";
}

/// Of a joint, open where one of them is broken.
std::string MotionPlots(const CheckedTrajectory& checked, int j) {
  const v1::JointDemand& joint = checked.check.verdict.joints(j);
  const std::string plots = PlotRow(
      "plots pair", PositionPlot(checked, j) + VelocityPlot(checked, j));
  const bool broken =
      joint.position_violations() + joint.velocity_violations() > 0;
  return broken ? plots : HtmlFolded("position and velocity", plots);
}

}  // namespace

std::string HtmlPlots(const CheckedTrajectory& checked) {
  std::string text = "<h2>Torques and their limits</h2>\n";
  text += kLegend;
  for (int j = 0; j < checked.check.verdict.joints_size(); ++j) {
    text += "<section>" + JointHead(checked, j) +
            PlotRow("plots", TorqueOverTimePlot(checked, j) +
                                 TorqueOverSpeedPlot(checked, j)) +
            MotionPlots(checked, j) + "</section>\n";
  }
  text += "<h2>Power of the whole robot</h2>\n<section>" +
          PlotRow("plots one", PowerPlot(checked)) + "</section>\n";
  if (checked.check.sigma_min.rows() > 0) {
    text +=
        "<h2>Operational space along the path</h2>\n<section>" +
        PlotRow("plots pair", SigmaMinPlot(checked) + ConditionPlot(checked)) +
        "</section>\n";
  }
  return text;
}

}  // namespace torqued::cli
