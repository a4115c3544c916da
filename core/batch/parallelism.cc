#include "core/batch/parallelism.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

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

int AvailableCores() {
  int cores = std::max(1, CoresOfAffinity());
  if (const auto quota = CgroupQuota()) {
    cores = std::clamp(static_cast<int>(std::ceil(*quota)), 1, cores);
  }
  return cores;
}

}  // namespace torqued
