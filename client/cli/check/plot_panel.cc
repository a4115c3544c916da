#include "client/cli/check/plot_panel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "client/cli/check/verdict_text.h"
#include "client/cli/plot/axis_ticks.h"

namespace torqued::cli {
namespace {

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

}  // namespace

PlotFrame PanelFrame(double width, const Range& x, const Range& y) {
  return {.x = x,
          .y = y,
          .left = 62,
          .right = width - 12,
          .top = 10,
          .bottom = kPanelHeight - 40};
}

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

Eigen::VectorXd TimesOf(const CheckedTrajectory& checked) {
  return Eigen::Map<const Eigen::VectorXd>(
      checked.samples.time.data(),
      static_cast<Eigen::Index>(checked.samples.time.size()));
}

Range TimeRange(const CheckedTrajectory& checked) {
  const std::vector<double>& time = checked.samples.time;
  if (time.size() > 1) return {time.front(), time.back()};
  return Range{time.front(), time.front()}.WithMargin();
}

void ShadeViolations(const CheckedTrajectory& checked, int joint,
                     v1::LimitKind kind, const PlotFrame& frame,
                     SvgDocument* svg) {
  // What lasts one sample is seen, too.
  constexpr double kLeastWidth = 2;
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const std::string& name = verdict.joints(joint).joint();
  for (const v1::LimitViolation& violation : verdict.violations()) {
    if (violation.joint() != name) continue;
    if (kind != v1::LIMIT_KIND_UNSPECIFIED && violation.kind() != kind) {
      continue;
    }
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

bool IsLifted(double limit, double largest) {
  // No joint of a robot gets there, in whatever unit; nor beyond so many times
  // what is seen.
  constexpr double kBeyondAll = 1e6;
  constexpr double kTimesLargest = 1000;
  return !(std::abs(limit) <= std::max(kBeyondAll, kTimesLargest * largest));
}

}  // namespace torqued::cli
