// What the tables of results are called and how they are laid out.
#pragma once

#include <string_view>

#include "core/dynamics/quantity.h"

namespace torqued {

/// What a row of a table is; matrices row by row.
enum class OutputShape : unsigned char {
  kScalar,        // 1
  kVector3,       // 3
  kVector6,       // 6
  kPose,          // 12, upper 3 x 4 of the homogeneous matrix
  kJointVector,   // n
  kJointMatrix,   // n x n
  kMassMatrix,    // n x n, or its packed lower half (MassMatrixLayout)
  kSixByJoints,   // 6 x n
  kJointsBySix,   // n x 6: a spatial vector per joint
  kJointCube,     // n x n x n
  kRegressor,     // n x 10 n: ten inertial parameters per joint's link
  kJointsByAxes,  // n x m
  kTaskVector,    // m
  kTaskMatrix,    // m x m
  kPowers,        // 8, see PowerBalance
};

struct OutputTraits {
  std::string_view name;  // that of the field on the wire
  OutputShape shape;
};

const OutputTraits& TraitsOf(Output output);

}  // namespace torqued
