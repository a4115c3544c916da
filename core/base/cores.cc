#include "core/base/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace torqued {
namespace {

/// Cores granted by one directory: "150000 100000", or "max 100000".
double Quota(const CgroupFolder& folder) {
  std::ifstream quota_file(folder.path +
                           (folder.v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
  std::ifstream period_file(folder.path + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  quota_file >> quota;
  (folder.v2 ? quota_file : period_file) >> period;
  if (quota <= 0 || period <= 0) return std::numeric_limits<double>::infinity();
  return quota / period;
}

/// 0: unknown.
int CoresOfAffinity() {
  // The kernel refuses a set that is smaller than its own.
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> set(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0) {
      return CPU_COUNT_S(bytes, set.data());
    }
  }
  return 0;
}

}  // namespace

std::vector<CgroupFolder> CgroupFolders(std::string_view controller,
                                        const CgroupPlaces& places) {
  std::vector<CgroupFolder> folders;
  std::ifstream file(places.list);
  for (std::string line; std::getline(file, line);) {
    // hierarchy-id:controllers:path
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    const std::string name(controller);
    std::vector<CgroupFolder> roots;
    if (controllers.empty()) {
      // The second is that of systems where v1 has most of the controllers.
      roots = {{places.mount, true}, {places.mount + "/unified", true}};
    } else if (("," + controllers + ",").find("," + name + ",") !=
               std::string::npos) {
      roots = {{places.mount + "/" + name, false}};
    }
    for (const auto& [root, v2] : roots) {
      // Its folder and all above. Where the process sees its own cgroup as the
      // root of the mount, as in a container, only the root is there.
      for (std::string at = path;; at.resize(at.find_last_of('/'))) {
        folders.push_back({root + at, v2});
        if (at.empty()) break;
      }
    }
  }
  return folders;
}

int AvailableCores() {
  double cores = CoresOfAffinity();
  for (const CgroupFolder& folder : CgroupFolders("cpu")) {
    cores = std::min(cores, Quota(folder));
  }
  return std::max(1, static_cast<int>(std::ceil(cores)));
}

}  // namespace torqued
