// What a row costs, roughly, for scheduling.
#pragma once

#include "core/batch/evaluation.h"

namespace torqued {

/// What the quantities of `options` cost by lanes, and those of `by_rows` one
/// state at a time; nanoseconds of one core for a model of so many degrees of
/// freedom.
double NanosecondsPerRow(const EvaluationOptions& options, QuantitySet by_rows,
                         int dof);

/// The factor of states that only general texts know.
inline constexpr double kCostOfGeneralTexts = 3;

/// What `count` external wrenches add.
double NanosecondsOfWrenches(QuantitySet quantities, int count, int dof);

}  // namespace torqued
