// How many cores this process may use, and where cgroups limit it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torqued {

struct CgroupPlaces {
  std::string list = "/proc/self/cgroup";
  std::string mount = "/sys/fs/cgroup";
};

/// A directory with the limits of a cgroup; it may not exist.
struct CgroupFolder {
  std::string path;
  bool v2 = false;
};

/// Those of this process's cgroups that have `controller` ("cpu", "memory"),
/// and of all cgroups above them, whose limits hold as well.
std::vector<CgroupFolder> CgroupFolders(std::string_view controller,
                                        const CgroupPlaces& places = {});

/// The least of the CPU affinity and the cgroup (v1 or v2) CPU quota, rounded
/// up; at least 1.
int AvailableCores();

}  // namespace torqued
