// How much memory this process may use.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "core/batch/cgroup.h"

namespace torqued::server {

struct MemoryLimit {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  /// What sets it: "cgroup", or "RAM", that of the machine.
  std::string_view source = "RAM";
};

/// The least of the machine's memory and of the limits of memory of the
/// process's cgroup and those above it (v1: memory.limit_in_bytes, v2:
/// memory.max and memory.high). Not the limits of its address space, which
/// stacks and reserves that are never touched count for.
MemoryLimit FindMemoryLimit(const CgroupPlaces& places = {});

}  // namespace torqued::server
