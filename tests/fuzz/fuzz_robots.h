// The robots that requests of the fuzz targets may name.
#pragma once

#include <span>
#include <string>

#include "fuzz_inputs.pb.h"
#include "server/registry/registry.h"

namespace torqued::fuzz {

/// Loaded once; a number that is no robot stands for another one.
const server::ModelEntry& FuzzRobot(Robot robot);

/// Names of their joints and links, and one that none of them has.
std::span<const std::string> FuzzRobotNames();

}  // namespace torqued::fuzz
