// Which models are computed in double precision whatever is asked for, by a
// rule that is handed in: the model knows no algorithms.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/model/model.h"
#include "core/model/tree.h"

namespace torqued {

/// Whether single precision leaves the mass matrix at q (one number for each
/// joint) in doubt, so that what solves with it is computed in double.
using PrecisionDoubt = bool (*)(const Tree& tree, std::span<const double> q);

struct PrecisionChoice {
  bool needs_double = false;
  bool cancelled = false;  // not looked at to the end
};

/// A model needs double precision when more than half of its SampledStates are
/// in doubt: single precision would compute most rows twice. Without a rule no
/// model does. Asks `cancelled`, if given, before each state.
PrecisionChoice ChoosePrecision(const Tree& tree, std::span<const Joint> joints,
                                std::uint64_t seed, PrecisionDoubt rule,
                                const std::function<bool()>& cancelled);

}  // namespace torqued
