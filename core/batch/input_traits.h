// What the tables of states are called, how they are laid out, and what they
// are for.
#pragma once

#include <string_view>

#include "core/batch/evaluation.h"

namespace torqued {

/// What a row of a table is.
enum class InputShape : unsigned char {
  kPositions,    // nq
  kJointVector,  // nv
  kVector3,      // 3
  kVector6,      // 6
  kWrenches,     // 6 for each external wrench of the options
  kTaskVector,   // m
};

struct InputTraits {
  std::string_view name;  // that of the field on the wire
  InputArray EvaluationInputs::* array;
  InputShape shape;
  /// A table that nothing would read is refused with this sentence, unless the
  /// sentence is empty.
  QuantitySet readers;
  std::string_view refusal;
};

const InputTraits& TraitsOf(Input input);

}  // namespace torqued
