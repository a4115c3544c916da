// The instruction sets that are measured.
#pragma once

#include <string>
#include <vector>

#include "core/batch/engine.h"

namespace torqued::bench {

/// Those of this machine that the engine has kernels for, the slowest first.
std::vector<std::string> TargetNames();

/// An engine that runs the kernels of `target` on `threads` threads.
Engine::Options OptionsFor(const std::string& target, int threads);

}  // namespace torqued::bench
