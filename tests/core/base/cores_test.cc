#include "core/base/cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <thread>

namespace {

/// Of a host that the test pretends to run on; 0: this one.
int pretended_cpus = 0;

}  // namespace

// In place of libc's, for the library, too.
extern "C" int sched_getaffinity(pid_t pid, std::size_t size,
                                 cpu_set_t* set) noexcept {
  CPU_ZERO_S(size, set);
  if (pretended_cpus == 0) {
    return syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
  }
  if (8 * size < static_cast<std::size_t>(pretended_cpus)) {
    errno = EINVAL;
    return -1;
  }
  for (int cpu = 0; cpu < pretended_cpus; ++cpu) CPU_SET_S(cpu, size, set);
  return 0;
}

namespace torqued {
namespace {

TEST(AvailableCores, IsAtLeastOneAndAtMostTheMachine) {
  EXPECT_GE(AvailableCores(), 1);
  EXPECT_LE(AvailableCores(),
            static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(AvailableCores, CountsMoreCpusThanAnOrdinarySetHolds) {
  pretended_cpus = 1500;
  const int there = AvailableCores();
  pretended_cpus = 0;
  EXPECT_GE(there, AvailableCores());
}

}  // namespace
}  // namespace torqued
