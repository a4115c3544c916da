#include "core/batch/cgroup.h"

#include <fstream>

namespace torqued {
namespace {

/// The folder of `path` below `root`, and of each cgroup above it.
void AddWithParents(const std::string& root, std::string path, bool v2,
                    std::vector<CgroupFolder>* folders) {
  while (true) {
    folders->push_back({root + path, v2});
    // Where the process sees its own cgroup as the root of the mount, as in a
    // container, the path is another one's, and only the root is there.
    if (path.empty()) return;
    path.resize(path.find_last_of('/'));
  }
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
    if (controllers.empty()) {
      AddWithParents(places.mount, path, /*v2=*/true, &folders);
      // Where v1 has most of the controllers.
      AddWithParents(places.mount + "/unified", path, /*v2=*/true, &folders);
    } else if (("," + controllers + ",").find("," + name + ",") !=
               std::string::npos) {
      AddWithParents(places.mount + "/" + name, path, /*v2=*/false, &folders);
    }
  }
  return folders;
}

}  // namespace torqued
