// What is compared with Orocos KDL, which reads the same URDF text by urdfdom.
//
// Errors are relative to the largest entry of a result; those of quantities
// that solve with a matrix are also divided by its condition number, for so
// much of the rounding of any method may reach the result. The bounds are some
// five times the largest error seen, unless a comment says more.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/batch/robot.h"
#include "tests/oracles/kdl_robot.h"
#include "tests/oracles/robots.h"

namespace torqued::testing_support {

inline constexpr ReferenceFrame kFrames[] = {ReferenceFrame::kLocal,
                                             ReferenceFrame::kLocalWorldAligned,
                                             ReferenceFrame::kWorld};

std::string Name(ReferenceFrame frame);

/// Those of deploy/models and random ones; all are chains.
std::vector<TestRobot> Chains();

/// Random ones.
std::vector<TestRobot> Trees();

/// Ours.
Robot MakeRobot(const TestRobot& robot,
                ReferenceFrame frame = ReferenceFrame::kLocal,
                const std::array<double, 3>& gravity = kSkewGravity);

/// KDL's, under kSkewGravity.
KdlTree MakeTree(const TestRobot& robot);

/// KDL's from the root to the tip, under kSkewGravity.
KdlChain MakeChain(const TestRobot& robot);

}  // namespace torqued::testing_support
