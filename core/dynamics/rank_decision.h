// The rank of a task, and whether its frame hardly moves it.
#pragma once

#include "core/dynamics/frame_scale.h"
#include "core/dynamics/operational_space.h"
#include "core/dynamics/task_rank.h"
#include "core/model/tree.h"

namespace torqued {

/// What is decided by two scalings of the task Jacobian. The task's own divides
/// linear rows by the characteristic length: a singular value of at most
/// rank_tolerance times the largest does not count. The frame's (see
/// FrameScale) has a floor: what is not above it is round-off, and does not
/// count either, were it all that there is.
struct RankDecision {
  int rank = 0;
  /// Of the task's own scaling, without the directions that are round-off. The
  /// first `rank` columns of U span the range.
  TaskSpectrum spectrum{};
  /// The smallest singular value of the task's own scaling; 0 where n < m.
  double sigma_min = 0;
  /// Whether the rank is full, and the smallest singular value in the frame's
  /// scaling at most rank_tolerance times the norm of the whole Jacobian.
  bool weak = false;
  /// That singular value by that norm; where `weak`.
  double share = 1;
};

/// Factor of task row k in the task's own scaling: linear rows are divided by
/// the characteristic length.
double RowScale(const TaskOptions& options, int k);

/// A task Jacobian (m x n) in the task's own scaling.
void ScaleTaskRows(const TaskOptions& options, int n, const double* J,
                   double* scaled);

/// Singular values in the frame's scaling are at least this times those in the
/// task's own. `slides`: whether a prismatic joint may be on the way to the
/// frame.
double LeastOfFrameScaling(const TaskOptions& options, bool slides,
                           double reach);

/// Of a task Jacobian J (m x n, row-major, rows as in options.axes). `work`
/// holds m n numbers.
RankDecision DecideRank(const TaskOptions& options, const Tree& tree,
                        const FrameScale& frame, const double* J, double* work);

}  // namespace torqued
