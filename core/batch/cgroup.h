// Where the system keeps what the cgroups of this process may use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torqued {

struct CgroupPlaces {
  std::string list = "/proc/self/cgroup";
  std::string mount = "/sys/fs/cgroup";
};

/// A folder of a cgroup's limits; it need not be there.
struct CgroupFolder {
  std::string path;
  bool v2 = false;
};

/// Those of this process's cgroups that have `controller` ("cpu", "memory"),
/// and of all cgroups above them, whose limits hold as well.
std::vector<CgroupFolder> CgroupFolders(std::string_view controller,
                                        const CgroupPlaces& places = {});

}  // namespace torqued
