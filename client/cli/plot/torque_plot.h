// Torques over time against the effort limits, as a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/cli/plot/torque_summary.h"

namespace torqued::cli {

/// What the torque axes span.
enum class PlotScale : std::uint8_t {
  kLimits,   // the effort limits, and the torques
  kTorques,  // the torques; limits that are far away are named, not drawn
};

struct TorquePlot {
  std::string title;
  std::string subtitle;
  /// One per row of `tau`, or none: then the axis counts samples.
  std::vector<double> time;
  client::Batch tau;
  TorqueSummary summary;
  /// Per joint: "N m" or "N".
  std::vector<std::string> units;
  PlotScale scale = PlotScale::kLimits;
};

/// One panel per joint, one time axis below. Many samples are drawn as the
/// range that they cover per pixel, so no peak is lost. Samples without a
/// number leave a gap.
std::string DrawTorquePlot(const TorquePlot& plot);

}  // namespace torqued::cli
