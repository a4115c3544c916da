// What a piece of work costs this process.
#pragma once

#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>

namespace torqued::fuzz {

/// From its making on. The peak is that of the whole process: one at a time.
class Cost {
 public:
  Cost() {
    // Gives back what is free, and sets the peak to what is in use now.
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = Peak();
    start_ = Clock::now();
  }

  std::chrono::duration<double> elapsed() const {
    return Clock::now() - start_;
  }
  /// Bytes of memory beyond what was in use before.
  std::size_t memory() const { return Peak() - before_; }

 private:
  using Clock = std::chrono::steady_clock;

  static std::size_t Peak() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) << 10;
    }
    return 0;
  }

  std::size_t before_ = 0;
  Clock::time_point start_;
};

}  // namespace torqued::fuzz
