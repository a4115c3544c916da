// Whether the mass matrix can be inverted, by a rule that is handed in: the
// model knows no algorithms.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/model/model.h"
#include "core/model/tree.h"

namespace torqued {

/// The first joint that makes the mass matrix singular at q (one number for
/// each joint), if any.
using SingularJointRule = std::optional<int> (*)(const Tree& tree,
                                                 std::span<const double> q);

struct Singularity {
  std::optional<int> joint;  // nothing: regular wherever it was looked at
  bool at_home = false;      // found at q = 0
  bool cancelled = false;    // not looked at to the end
};

/// Looks at the SampledStates of the seed. Asks `cancelled`, if given, before
/// each.
Singularity FindSingularity(const Tree& tree, std::span<const Joint> joints,
                            std::uint64_t seed, SingularJointRule rule,
                            const std::function<bool()>& cancelled);

}  // namespace torqued
