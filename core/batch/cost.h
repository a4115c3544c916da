// What a row costs, roughly, for scheduling.
#pragma once

#include "core/batch/evaluation.h"

namespace torqued {

/// Nanoseconds of one core for a row.
struct RowCost {
  double by_lanes = 0;
  /// Of what is computed one state at a time in any case.
  double by_rows = 0;
  /// What is added where the lanes leave the row in doubt.
  double in_doubt = 0;
};

/// Rows that cost the lanes as much as one alone, of the target that the costs
/// were measured with. On others a block has more rows or fewer, and takes as
/// long.
inline constexpr int kRowsOfACostlyBlock = 4;

/// Of the quantities of `options`, those of `by_rows` one state at a time, for
/// a model of so many degrees of freedom.
RowCost CostOfRow(const EvaluationOptions& options, QuantitySet by_rows,
                  int dof);

/// The factor by which lanes take longer for states that only general texts
/// know.
inline constexpr double kCostOfGeneralTexts = 3;

/// What `count` external wrenches add.
RowCost CostOfWrenches(QuantitySet quantities, QuantitySet by_rows, int count,
                       int dof);

}  // namespace torqued
