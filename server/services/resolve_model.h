// The memory that a model takes while it is read and parsed, among the bytes
// under way.
#pragma once

#include <cstdint>
#include <string_view>

#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"

namespace torqued::server {

/// What it takes to read a stored source of so many bytes, to parse it, and
/// what is made of it and thrown away again: measured of ordinary sources. A
/// longer source than is accepted is not parsed.
std::int64_t BytesToLoad(std::int64_t source_bytes);

/// The model that a reference leads to. Memory to load it is admitted first and
/// given back at the end.
OrError<ModelEntry> ResolveModel(Registry& registry, std::string_view reference,
                                 const PeerAdmission& admission);

}  // namespace torqued::server
