// How many cores this process may use.
#pragma once

namespace torqued {

/// The least of the CPU affinity and the cgroup (v1 or v2) CPU quota, rounded
/// up; at least 1.
int AvailableCores();

}  // namespace torqued
