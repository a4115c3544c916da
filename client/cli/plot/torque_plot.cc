#include "client/cli/plot/torque_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "client/cli/formats/number_text.h"
#include "client/cli/plot/axis_ticks.h"
#include "client/cli/plot/plot_frame.h"
#include "client/cli/plot/svg_document.h"

namespace torqued::cli {
namespace {

constexpr double kWidth = 1000;
constexpr double kLeft = 84;
constexpr double kRight = 24;
constexpr double kTop = 84;
constexpr double kPanelHead = 24;
constexpr double kPanelHeight = 104;
constexpr double kPanelGap = 14;
constexpr double kBottom = 56;

using colour::kCurve;
using colour::kInk;
using colour::kLimit;
using colour::kMuted;

// Where the torques are to be seen (PlotScale::kTorques), a limit further away
// than this many peaks is not drawn.
constexpr double kFarLimit = 2;

Range TimeRange(const TorquePlot& plot) {
  Range range{0, std::max<double>(1, static_cast<double>(plot.tau.rows()) - 1)};
  if (!plot.time.empty()) range = {plot.time.front(), plot.time.back()};
  if (!(range.high > range.low)) range.high = range.low + 1;
  return range;
}

bool LimitIsDrawn(const TorquePlot& plot, const JointLoad& load) {
  if (!load.effort_limit) return false;
  if (plot.scale == PlotScale::kLimits) return true;
  return *load.effort_limit <= kFarLimit * std::abs(load.peak.value_or(0));
}

Range TorqueRange(const TorquePlot& plot, std::size_t joint) {
  const JointLoad& load = plot.summary.joints[joint];
  // Zero always shows: the sign of a torque matters.
  Range range{0, 0};
  for (Eigen::Index row = 0; row < plot.tau.rows(); ++row) {
    range.Include(plot.tau(row, static_cast<Eigen::Index>(joint)));
  }
  if (LimitIsDrawn(plot, load)) {
    range.Include(*load.effort_limit);
    range.Include(-*load.effort_limit);
  }
  return range.WithMargin();
}

/// Of the samples: their times, or their numbers.
Eigen::VectorXd TimesOf(const TorquePlot& plot) {
  if (plot.time.empty()) {
    return Eigen::VectorXd::LinSpaced(plot.tau.rows(), 0,
                                      static_cast<double>(plot.tau.rows() - 1));
  }
  return Eigen::Map<const Eigen::VectorXd>(
      plot.time.data(), static_cast<Eigen::Index>(plot.time.size()));
}

std::string ShortNumber(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

std::string HeadText(const TorquePlot& plot, std::size_t joint) {
  const JointLoad& load = plot.summary.joints[joint];
  const std::string& unit = plot.units[joint];
  if (!load.peak) return "no sample has a torque";
  std::string text = "peak |\u03c4| " + ShortNumber(std::abs(*load.peak)) +
                     "\u00a0" + unit + " at ";
  text += load.peak_time ? ReadableText(*load.peak_time) + "\u00a0s"
                         : "sample " + std::to_string(load.peak_sample);
  if (!load.effort_limit) return text + " \u00b7 no effort limit";
  text += " \u00b7 " + UtilizationText(*load.utilization()) + " of \u00b1" +
          ShortNumber(*load.effort_limit) + "\u00a0" + unit;
  if (!LimitIsDrawn(plot, load)) text += " (off the scale)";
  return text;
}

void DrawPanel(const TorquePlot& plot, std::size_t joint, const Range& time,
               const Eigen::VectorXd& times,
               const std::vector<double>& time_ticks, double head,
               SvgDocument* svg) {
  const JointLoad& load = plot.summary.joints[joint];
  const bool over = load.samples_over_limit > 0;
  const double top = head + kPanelHead;
  const double right = kWidth - kRight;
  const PlotFrame frame = {.x = time,
                           .y = TorqueRange(plot, joint),
                           .left = kLeft,
                           .right = right,
                           .top = top,
                           .bottom = top + kPanelHeight};

  svg->Text({kLeft, head + 16}, load.joint,
            {13, kInk, TextAnchor::kStart, true});
  svg->Text({right, head + 16}, HeadText(plot, joint),
            {12, over ? kLimit : kMuted, TextAnchor::kEnd, over});
  DrawGrid(frame, time_ticks, 5, svg);
  svg->VerticalText({24, top + kPanelHeight / 2},
                    "\u03c4 [" + plot.units[joint] + "]",
                    {11, kMuted, TextAnchor::kMiddle});

  if (LimitIsDrawn(plot, load)) {
    for (const double limit : {*load.effort_limit, -*load.effort_limit}) {
      svg->Line(frame.At(time.low, limit), frame.At(time.high, limit),
                {kLimit, 1.4, "7 4"});
    }
  }
  DrawCurve(SampledCurve(frame, times,
                         plot.tau.col(static_cast<Eigen::Index>(joint))),
            {kCurve, 1.6}, svg);
  if (load.peak && std::isfinite(*load.peak)) {
    const double t =
        load.peak_time.value_or(static_cast<double>(load.peak_sample));
    svg->Circle(frame.At(t, *load.peak), 3.2, over ? kLimit : kInk);
  }
}

void DrawLegend(SvgDocument* svg) {
  constexpr double kBaseline = 57;
  const double right = kWidth - kRight;
  const auto sample = [svg](double x, const SvgStroke& stroke) {
    svg->Line({x, kBaseline - 4}, {x + 24, kBaseline - 4}, stroke);
  };
  sample(right - 184, {kCurve, 1.6});
  svg->Text({right - 154, kBaseline}, "torque", {12, kMuted});
  sample(right - 98, {kLimit, 1.4, "7 4"});
  svg->Text({right, kBaseline}, "effort limit", {12, kMuted, TextAnchor::kEnd});
}

}  // namespace

std::string DrawTorquePlot(const TorquePlot& plot) {
  const std::size_t joints = plot.summary.joints.size();
  const double pitch = kPanelHead + kPanelHeight + kPanelGap;
  const double height =
      kTop + pitch * static_cast<double>(joints) - kPanelGap + kBottom;
  SvgDocument svg(kWidth, height);
  svg.Title(plot.title);
  svg.Text({kLeft, 34}, plot.title, {19, kInk, TextAnchor::kStart, true});
  svg.Text({kLeft, 57}, plot.subtitle, {12, kMuted});
  DrawLegend(&svg);

  const Range time = TimeRange(plot);
  const std::vector<Tick> time_ticks = AxisTicks(time.low, time.high, 11);
  std::vector<double> tick_times;
  tick_times.reserve(time_ticks.size());
  for (const Tick& tick : time_ticks) tick_times.push_back(tick.value);
  const Eigen::VectorXd times = TimesOf(plot);
  for (std::size_t joint = 0; joint < joints; ++joint) {
    DrawPanel(plot, joint, time, times, tick_times,
              kTop + pitch * static_cast<double>(joint), &svg);
  }

  const double axis = height - kBottom;
  for (const Tick& tick : time_ticks) {
    const double x = time.At(tick.value, kLeft, kWidth - kRight);
    svg.Line({x, axis}, {x, axis + 5}, {kMuted, 1});
    svg.Text({x, axis + 20}, tick.label, {11, kMuted, TextAnchor::kMiddle});
  }
  svg.Text({(kLeft + kWidth - kRight) / 2, axis + 42},
           plot.time.empty() ? "sample" : "time [s]",
           {12, kInk, TextAnchor::kMiddle});
  return std::move(svg).Finish();
}

}  // namespace torqued::cli
