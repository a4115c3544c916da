// What a piece of work costs this process.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <ctime>
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
    start_ = std::clock();
  }

  /// Of all threads' computing.
  double cpu_seconds() const {
    return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
  }
  /// Bytes of memory beyond what was in use before.
  std::size_t memory() const { return Peak() - before_; }

 private:
  static std::size_t Peak() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) << 10;
    }
    return 0;
  }

  std::size_t before_ = 0;
  std::clock_t start_ = 0;
};

}  // namespace torqued::fuzz
