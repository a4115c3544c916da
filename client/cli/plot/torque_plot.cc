#include "client/cli/plot/torque_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "client/cli/formats/number_text.h"
#include "client/cli/plot/axis_ticks.h"
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

constexpr std::string_view kInk = "#1f2933";
constexpr std::string_view kMuted = "#61707f";
constexpr std::string_view kGrid = "#e4e8ec";
constexpr std::string_view kPanel = "#f8f9fb";
constexpr std::string_view kCurve = "#1f6fb4";
constexpr std::string_view kLimit = "#c8372d";
constexpr std::string_view kZero = "#b9c2cb";

// Where the torques are to be seen (PlotScale::kTorques), a limit further away
// than this many peaks is not drawn.
constexpr double kFarLimit = 2;

struct Range {
  double low = 0;
  double high = 1;

  double At(double value, double from, double to) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

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
  const auto include = [&range](double value) {
    if (!std::isfinite(value)) return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  for (Eigen::Index row = 0; row < plot.tau.rows(); ++row) {
    include(plot.tau(row, static_cast<Eigen::Index>(joint)));
  }
  if (LimitIsDrawn(plot, load)) {
    include(*load.effort_limit);
    include(-*load.effort_limit);
  }
  const double span = range.high - range.low;
  if (span == 0) return {-1, 1};
  return {range.low - 0.06 * span, range.high + 0.06 * span};
}

// The curve in pieces without gaps. Where several samples share a pixel column,
// its lowest and highest are kept, in their order.
std::vector<std::vector<SvgPoint>> Curve(const TorquePlot& plot,
                                         Eigen::Index joint, const Range& time,
                                         const Range& torque, double top) {
  std::vector<std::vector<SvgPoint>> pieces(1);
  struct Extreme {
    SvgPoint point;
    Eigen::Index row;
  };
  double column = -1;
  Extreme lowest{}, highest{};
  const auto flush = [&] {
    if (column < 0) return;
    const bool low_first = lowest.row <= highest.row;
    pieces.back().push_back(low_first ? lowest.point : highest.point);
    if (lowest.row != highest.row) {
      pieces.back().push_back(low_first ? highest.point : lowest.point);
    }
    column = -1;
  };

  for (Eigen::Index row = 0; row < plot.tau.rows(); ++row) {
    const double value = plot.tau(row, joint);
    if (!std::isfinite(value)) {
      flush();
      if (!pieces.back().empty()) pieces.emplace_back();
      continue;
    }
    const double t = plot.time.empty()
                         ? static_cast<double>(row)
                         : plot.time[static_cast<std::size_t>(row)];
    const SvgPoint point{time.At(t, kLeft, kWidth - kRight),
                         torque.At(value, top + kPanelHeight, top)};
    // Half pixels: screens of today have them.
    const double here = std::floor(point.x * 2);
    if (here != column) {
      flush();
      column = here;
      lowest = highest = {point, row};
      continue;
    }
    // y grows downwards.
    if (point.y > lowest.point.y) lowest = {point, row};
    if (point.y < highest.point.y) highest = {point, row};
  }
  flush();
  return pieces;
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
               const std::vector<Tick>& time_ticks, double head,
               SvgDocument* svg) {
  const JointLoad& load = plot.summary.joints[joint];
  const bool over = load.samples_over_limit > 0;
  const double top = head + kPanelHead;
  const double right = kWidth - kRight;
  const Range torque = TorqueRange(plot, joint);
  const auto y_of = [&](double value) {
    return torque.At(value, top + kPanelHeight, top);
  };

  svg->Text({kLeft, head + 16}, load.joint,
            {13, kInk, TextAnchor::kStart, true});
  svg->Text({right, head + 16}, HeadText(plot, joint),
            {12, over ? kLimit : kMuted, TextAnchor::kEnd, over});
  svg->Rectangle({kLeft, top}, right - kLeft, kPanelHeight, kPanel);

  for (const Tick& tick : time_ticks) {
    const double x = time.At(tick.value, kLeft, right);
    svg->Line({x, top}, {x, top + kPanelHeight}, {kGrid, 1});
  }
  for (const Tick& tick : AxisTicks(torque.low, torque.high, 5)) {
    const double y = y_of(tick.value);
    svg->Line({kLeft, y}, {right, y}, {tick.value == 0 ? kZero : kGrid, 1});
    svg->Text({kLeft - 8, y + 4}, tick.label, {11, kMuted, TextAnchor::kEnd});
  }
  svg->VerticalText({24, top + kPanelHeight / 2},
                    "\u03c4 [" + plot.units[joint] + "]",
                    {11, kMuted, TextAnchor::kMiddle});

  if (LimitIsDrawn(plot, load)) {
    for (const double limit : {*load.effort_limit, -*load.effort_limit}) {
      svg->Line({kLeft, y_of(limit)}, {right, y_of(limit)},
                {kLimit, 1.4, "7 4"});
    }
  }
  for (const auto& piece :
       Curve(plot, static_cast<Eigen::Index>(joint), time, torque, top)) {
    if (piece.size() == 1) svg->Circle(piece.front(), 1.2, kCurve);
    if (piece.size() > 1) svg->Polyline(piece, {kCurve, 1.6});
  }
  if (load.peak && std::isfinite(*load.peak)) {
    const double t =
        load.peak_time.value_or(static_cast<double>(load.peak_sample));
    svg->Circle({time.At(t, kLeft, right), y_of(*load.peak)}, 3.2,
                over ? kLimit : kInk);
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
  for (std::size_t joint = 0; joint < joints; ++joint) {
    DrawPanel(plot, joint, time, time_ticks,
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
