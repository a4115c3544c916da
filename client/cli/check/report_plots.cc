#include "client/cli/check/report_plots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "client/cli/check/plot_panel.h"
#include "client/cli/check/torque_envelope.h"
#include "client/cli/check/verdict_text.h"

namespace torqued::cli {
namespace {

using client::Batch;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double LargestOf(const Samples& column) {
  double largest = 0;
  for (const double value : column) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

std::string PositionUnit(const CheckedTrajectory& checked, int joint) {
  return checked.units[static_cast<std::size_t>(joint)] == "N" ? "m" : "rad";
}

/// Of the torques of a joint and of its limits, as far as these can be shown.
Range TorqueRange(const CheckedTrajectory& checked, int joint) {
  Range range{0, 0};
  const double largest = LargestOf(checked.check.tau.col(joint));
  for (const double tau : checked.check.tau.col(joint)) range.Include(tau);
  for (const double limit : checked.check.torque_limit.col(joint)) {
    if (IsLifted(limit, largest)) continue;
    range.Include(limit);
    range.Include(-limit);
  }
  return range.WithMargin();
}

/// In all four quadrants, as far as it is inside the frame.
void DrawEnvelope(const TorqueEnvelope& envelope, const PlotFrame& frame,
                  SvgDocument* svg) {
  for (const double torque_sign : {1.0, -1.0}) {
    const double highest = torque_sign > 0 ? frame.y.high : -frame.y.low;
    for (const double speed_sign : {1.0, -1.0}) {
      std::vector<std::vector<SvgPoint>> pieces;
      for (const TorqueEnvelope& piece : PiecesUpTo(highest, envelope)) {
        pieces.emplace_back();
        for (std::size_t k = 0; k < piece.speed.size(); ++k) {
          pieces.back().push_back(frame.At(speed_sign * piece.speed[k],
                                           torque_sign * piece.torque[k]));
        }
      }
      DrawCurve(pieces, kLimitStroke, svg);
    }
  }
}

/// One dot for each half pixel that has any.
std::vector<SvgPoint> Distinct(const std::vector<SvgPoint>& points) {
  std::set<std::pair<double, double>> cells;
  std::vector<SvgPoint> distinct;
  for (const SvgPoint& point : points) {
    if (cells.emplace(std::floor(2 * point.x), std::floor(2 * point.y)).second)
      distinct.push_back(point);
  }
  return distinct;
}

/// A curve over time, between limits that do not change with it.
struct Curve {
  std::string title;
  std::string y_name;
  double lower = kNone;  // no number: none
  double upper = kNone;
  double width = kPairPanelWidth;
  bool from_zero = true;  // whether the axis includes 0
  int joint = -1;         // whose violations are shaded; -1: nobody's
  v1::LimitKind kind = v1::LIMIT_KIND_UNSPECIFIED;
  std::vector<v1::Peak> turns = {};  // those between samples get a dot
};

std::string CurveOverTime(const CheckedTrajectory& checked,
                          const Samples& column, const Curve& curve) {
  const double infinity = std::numeric_limits<double>::infinity();
  Range range = curve.from_zero ? Range{0, 0} : Range{infinity, -infinity};
  for (const double value : column) range.Include(value);
  for (const v1::Peak& turn : curve.turns) range.Include(turn.value());
  std::vector<double> limits;
  for (const double limit : {curve.lower, curve.upper}) {
    if (IsLifted(limit, LargestOf(column))) continue;
    limits.push_back(limit);
    range.Include(limit);
  }
  if (!(range.low <= range.high)) range = {0, 0};
  const PlotFrame frame =
      PanelFrame(curve.width, TimeRange(checked), range.WithMargin());
  SvgDocument svg(curve.width, kPanelHeight);
  svg.Title(curve.title);
  DrawAxes(frame, "time [s]", curve.y_name, 11, &svg);
  if (curve.joint >= 0) {
    ShadeViolations(checked, curve.joint, curve.kind, frame, &svg);
  }
  for (const double limit : limits) {
    svg.Line(frame.At(frame.x.low, limit), frame.At(frame.x.high, limit),
             kLimitStroke);
  }
  DrawCurve(SampledCurve(frame, TimesOf(checked), column), kCurveStroke, &svg);
  for (const v1::Peak& turn : curve.turns) {
    if (!turn.between()) continue;
    svg.Circle(frame.At(turn.time(), turn.value()), 3.2, colour::kInk);
  }
  return std::move(svg).Finish();
}

}  // namespace

std::string TorqueOverTimePlot(const CheckedTrajectory& checked, int joint) {
  const v1::JointDemand& demand = checked.check.verdict.joints(joint);
  const std::string& unit = checked.units[static_cast<std::size_t>(joint)];
  const PlotFrame frame = PanelFrame(kTimePanelWidth, TimeRange(checked),
                                     TorqueRange(checked, joint));
  SvgDocument svg(kTimePanelWidth, kPanelHeight);
  svg.Title("Torque of " + demand.joint() + " over time");
  DrawAxes(frame, "time [s]", "\u03c4 [" + unit + "]", 11, &svg);
  ShadeViolations(checked, joint, v1::LIMIT_KIND_UNSPECIFIED, frame, &svg);
  const Eigen::VectorXd times = TimesOf(checked);
  const double largest = LargestOf(checked.check.tau.col(joint));
  const Eigen::VectorXd limit =
      checked.check.torque_limit.col(joint).unaryExpr([largest](double torque) {
        return IsLifted(torque, largest) ? kNone : torque;
      });
  DrawCurve(SampledCurve(frame, times, limit), kLimitStroke, &svg);
  DrawCurve(SampledCurve(frame, times, -limit), kLimitStroke, &svg);
  DrawCurve(SampledCurve(frame, times, checked.check.tau.col(joint)),
            kCurveStroke, &svg);
  const auto row = static_cast<Eigen::Index>(MostLoadedOf(demand).sample());
  svg.Circle(frame.At(times[row], checked.check.tau(row, joint)), 3.2,
             demand.torque_violations() > 0 ? colour::kLimit : colour::kInk);
  return std::move(svg).Finish();
}

std::string TorqueOverSpeedPlot(const CheckedTrajectory& checked, int joint) {
  const v1::JointDemand& demand = checked.check.verdict.joints(joint);
  const std::string& unit = checked.units[static_cast<std::size_t>(joint)];
  const double fastest = LargestOf(checked.v().col(joint));
  Range speeds{0, 0};
  for (const double v : checked.v().col(joint)) speeds.Include(v);
  const bool limited = demand.has_velocity_limit() &&
                       !IsLifted(demand.velocity_limit(), fastest);
  if (limited) {
    speeds.Include(demand.velocity_limit());
    speeds.Include(-demand.velocity_limit());
  }
  // Drives turn either way. A joint at rest has room beside it.
  double highest = std::max(speeds.high, -speeds.low);
  if (highest == 0) highest = 1;
  const PlotFrame frame =
      PanelFrame(kSpeedPanelWidth, Range{-highest, highest}.WithMargin(),
                 TorqueRange(checked, joint));
  SvgDocument svg(kSpeedPanelWidth, kPanelHeight);
  svg.Title("Torque of " + demand.joint() + " against velocity");
  DrawAxes(frame, unit == "N" ? "q\u0307 [m/s]" : "q\u0307 [rad/s]",
           "\u03c4 [" + unit + "]", 6, &svg);
  if (limited) {
    for (const double speed :
         {demand.velocity_limit(), -demand.velocity_limit()}) {
      svg.Line(frame.At(speed, frame.y.low), frame.At(speed, frame.y.high),
               kLimitStroke);
    }
  }
  DrawEnvelope(EnvelopeOf(demand, highest), frame, &svg);
  std::vector<SvgPoint> inside, outside;
  for (Eigen::Index row = 0; row < checked.check.tau.rows(); ++row) {
    const double tau = checked.check.tau(row, joint);
    const double v = checked.v()(row, joint);
    const bool breaks =
        std::abs(tau) > checked.check.torque_limit(row, joint) ||
        (demand.has_velocity_limit() && std::abs(v) > demand.velocity_limit());
    (breaks ? outside : inside).push_back(frame.At(v, tau));
  }
  svg.Dots(Distinct(inside), 1.1, colour::kCurve);
  svg.Dots(Distinct(outside), 1.5, colour::kLimit);
  return std::move(svg).Finish();
}

std::string PositionPlot(const CheckedTrajectory& checked, int joint) {
  const v1::JointDemand& demand = checked.check.verdict.joints(joint);
  return CurveOverTime(
      checked, checked.samples.q.col(joint),
      {.title = "Position of " + demand.joint() + " over time",
       .y_name = "q [" + PositionUnit(checked, joint) + "]",
       .lower = demand.has_lower_limit() ? demand.lower_limit() : kNone,
       .upper = demand.has_upper_limit() ? demand.upper_limit() : kNone,
       .from_zero = false,
       .joint = joint,
       .kind = v1::LIMIT_KIND_POSITION,
       .turns = {demand.lowest_position(), demand.highest_position()}});
}

std::string VelocityPlot(const CheckedTrajectory& checked, int joint) {
  const v1::JointDemand& demand = checked.check.verdict.joints(joint);
  const double limit =
      demand.has_velocity_limit() ? demand.velocity_limit() : kNone;
  return CurveOverTime(
      checked, checked.v().col(joint),
      {.title = "Velocity of " + demand.joint() + " over time",
       .y_name = "q\u0307 [" + PositionUnit(checked, joint) + "/s]",
       .lower = -limit,
       .upper = limit,
       .joint = joint,
       .kind = v1::LIMIT_KIND_VELOCITY,
       .turns = {demand.velocity()}});
}

std::string PowerPlot(const CheckedTrajectory& checked) {
  const Eigen::VectorXd power =
      (checked.check.tau.array() * checked.v().array()).rowwise().sum();
  return CurveOverTime(checked, power,
                       {.title = "Power of the whole robot over time",
                        .y_name = "power [W]",
                        .width = kRowWidth});
}

std::string SigmaMinPlot(const CheckedTrajectory& checked) {
  return CurveOverTime(checked, checked.check.sigma_min.col(0),
                       {.title = "Smallest singular value of the task Jacobian",
                        .y_name = "\u03c3_min"});
}

std::string ConditionPlot(const CheckedTrajectory& checked) {
  // Of a condition the size matters.
  const Batch logarithm = checked.check.condition.array().log10();
  return CurveOverTime(checked, logarithm.col(0),
                       {.title = "Condition of the operational-space inertia",
                        .y_name = "log\u2081\u2080 cond \u039b"});
}

}  // namespace torqued::cli
