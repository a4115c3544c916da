#include "client/cli/check/report_plots.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "client/cli/check/verdict_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/plot/axis_ticks.h"
#include "client/cli/plot/plot_frame.h"
#include "client/cli/plot/svg_document.h"

namespace torqued::cli {
namespace {

using client::Batch;

constexpr double kHeight = 210;
constexpr double kTimeWidth = 660;
constexpr double kSpeedWidth = 330;
constexpr SvgStroke kLimitStroke = {colour::kLimit, 1.4, "6 4"};

std::string_view ShadeOf(v1::LimitKind kind) {
  switch (kind) {
    case v1::LIMIT_KIND_TORQUE:
      return "rgba(200,55,45,0.20)";
    case v1::LIMIT_KIND_VELOCITY:
      return "rgba(222,139,16,0.22)";
    default:
      return "rgba(112,72,178,0.20)";
  }
}

Eigen::VectorXd Times(const CheckedTrajectory& checked) {
  return Eigen::Map<const Eigen::VectorXd>(
      checked.samples.time.data(),
      static_cast<Eigen::Index>(checked.samples.time.size()));
}

/// The rectangle of a picture of this width, between room for its labels.
PlotFrame FrameOf(double width, const Range& x, const Range& y) {
  return {.x = x,
          .y = y,
          .left = 62,
          .right = width - 12,
          .top = 10,
          .bottom = kHeight - 40};
}

/// Grid, ticks and the names of both axes.
void DrawAxes(const PlotFrame& frame, const std::string& x_name,
              const std::string& y_name, int max_ticks, SvgDocument* svg) {
  std::vector<double> places;
  const std::vector<Tick> ticks =
      AxisTicks(frame.x.low, frame.x.high, max_ticks);
  places.reserve(ticks.size());
  for (const Tick& tick : ticks) places.push_back(tick.value);
  DrawGrid(frame, places, 6, svg);
  for (const Tick& tick : ticks) {
    svg->Text(
        {frame.x.At(tick.value, frame.left, frame.right), frame.bottom + 15},
        tick.label, {11, colour::kMuted, TextAnchor::kMiddle});
  }
  svg->Text({(frame.left + frame.right) / 2, frame.bottom + 32}, x_name,
            {11, colour::kMuted, TextAnchor::kMiddle});
  svg->VerticalText({14, (frame.top + frame.bottom) / 2}, y_name,
                    {11, colour::kMuted, TextAnchor::kMiddle});
}

Range TimeRange(const CheckedTrajectory& checked) {
  const std::vector<double>& time = checked.samples.time;
  if (time.size() > 1) return {time.front(), time.back()};
  return Range{time.front(), time.front()}.WithMargin();
}

/// Of the torques of a joint and, as far as there are any, their limits.
Range TorqueRange(const CheckedTrajectory& checked, int joint) {
  Range range{0, 0};
  for (const double tau : checked.check.tau.col(joint)) range.Include(tau);
  for (const double limit : checked.check.torque_limit.col(joint)) {
    range.Include(limit);
    range.Include(-limit);
  }
  return range.WithMargin();
}

/// One rectangle for each violation of the joint, over the whole height.
void ShadeViolations(const CheckedTrajectory& checked, int joint,
                     const PlotFrame& frame, SvgDocument* svg) {
  // What lasts one sample is seen, too.
  constexpr double kLeastWidth = 2;
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const std::string& name = verdict.joints(joint).joint();
  for (const v1::LimitViolation& violation : verdict.violations()) {
    if (violation.joint() != name) continue;
    double left = frame.x.At(violation.begin(), frame.left, frame.right);
    double right = frame.x.At(violation.end(), frame.left, frame.right);
    if (right - left < kLeastWidth) {
      const double middle = (left + right) / 2;
      left = std::max(frame.left, middle - kLeastWidth / 2);
      right = std::min(frame.right, middle + kLeastWidth / 2);
    }
    svg->TitledRectangle({left, frame.top}, right - left,
                         frame.bottom - frame.top, ShadeOf(violation.kind()),
                         ViolationText(violation));
  }
}

/// What the drive gives at each speed that the joint has, increasing.
struct Envelope {
  Eigen::VectorXd speed;
  Eigen::VectorXd torque;
};

Envelope EnvelopeOf(const CheckedTrajectory& checked, int joint,
                    double highest_speed) {
  std::vector<std::pair<double, double>> points;
  bool constant = true;
  for (Eigen::Index row = 0; row < checked.v().rows(); ++row) {
    const double limit = checked.check.torque_limit(row, joint);
    if (!std::isfinite(limit)) return {};
    constant = constant && limit == checked.check.torque_limit(0, joint);
    points.emplace_back(std::abs(checked.v()(row, joint)), limit);
  }
  if (constant) {
    const double limit = points.front().second;
    points = {{0, limit}, {highest_speed, limit}};
  }
  std::sort(points.begin(), points.end());
  const auto count = static_cast<Eigen::Index>(points.size());
  Envelope envelope{Eigen::VectorXd(count), Eigen::VectorXd(count)};
  for (Eigen::Index k = 0; k < count; ++k) {
    std::tie(envelope.speed[k], envelope.torque[k]) =
        points[static_cast<std::size_t>(k)];
  }
  return envelope;
}

/// In all four quadrants.
void DrawEnvelope(const Envelope& envelope, const PlotFrame& frame,
                  SvgDocument* svg) {
  if (envelope.speed.size() == 0) return;
  const Eigen::VectorXd backwards = -envelope.speed.reverse();
  const Eigen::VectorXd mirrored = envelope.torque.reverse();
  for (const double sign : {1.0, -1.0}) {
    const Eigen::VectorXd right = sign * envelope.torque;
    const Eigen::VectorXd left = sign * mirrored;
    DrawCurve(SampledCurve(frame, envelope.speed, right), kLimitStroke, svg);
    DrawCurve(SampledCurve(frame, backwards, left), kLimitStroke, svg);
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

std::string CurveOverTime(const CheckedTrajectory& checked, const Batch& table,
                          const std::string& name, const std::string& what) {
  Range range{0, 0};
  for (const double value : table.col(0)) range.Include(value);
  const PlotFrame frame =
      FrameOf(kTimeWidth, TimeRange(checked), range.WithMargin());
  SvgDocument svg(kTimeWidth, kHeight);
  svg.Title(what);
  DrawAxes(frame, "time [s]", name, 11, &svg);
  DrawCurve(SampledCurve(frame, Times(checked), table.col(0)),
            {colour::kCurve, 1.6}, &svg);
  return std::move(svg).Finish();
}

}  // namespace

std::string TorqueOverTimePlot(const CheckedTrajectory& checked, int joint) {
  const v1::JointDemand& demand = checked.check.verdict.joints(joint);
  const std::string& unit = checked.units[static_cast<std::size_t>(joint)];
  const PlotFrame frame =
      FrameOf(kTimeWidth, TimeRange(checked), TorqueRange(checked, joint));
  SvgDocument svg(kTimeWidth, kHeight);
  svg.Title("Torque of " + demand.joint() + " over time");
  DrawAxes(frame, "time [s]", "\u03c4 [" + unit + "]", 11, &svg);
  ShadeViolations(checked, joint, frame, &svg);
  const Eigen::VectorXd times = Times(checked);
  const Eigen::VectorXd limit = checked.check.torque_limit.col(joint);
  DrawCurve(SampledCurve(frame, times, limit), kLimitStroke, &svg);
  DrawCurve(SampledCurve(frame, times, -limit), kLimitStroke, &svg);
  DrawCurve(SampledCurve(frame, times, checked.check.tau.col(joint)),
            {colour::kCurve, 1.6}, &svg);
  const v1::Peak& peak =
      demand.has_torque_use() ? demand.torque_use() : demand.torque();
  const auto row = static_cast<Eigen::Index>(peak.sample());
  svg.Circle(frame.At(times[row], checked.check.tau(row, joint)), 3.2,
             demand.torque_violations() > 0 ? colour::kLimit : colour::kInk);
  return std::move(svg).Finish();
}

std::string TorqueOverSpeedPlot(const CheckedTrajectory& checked, int joint) {
  const v1::JointDemand& demand = checked.check.verdict.joints(joint);
  const std::string& unit = checked.units[static_cast<std::size_t>(joint)];
  Range speeds{0, 0};
  for (const double v : checked.v().col(joint)) speeds.Include(v);
  const bool limited = demand.has_velocity_limit();
  if (limited) {
    speeds.Include(demand.velocity_limit());
    speeds.Include(-demand.velocity_limit());
  }
  const double highest = std::max(speeds.high, -speeds.low);
  const PlotFrame frame =
      FrameOf(kSpeedWidth, speeds.WithMargin(), TorqueRange(checked, joint));
  SvgDocument svg(kSpeedWidth, kHeight);
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
  DrawEnvelope(EnvelopeOf(checked, joint, highest), frame, &svg);
  std::vector<SvgPoint> inside, outside;
  for (Eigen::Index row = 0; row < checked.check.tau.rows(); ++row) {
    const double tau = checked.check.tau(row, joint);
    const double v = checked.v()(row, joint);
    const bool breaks =
        std::abs(tau) > checked.check.torque_limit(row, joint) ||
        (limited && std::abs(v) > demand.velocity_limit());
    (breaks ? outside : inside).push_back(frame.At(v, tau));
  }
  svg.Dots(Distinct(inside), 1.1, colour::kCurve);
  svg.Dots(Distinct(outside), 1.5, colour::kLimit);
  return std::move(svg).Finish();
}

std::string SigmaMinPlot(const CheckedTrajectory& checked) {
  return CurveOverTime(checked, checked.check.sigma_min, "\u03c3_min",
                       "Smallest singular value of the task Jacobian");
}

std::string ConditionPlot(const CheckedTrajectory& checked) {
  // Of a condition the size matters.
  const Batch logarithm = checked.check.condition.array().log10();
  return CurveOverTime(checked, logarithm, "log\u2081\u2080 cond \u039b",
                       "Condition of the operational-space inertia");
}

}  // namespace torqued::cli
