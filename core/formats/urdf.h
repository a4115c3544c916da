// URDF (Unified Robot Description Format) to Model.
#pragma once

#include <cstddef>
#include <string_view>

#include "torqued/core/model/description.h"

namespace torqued {

/// Checked before anything that costs more than one pass over the source.
struct UrdfLimits {
  std::size_t source_bytes = 8u << 20;
  int links = 10'000;
  int joints = 10'000;
  /// All XML elements, comments and the like. Each costs the parser about 100
  /// bytes.
  std::size_t nodes = 500'000;
  /// Attributes of one element: the parser's time grows with their square.
  std::size_t attributes = 64;
};

/// Reads a URDF document given as text; opens no file and resolves no
/// package:// path. Every element that has no effect on the dynamics and is not
/// plainly geometry is reported. Never throws on bad input: errors are
/// findings.
///
/// If URDF leaves a choice: a <limit> that states only one of lower and upper
/// has 0 for the other, as URDF says, and one that states neither sets no
/// position limit; both are warned of. Mimic joints are independent.
LoadResult LoadUrdf(std::string_view source, const BuildOptions& options = {},
                    const UrdfLimits& limits = {});

}  // namespace torqued
