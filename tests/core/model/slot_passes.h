// Passes over a lowered tree, through the memory that its layout provides.
#pragma once

#include "core/model/lowered_tree.h"

namespace torqued {

/// Whether every body of a pass from the base finds what its parent left.
bool EveryChildFindsItsParent(const LoweredTreeOf<double>& tree);

/// Whether every body of a pass towards the base finds the sum of its
/// children's subtrees, here in bodies, and no other.
bool EveryParentFindsItsChildren(const LoweredTreeOf<double>& tree);

}  // namespace torqued
