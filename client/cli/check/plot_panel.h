// What the pictures of a report have in common.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "client/cli/check/checked_trajectory.h"
#include "client/cli/plot/plot_frame.h"
#include "client/cli/plot/svg_document.h"

namespace torqued::cli {

// Pixels. Three shares of a row, so that letters are of one size in all of it.
constexpr double kPanelHeight = 220;
constexpr double kRowWidth = 1140;
constexpr double kTimePanelWidth = kRowWidth * 2 / 3;
constexpr double kSpeedPanelWidth = kRowWidth / 3;
constexpr double kPairPanelWidth = kRowWidth / 2;
constexpr SvgStroke kLimitStroke = {colour::kLimit, 1.4, "6 4"};
constexpr SvgStroke kCurveStroke = {colour::kCurve, 1.6};

/// The rectangle of a picture of this width, between room for its labels.
PlotFrame PanelFrame(double width, const Range& x, const Range& y);

/// Grid, ticks and the names of both axes.
void DrawAxes(const PlotFrame& frame, const std::string& x_name,
              const std::string& y_name, int max_ticks, SvgDocument* svg);

Eigen::VectorXd TimesOf(const CheckedTrajectory& checked);
Range TimeRange(const CheckedTrajectory& checked);

/// One rectangle for each listed violation of the joint, over the whole height;
/// of one kind, or of all (UNSPECIFIED).
void ShadeViolations(const CheckedTrajectory& checked, int joint,
                     v1::LimitKind kind, const PlotFrame& frame,
                     SvgDocument* svg);

/// Whether a limit is a number that nothing reaches, which lifts it: a picture
/// that had room for it would show nothing else.
bool IsLifted(double limit, double largest);

}  // namespace torqued::cli
