// What the server may hold in memory, by its settings.
#pragma once

#include <cstdint>

#include "server/config/settings.h"

namespace torqued::server {

/// Sets `memory`, and the limits of bytes to their shares of it: at most the
/// defaults of Settings, and at least what a server needs to be of use.
void SetShares(const MemoryLimit& memory, Settings* settings);

/// Memory for what arrives, of all connections together, before it is a message
/// that can be admitted: as much as may be under way, and four of the largest
/// messages even where that is little. The rest is for the connections
/// themselves.
std::int64_t ArrivalBytes(const Settings& settings);

/// The sources of the models that are kept in memory, which take with what was
/// made of them kBytesOfModel times as much.
std::int64_t CachedSourceBytes(const Settings& settings);
inline constexpr std::int64_t kBytesOfModel = 12;

/// What each of the allocator's heaps keeps of memory that was given back, of a
/// process that may use so much.
std::int64_t KeptFreeInHeap(std::int64_t memory_bytes);
inline constexpr int kHeaps = 4;

}  // namespace torqued::server
