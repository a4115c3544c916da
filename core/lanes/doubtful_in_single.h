// Where the lanes of single precision leave the mass matrix to double.
#pragma once

#include <span>

#include "core/model/tree.h"

namespace torqued {

/// Whether the kernels of single precision do not certify the mass matrix at q
/// (one number for each joint, rad or m), so that what solves with it is
/// computed in double. Decided in double by their own bounds, the same on every
/// target; next to a bound their round-off may decide otherwise.
bool DoubtfulInSingle(const Tree& tree, std::span<const double> q);

}  // namespace torqued
