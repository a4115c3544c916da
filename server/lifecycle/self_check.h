// A known answer through the real path, before the server says that it serves.
#pragma once

#include <string>

#include "core/batch/engine.h"

namespace torqued::server {

/// Sends a planar arm of two links through decoding, planning, the engine
///
/// and its pool and encoding, and compares with its closed form.
/// Returns what is wrong, or nothing.
std::string SelfCheck(Engine& engine);

}  // namespace torqued::server
