#include "core/batch/parallelism.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

#include "core/batch/cgroup.h"

namespace torqued {
namespace {

std::optional<double> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

/// Cores granted by one cgroup v2 directory: "max 100000" or "150000 100000".
std::optional<double> QuotaV2(const std::string& directory) {
  std::ifstream file(directory + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] =
      std::from_chars(quota.data(), quota.data() + quota.size(), value);
  if (error != std::errc() || value <= 0) return std::nullopt;
  return value / period;
}

std::optional<double> QuotaV1(const std::string& directory) {
  const auto quota = ReadNumber(directory + "/cpu.cfs_quota_us");
  const auto period = ReadNumber(directory + "/cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

/// The least quota of this process's cgroup and all above it.
std::optional<double> CgroupQuota() {
  std::optional<double> least;
  for (const CgroupFolder& folder : CgroupFolders("cpu")) {
    const auto quota = folder.v2 ? QuotaV2(folder.path) : QuotaV1(folder.path);
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

}  // namespace

int AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = 1;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    cores = std::max(1, CPU_COUNT(&set));
  }
  if (const auto quota = CgroupQuota()) {
    cores = std::clamp(static_cast<int>(std::ceil(*quota)), 1, cores);
  }
  return cores;
}

}  // namespace torqued
