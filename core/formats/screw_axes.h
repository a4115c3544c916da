// Serial arms by products of exponentials (Lynch & Park 2017, sections 4.1 and
// 8.3) to Model.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "torqued/core/model/description.h"

namespace torqued {

/// The description of an arm of n joints at q = 0. Spatial vectors are
/// (angular; linear), lengths in m.
struct ScrewAxes {
  std::string name = "arm";
  /// M_{i-1,i}, i = 1 … n: link frames, each in the link frame before, the
  /// first in the base; then M_{n,n+1}, the tip in link frame {n}.
  std::vector<Pose> home = {};
  /// S_i, n of them, in base axes.
  std::vector<std::array<double, 6>> screws = {};
  /// G_i = [[I, [h]], [[h]ᵀ, m 1]], 6 x 6, n of them, in link frames, wherever
  /// the centre of mass is.
  std::vector<std::array<double, 36>> inertias = {};
};

/// A screw turns (pitch zero) or slides (no angular part): joints are revolute
/// without limits, or prismatic. q is in rad or m: a screw that is not a unit
/// vector is normalised, which the report warns of. Other pitches, matrices
/// that are not rotations or not inertias of rigid bodies, and lists of
/// different length are errors.
///
/// Joints are named "joint1" …, links "base", "link1" …, "tip": frames with the
/// poses e^{[S_1] q_1} … e^{[S_i] q_i} M_i. Between them are the frames of the
/// joints, "axis1" …, with the axes of {i} and the origin on the axis of the
/// screw, at the point nearest to that of {i}.
LoadResult LoadScrewAxes(const ScrewAxes& arm,
                         const BuildOptions& options = {});

}  // namespace torqued
