// From numbers to places of a picture.
#pragma once

#include <Eigen/Core>
#include <string_view>
#include <vector>

#include "client/cli/plot/svg_document.h"

namespace torqued::cli {

namespace colour {
constexpr std::string_view kInk = "#1f2933";
constexpr std::string_view kMuted = "#61707f";
constexpr std::string_view kGrid = "#e4e8ec";
constexpr std::string_view kPanel = "#f8f9fb";
constexpr std::string_view kCurve = "#1f6fb4";
constexpr std::string_view kLimit = "#c8372d";
constexpr std::string_view kZero = "#b9c2cb";
}  // namespace colour

struct Range {
  double low = 0;
  double high = 1;

  /// Made larger where it must be; what is not finite is left out.
  void Include(double value);
  /// With some room at both ends; [-1, 1] about a single number.
  Range WithMargin() const;
  double At(double value, double from, double to) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

/// A rectangle of pixels, and what it spans.
struct PlotFrame {
  Range x;
  Range y;
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;

  SvgPoint At(double x_value, double y_value) const {
    return {x.At(x_value, left, right), y.At(y_value, bottom, top)};
  }
};

/// The background with a line for each tick, and labels left of it; `ticks_x`
/// says where lines go up.
void DrawGrid(const PlotFrame& frame, const std::vector<double>& ticks_x,
              int max_ticks_y, SvgDocument* svg);

/// A column of a table.
using Samples = Eigen::Ref<const Eigen::VectorXd, 0, Eigen::InnerStride<>>;

/// The curve in pieces without gaps; samples without a number leave one. `x`
/// increases. Where several samples share half a pixel, its lowest and highest
/// are kept, in their order, so no peak is lost.
std::vector<std::vector<SvgPoint>> SampledCurve(const PlotFrame& frame,
                                                const Samples& x,
                                                const Samples& y);

/// Draws it; a piece of a single point as a dot.
void DrawCurve(const std::vector<std::vector<SvgPoint>>& pieces,
               const SvgStroke& stroke, SvgDocument* svg);

}  // namespace torqued::cli
