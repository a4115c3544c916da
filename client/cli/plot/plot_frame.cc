#include "client/cli/plot/plot_frame.h"

#include <algorithm>
#include <cmath>

#include "client/cli/plot/axis_ticks.h"

namespace torqued::cli {

void Range::Include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Range Range::WithMargin() const {
  const double span = high - low;
  if (!(span > 0)) return {low - 1, high + 1};
  return {low - 0.06 * span, high + 0.06 * span};
}

void DrawGrid(const PlotFrame& frame, const std::vector<double>& ticks_x,
              int max_ticks_y, SvgDocument* svg) {
  svg->Rectangle({frame.left, frame.top}, frame.right - frame.left,
                 frame.bottom - frame.top, colour::kPanel);
  for (const double tick : ticks_x) {
    const double x = frame.x.At(tick, frame.left, frame.right);
    svg->Line({x, frame.top}, {x, frame.bottom}, {colour::kGrid, 1});
  }
  for (const Tick& tick : AxisTicks(frame.y.low, frame.y.high, max_ticks_y)) {
    const double y = frame.y.At(tick.value, frame.bottom, frame.top);
    svg->Line({frame.left, y}, {frame.right, y},
              {tick.value == 0 ? colour::kZero : colour::kGrid, 1});
    svg->Text({frame.left - 8, y + 4}, tick.label,
              {11, colour::kMuted, TextAnchor::kEnd});
  }
}

std::vector<std::vector<SvgPoint>> SampledCurve(const PlotFrame& frame,
                                                const Samples& x,
                                                const Samples& y) {
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

  for (Eigen::Index row = 0; row < y.size(); ++row) {
    if (!std::isfinite(y[row])) {
      flush();
      if (!pieces.back().empty()) pieces.emplace_back();
      continue;
    }
    const SvgPoint point = frame.At(x[row], y[row]);
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

void DrawCurve(const std::vector<std::vector<SvgPoint>>& pieces,
               const SvgStroke& stroke, SvgDocument* svg) {
  for (const std::vector<SvgPoint>& piece : pieces) {
    if (piece.size() == 1) {
      svg->Circle(piece.front(), 0.75 * stroke.width, stroke.colour);
    } else if (piece.size() > 1) {
      svg->Polyline(piece, stroke);
    }
  }
}

}  // namespace torqued::cli
